"""What can be asked of an export."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from builder.training.examples import TEXT
from builder.training.files import FORMATS
from scoring import rule_judge

SFT = "sft"
DPO = "dpo"

PROMPT_COMPLETION = "prompt-completion"
MESSAGES = "messages"

SAVED = "saved"

BEST = "best"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be exported.

    Attributes:
        kind: sft or dpo.
        rows: folder of a build or release.
        episodes: folders with predictions, or such files.
        judge: rule, or saved: the judgements that stand beside the predictions.
        out: the folder to write, new or empty.
        splits: train, validation or both.
        style: how an answer is spelled, text or tool-calls.
        formats: jsonl, parquet or both.
        shape: SFT: prompt-completion or messages.
        above: SFT: the points that an answer must exceed.
        all_steps: SFT: whether the later steps of a solved episode are taken too.
        minimum: DPO: the points that both answers must reach.
        gap: DPO: the difference of points that a pair must exceed.
        pairs: DPO: best or all.
    """

    kind: str
    rows: Path
    episodes: tuple[Path, ...]
    out: Path
    judge: str = rule_judge.NAME
    splits: tuple[str, ...] = ("train",)
    style: str = TEXT
    formats: tuple[str, ...] = FORMATS
    shape: str = PROMPT_COMPLETION
    above: float = 10.0
    all_steps: bool = False
    minimum: float = 3.0
    gap: float = 5.0
    pairs: str = BEST
