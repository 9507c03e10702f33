"""Training on the task of reversing a string in torch: autograd and torch's Adam."""

from __future__ import annotations

from proofs_check.plain.signal_autodiff import one_thread
from proofs_check.plain.signal_deep import block
from proofs_check.plain.signal_reverse_draws import BETAS, DIGITS, RATE, TINY, Task, batch, positions, start


def final_accuracy(task: Task) -> float:
    """Share of right digits on 10 fresh batches after training."""
    with one_thread() as torch:
        drawn = start(task)
        embedding, readout = (torch.tensor(W, requires_grad=True) for W in drawn[:2])
        weights = [tuple(torch.tensor(W[0], requires_grad=True) for W in b) for b in drawn.blocks]
        parameters = [embedding, readout, *(W for b in weights for W in b)]
        optimiser = torch.optim.Adam(parameters, lr=RATE, betas=BETAS, eps=TINY, foreach=True)
        places = torch.from_numpy(positions(task))

        def logits(strings: object) -> object:
            X = embedding[strings] + places
            for b in weights:
                X, _ = block(X, b, task.deep)
            return X @ readout

        for step in range(task.steps):
            strings = torch.from_numpy(batch(task, step))
            optimiser.zero_grad()
            predicted = logits(strings).reshape(-1, DIGITS)  # type: ignore[attr-defined]
            torch.nn.functional.cross_entropy(predicted, strings.flip(1).reshape(-1)).backward()
            optimiser.step()
        with torch.no_grad():
            tests = [torch.from_numpy(batch(task, task.steps + extra)) for extra in range(10)]
            right = [(logits(s).argmax(-1) == s.flip(1)).double().mean() for s in tests]  # type: ignore[attr-defined]
        return float(sum(right) / len(right))
