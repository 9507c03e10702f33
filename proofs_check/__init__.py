"""One checker for every statement: what was checked, on which cases, by which roads, with which verdict.

``python -m proofs_check`` and ``seprank verify`` run it; docs/ledger.md is its report.
"""
