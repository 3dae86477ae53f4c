"""What the built-in agents and the items that noise can spoil are called."""

from __future__ import annotations

ORACLE = "oracle"
DO_NOTHING = "do-nothing"
RESTART = "restart"
BLIND_RETRY = "blind-retry"
NOISY_ORACLE = "noisy-oracle"

AGENTS = (ORACLE, DO_NOTHING, RESTART, BLIND_RETRY, NOISY_ORACLE)

ITEMS = ("s1", "s2", "s3", "s4", "s5", "d1", "d2", "d3", "d4", "d5", "e1", "e2", "e3", "e4", "e5")
"""The fifteen items of the rubric."""
