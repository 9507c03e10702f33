"""Probing a model against a plain forward and backward pass of the same model, as ratios inside one run.

    python benchmarks/signal_probe.py [--repeats 9] [--json FILE]

"plain" is the model's output, the loss that the probe takes by default, and `backward()`. The two take turns and the
fastest run of each counts, in CPU seconds of one thread, which other work on the machine changes little. The aim is a
ratio of at most 2. Models of transformers are left out where it is not installed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import nn

from seprank.signal import probe
from seprank.signal.probe_loss import loss_of
from seprank.signal.probe_model import call

AIM = 2.0
Case = tuple[str, nn.Module, object]
IDS = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}


def encoders() -> Iterator[Case]:
    """Encoders of PyTorch: (layers, width, heads, sequences, tokens)."""
    for L, d, H, B, n in ((4, 64, 4, 8, 32), (6, 256, 8, 4, 128), (2, 512, 8, 2, 512)):
        layer = nn.TransformerEncoderLayer(d, H, 4 * d, dropout=0.0, batch_first=True)
        encoder = nn.TransformerEncoder(layer, L, enable_nested_tensor=False)
        yield f"encoder L={L} d={d} H={H} B={B} n={n}", encoder, torch.randn(B, n, d)


def of_transformers() -> Iterator[Case]:
    """Small models of transformers with random weights."""
    try:
        from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM
    except ImportError:
        return
    ids = torch.randint(0, 1000, (4, 128))
    gpt2 = GPT2Config(n_layer=4, n_embd=256, n_head=8, vocab_size=1000, n_positions=128, **IDS)
    yield "GPT-2 L=4 d=256 H=8 B=4 n=128", GPT2LMHeadModel(gpt2), {"input_ids": ids}
    llama = LlamaConfig(
        num_hidden_layers=4,
        hidden_size=256,
        num_attention_heads=8,
        num_key_value_heads=2,
        intermediate_size=704,
        vocab_size=1000,
        **IDS,
    )
    yield "Llama L=4 d=256 H=8 (2 key heads) B=4 n=128", LlamaForCausalLM(llama), {"input_ids": ids}


def plain(model: nn.Module, inputs: object) -> None:
    """A forward and a backward pass."""
    model.zero_grad(set_to_none=True)
    loss_of(call(model, inputs))[0].backward()


def seconds(task: Callable[[], object]) -> float:
    start = time.process_time()
    task()
    return time.process_time() - start


def measured(case: Case, repeats: int) -> dict[str, object]:
    """The fastest run of either, taken in turn after one run of each to warm up."""
    name, model, inputs = case
    model.eval()
    tasks = (lambda: plain(model, inputs), lambda: probe(model, inputs))
    times = [[seconds(task) for task in tasks] for _ in range(repeats + 1)][1:]
    passes, probes = (min(column) for column in zip(*times, strict=True))
    row = {"model": name, "plain seconds": round(passes, 4), "probe seconds": round(probes, 4)}
    return row | {"ratio": round(probes / passes, 2)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rows = []
    for case in (*encoders(), *of_transformers()):
        rows.append(measured(case, options.repeats))
        print("  ".join(f"{name}: {value}" for name, value in rows[-1].items()), file=sys.stderr, flush=True)
    worst = max(float(str(row["ratio"])) for row in rows)
    document = {
        "schema": "seprank.bench/1",
        "threads": 1,
        "aim": AIM,
        "worst ratio": worst,
        "probe": rows,
    }
    text = json.dumps(document, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0 if worst <= AIM else 1


if __name__ == "__main__":
    sys.exit(main())
