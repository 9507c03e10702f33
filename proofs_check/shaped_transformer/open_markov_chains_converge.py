"""Open: Proposition A.2, Markov chains to diffusions, as a theorem.

Source: noci2023shaped, Proposition A.2
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="ST.P1",
    title="Open: Proposition A.2, Markov chains to diffusions, as a theorem",
    statement=r"If $Y_{k+1}=Y_k+n^{-1}\hat b_n(Y_k,\omega_k)+n^{-1/2}\sigma_n(Y_k)\xi_k+O(n^{-3/2})$ with locally "
    r"Lipschitz limits, $Y_{\lfloor tn\rfloor}$ converges in law to $dY=b\,dt+\Sigma^{1/2}dB$, locally in the "
    r"sense of Definition 4.1.",
    source="noci2023shaped, Proposition A.2",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="ST",
    note="A theorem on convergence in the Skorohod topology; no finite computation decides it. Its use is what "
    "every comparison of laws here checks (ST.T3.2, ST.T4.2.law, ST.C4.3); in practice n E[V' - V] and n "
    "Cov(V') decide.",
)
