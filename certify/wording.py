"""Descriptions say what a call is for, and what came back, and nothing else."""

from __future__ import annotations

from functools import lru_cache

from certify.case import SPECIAL, Case, Report
from environment.careless import result_text
from environment.phrasing import is_last_wording, is_wording
from plan.clean import RESPONSE_DESCRIPTION
from plan.task import RESPONSE, ROOT
from plan.tool import Tool, describe


def check_descriptions(case: Case, report: Report) -> None:
    """Report every description that isn't a wording of the task's own tool and result.

    A call of an unlisted tool is described as the clean call in its place is. The clean
    plan's descriptions are not reworded.
    """
    clean = case.clean
    listed = {name: _sentence(name, tool.description) for name, tool in clean.tools.items()}
    sentences = {id: listed[call.name] for id, call in clean.calls.items()}
    came = {id: result_text(seen.result) for id, seen in case.executions.items()}
    for tasks, path in (*zip(case.plans, case.paths, strict=True), (case.gold, "/gold_plan")):
        for id, task in tasks.items():
            text = task["desc"]
            if id in SPECIAL:
                good = is_last_wording(text) if id == RESPONSE else text == case.row.query
            else:
                sentence = listed.get(task["name"]) or sentences.get(id)
                result = came.get(id) if task["status"] else None
                good = sentence is not None and is_wording(text, sentence, result)
            if not good:
                report("description", path, f"{id!r} is described as what it isn't")
    plain = {**sentences, ROOT: case.row.query, RESPONSE: RESPONSE_DESCRIPTION}
    for id, task in case.originals.items():
        if task["desc"] != plain[id]:
            report("description", "/clean_plan", f"{id!r} is described as what it isn't")


@lru_cache(maxsize=4096)
def _sentence(name: str, description: str) -> str:
    """Return what a tool is for; the same tools stand in many rows."""
    return describe(Tool(name, description, {}))
