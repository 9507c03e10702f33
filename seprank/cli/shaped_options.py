"""Options of the commands below `seprank shaped`, and the `Setup` that they build."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from seprank.cli.options import Decorator, WholeNumber, add_options
from seprank.errors import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seprank.shaped.setup import Setup

BLOCKS = ("residual", "attention", "full")


def model_options(block: str, m: int | None = None, paths: int = 16384) -> Decorator:
    """Add the options of a block, its start and its paths, with defaults `block`, `m` (None: required) and `paths`.

    They are passed as m, gamma, tau0, block, mask, heads, mlp_ratio, c_plus, c_minus, rho0, v0, radius, paths, seed.
    """
    size: dict[str, Any] = {"required": True} if m is None else {"default": m, "show_default": True}
    shown: dict[str, Any] = {"show_default": True}
    return add_options(
        click.option("--m", "m", type=WholeNumber(), metavar="M", help="Tokens.", **size),
        click.option("--gamma", type=float, required=True, metavar="G", help="Weight of a branch, above 0, at most 1."),
        click.option("--tau0", type=float, required=True, metavar="T", help="Temperature constant, above 0."),
        click.option("--block", type=click.Choice(BLOCKS), default=block, help="Kind of block.", **shown),
        click.option("--mask", metavar="MASK", help="causal, or a .npy file of m x m Booleans.  [default: none]"),
        click.option("--heads", type=WholeNumber(), default=1, metavar="H", help="Heads, concatenated.", **shown),
        click.option("--mlp-ratio", type=float, default=1.0, metavar="R", help="Hidden width over width.", **shown),
        click.option("--c-plus", type=float, default=0.0, metavar="C", help="Slope 1 + C/sqrt(n) above 0.", **shown),
        click.option("--c-minus", type=float, default=-1.0, metavar="C", help="Slope 1 + C/sqrt(n) below 0.", **shown),
        click.option("--rho0", type=float, metavar="R", help="Correlation at the start, variances 1.  [default: 0.2]"),
        click.option(
            "--v0",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Covariance at the start, m x m, a .npy file; excludes --rho0.",
        ),
        click.option("--radius", type=float, metavar="R", help="Where paths stop."),
        click.option("--paths", type=WholeNumber(), default=paths, metavar="N", help="Paths or networks.", **shown),
        click.option("--seed", type=WholeNumber(0), default=0, metavar="S", help="Seed of all draws.", **shown),
    )


def size_options() -> Decorator:
    """Add ``--n --depth --head-dim``, of a network of finite width."""
    return add_options(
        click.option("--n", "n", type=WholeNumber(), required=True, metavar="N", help="Width."),
        click.option("--depth", type=WholeNumber(), required=True, metavar="D", help="Blocks; T = depth / n."),
        click.option("--head-dim", type=WholeNumber(), metavar="NK", help="Query and key size.  [default: n / heads]"),
    )


def setup_from(options: dict[str, Any], n: int = 1, depth: int = 1, head_dim: int | None = None) -> Setup:
    """The `Setup` of the options of `model_options`; raises `InvalidInput`."""
    from seprank.shaped.setup import Setup, equicorrelated

    given = dict(options)
    m, rho0, v0 = given["m"], given.pop("rho0"), given.pop("v0")
    if rho0 is not None and v0 is not None:
        raise InvalidInput(f"rho0 and v0 exclude each other, got rho0 {rho0:g} and v0 {str(v0)!r}")
    V0 = read_array(v0, "v0") if v0 is not None else equicorrelated(m, 0.2 if rho0 is None else rho0)
    mask = _mask(given.pop("mask"), m)
    return Setup(n=n, depth=depth, head_dim=head_dim, V0=V0, mask=mask, **given)


def _mask(mask: str | None, m: int) -> NDArray[Any] | None:
    from seprank.shaped.setup import causal_mask

    if mask is None or mask == "none":
        return None
    return causal_mask(m) if mask == "causal" else read_array(Path(mask), "mask")


def read_array(path: Path, name: str) -> NDArray[Any]:
    """The array of a .npy file; raises `InvalidInput` with one line for anything else."""
    import numpy as np

    try:
        found = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise InvalidInput(f"{name} must be a .npy file that exists, got {str(path)!r}") from None
    except (OSError, ValueError, EOFError, MemoryError):
        raise InvalidInput(f"{name} must be a .npy file of numbers, got {str(path)!r}, which cannot be read") from None
    if not isinstance(found, np.ndarray):
        raise InvalidInput(f"{name} must be a .npy file of one array, got {str(path)!r} with several")
    return found
