"""All bounds, in their order: among equal ones the earlier is named the best."""

from __future__ import annotations

from seprank.closed_forms.lower_rules import LOWER_RULES
from seprank.closed_forms.rule import Rule
from seprank.closed_forms.upper_rules import UPPER_RULES

RULES: tuple[Rule, ...] = LOWER_RULES + UPPER_RULES
