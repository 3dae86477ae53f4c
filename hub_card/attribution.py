"""What a set of rows must say of the data that it was made from."""

from __future__ import annotations

BUTTON = (
    "Built from trajectories in BUTTON's format. Where they are BUTTON's own "
    "(PKU-Baichuan-MLSystemLab, https://github.com/PKU-Baichuan-MLSystemLab/BUTTON), they are "
    "licensed under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/), and these rows are "
    "adapted material: trajectories were turned into plans, errors injected, rounds simulated. "
    "Whoever shares the rows keeps this attribution: Chen et al., Facilitating Multi-turn "
    "Function Calling for LLMs via Compositional Instruction Tuning, ICLR 2025."
)

EMBEDDED = (
    "Built from trajectories that the toolkit synthesised in BUTTON's format (Chen et al., "
    "ICLR 2025); they hold no text of BUTTON."
)
