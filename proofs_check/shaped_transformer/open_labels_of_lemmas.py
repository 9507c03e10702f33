"""Open: which formula carries which of the labels C.6, C.7 and C.8.

Source: noci2023shaped, Lemmas C.6 to C.8
"""

from __future__ import annotations

from proofs_check.verdict import Statement, Verdict

STATEMENT = Statement(
    id="ST.C.6-C.8",
    title="Open: which formula carries which of the labels C.6, C.7 and C.8",
    statement=r"$\mathbb E\mathcal T_1=0$ with $\mathbb E[\mathcal T_1\mathcal T_1]=2\Sigma_{\rm lin}+O(n^{-1})$; "
    r"$\mathbb E[\mathcal T_2\mid A]=AVA^\top$; $\mathrm{Cov}(\mathcal T_2)=n^{-1}\Sigma_{\rm "
    r"lin}+\mathrm{Cov}(AVA^\top)+\dots$: three lemmas whose statements are lost from our text.",
    source="noci2023shaped, Lemmas C.6 to C.8",
    scope="none: not decided",
    expected=Verdict.OPEN,
    paper="ST",
    note="The display formulas are missing from our copy and the order is inferred. What they say together is "
    "checked: the drift and the noise of Theorem 4.2 (ST.T4.2.drift, ST.T4.2.covariance).",
)
