"""The oracle's thought: claims put into sentences, each in one of several ways."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from environment.agents.facts import Cause, Change, Facts, Seen, listed

_TOOLS = (
    "In the plan before me, {tools}.",
    "Looking at the last plan: {tools}.",
    "As the plan stood, {tools}.",
    "I go back to the previous plan, where {tools}.",
)
_TOOL = "node {node} calls `{tool}`"
_EDGE = (
    "{node} depends on {other}",
    "{node} waits for {other}",
    "{node} comes after {other}",
)
_EDGES = ("There, {}.", "In it, {}.", "By that plan, {}.")

_FAILED = (
    "Node {node} (`{tool}`) failed: “{quote}”.",
    "The call of `{tool}` at node {node} came back with an error: “{quote}”.",
    "Node {node} (`{tool}`) did not succeed; it returned “{quote}”.",
)
_FAILED_EARLIER = (
    "In round {round}, node {node} (`{tool}`) had failed already: “{quote}”.",
    "Back in round {round}, the call of `{tool}` at node {node} failed with “{quote}”.",
    "Node {node} (`{tool}`) failed in round {round}, saying “{quote}”.",
)
_FAILED_MUTELY = (
    "Node {node} (`{tool}`) failed.",
    "The call of `{tool}` at node {node} ended in a failure.",
    "Node {node} (`{tool}`) came back with an error.",
)
_WORKED = (
    "Node {node} (`{tool}`) succeeded and returned `{key}` as `{quote}`.",
    "The call of `{tool}` at node {node} succeeded, with `{key}` being `{quote}`.",
    "Node {node} (`{tool}`) was successful: its result gives `{quote}` for `{key}`.",
)
_WORKED_BARELY = (
    "Node {node} (`{tool}`) succeeded.",
    "The call of `{tool}` at node {node} was successful.",
    "Node {node} (`{tool}`) went through without an error.",
)
_WORKED_TOGETHER = (
    "In the same round, {nodes} succeeded too.",
    "Without an error as well: {nodes}.",
    "The calls at {nodes} were also successful.",
)

_VERDICTS = {
    "fine": (
        "Nothing has gone wrong: every result can be used.",
        "I find no error anywhere, in the plan or in the results.",
        "All is well so far; there is nothing to repair.",
    ),
    "still": (
        "What failed before still has to be made good.",
        "The earlier failures are not repaired yet.",
        "Some calls still have to be made rightly.",
    ),
    "mended": (
        "What failed before has been made good since.",
        "The earlier failures are repaired, and nothing new has gone wrong.",
        "All later results can be used; the old failures no longer matter.",
    ),
}

_CAUSES = {
    "timeout": (
        "The root cause is node {node}: the call of `{tool}` timed out, through no fault of its "
        "arguments, so it can be made again as it is.",
        "What went wrong here is the timeout at node {node}; `{tool}` was called rightly and the "
        "service did not answer.",
        "The origin of the trouble is node {node}, where `{tool}` timed out; the fault will pass.",
    ),
    "empty": (
        "The root cause is node {node}: `{tool}` was called rightly and returned an empty result.",
        "What went wrong here is node {node}, where `{tool}` gave back nothing, an empty result.",
        "The origin of the trouble is the empty result of node {node}; the call of `{tool}` itself "
        "is right.",
    ),
    "name": (
        "The root cause is node {node}: it names the tool {found}, which is not in the tool list; "
        "the tool is called {wanted}.",
        "What went wrong here is the tool name of node {node}: {found} does not exist, {wanted} "
        "is meant.",
        "The origin of the trouble is node {node}, which calls an unlisted tool, {found}, in place "
        "of {wanted}.",
    ),
    "tool": (
        "The root cause is node {node}: it uses the wrong tool, {found}, where the query needs "
        "{wanted}.",
        "What went wrong here is the choice of tool at node {node}: {found} was selected, though "
        "{wanted} is what serves the query.",
        "The origin of the trouble is node {node}; it calls {found}, which is listed but not the "
        "right tool for this step, {wanted} is.",
    ),
    "missing": (
        "The root cause is a missing call: {where}`{tool}` is not in the plan{wanted}{lost}.",
        "What went wrong here is that the plan lacks a call of `{tool}`{where_too}{wanted}{lost}.",
        "The origin of the trouble is the call of `{tool}`{where_too}, which is missing from the "
        "plan{wanted}{lost}.",
    ),
    "needless": (
        "The root cause is node {node}: the call of `{tool}` is redundant, nothing in the query "
        "asks for it and nothing uses its result.",
        "What went wrong here is node {node}, a needless call of `{tool}` whose result serves "
        "nothing.",
        "The origin of the trouble is node {node}; `{tool}` is called there without need, for the "
        "query does not ask for it and no node takes its result.",
    ),
    "absent": (
        "The root cause is node {node}: the required parameter `{key}` of `{tool}` is missing; it "
        "should be {wanted}.",
        "What went wrong here is that node {node} calls `{tool}` without `{key}`, which is "
        "required and ought to be {wanted}.",
        "The origin of the trouble is node {node}, whose call of `{tool}` lacks `{key}`; {wanted} "
        "belongs there.",
    ),
    "unknown": (
        "The root cause is node {node}: `{tool}` has no parameter {found}; the value belongs "
        "under {wanted}.",
        "What went wrong here is the parameter name {found} at node {node}: `{tool}` calls it "
        "{wanted}.",
        "The origin of the trouble is node {node}, which gives `{tool}` an unknown parameter, "
        "{found}, in place of {wanted}.",
    ),
    "type": (
        "The root cause is node {node}: its parameter `{key}` is of the wrong type, {found}, where "
        "`{tool}` expects {wanted}.",
        "What went wrong here is the type of `{key}` at node {node}: it is {found} and should be "
        "{wanted} by the schema of `{tool}`.",
        "The origin of the trouble is node {node}; `{tool}` gets {found} for `{key}`, a wrong "
        "type, where {wanted} is right.",
    ),
    "value": (
        "The root cause is node {node}: its parameter `{key}` holds an invalid value, {found}, "
        "where it should be {wanted}.",
        "What went wrong here is the value of `{key}` at node {node}: {found} is not valid for "
        "`{tool}`, {wanted} is meant.",
        "The origin of the trouble is node {node}; `{tool}` gets {found} for `{key}`, which can't "
        "be, in place of {wanted}.",
    ),
    "lost": (
        "The root cause is node {node}: its dependency on {lost} is gone, so it does not wait for "
        "what it needs from there.",
        "What went wrong here is that node {node} lost its dependency on {lost}, whose result "
        "`{tool}` uses.",
        "The origin of the trouble is the missing dependency of node {node} on {lost}; `{tool}` "
        "takes its input from there.",
    ),
    "wrong": (
        "The root cause is node {node}: it depends on {gained} where it should depend on {lost}, "
        "whose result it uses.",
        "What went wrong here is a wrong dependency: node {node} waits for {gained} in place of "
        "{lost}.",
        "The origin of the trouble is node {node}, which was made to depend on {gained}; what "
        "`{tool}` needs comes from {lost}.",
    ),
    "early": (
        "The root cause is node {node}: it runs in parallel with {lost}, though it depends on that "
        "result.",
        "What went wrong here is that node {node} does not depend on {lost} and so runs beside "
        "it, before the input of `{tool}` is there.",
        "The origin of the trouble is node {node}, scheduled in parallel with {lost} whose result "
        "`{tool}` uses.",
    ),
    "wait": (
        "The root cause is node {node}: it depends on {gained} without any need, so it is made to "
        "run one after the other.",
        "What went wrong here is a needless dependency: node {node} waits for {gained}, which is "
        "independent of it.",
        "The origin of the trouble is node {node}, serialised behind {gained} though `{tool}` uses "
        "nothing from there.",
    ),
    "blamed": (
        "The root cause is node {node}: its parameter `{key}` is wrong, being {found}.",
        "What went wrong here is `{key}` at node {node}: {found} is wrong for `{tool}`.",
        "The origin of the trouble is node {node}; `{tool}` gets a wrong `{key}`, {found}.",
    ),
    "blamed_bare": (
        "The root cause is node {node}: it should not call `{tool}`.",
        "What went wrong here is node {node}, whose call of `{tool}` is wrong.",
        "The origin of the trouble is node {node}; `{tool}` is wrong there.",
    ),
}
_EVIDENCE = (
    "Its message “{quote}” shows it.",
    "The evidence is what it returned: “{quote}”.",
    "That agrees with “{quote}”.",
)
_MADE_UP = (
    "In node {node}, `{key}` holds a made-up value in place of a result that never came.",
    "The value of `{key}` in node {node} was invented for want of a result.",
    "Node {node} goes on with an invented `{key}`.",
)
_AFFECTED = (
    "Downstream, {nodes} can't be right because of this.",
    "This affects {nodes} downstream.",
    "The impact reaches {nodes} further down.",
)
_UNAFFECTED = (
    "Nothing downstream is affected.",
    "No other node is affected downstream.",
    "There is no impact on any later node.",
)

_CHANGES = {
    "mark": (
        "I mark {nodes} as executed.",
        "{Nodes}: sent, so the status becomes true.",
        "The status of {nodes} is now true.",
    ),
    "keep": (
        "I keep {nodes} as planned.",
        "{Nodes}: left unchanged.",
        "I leave {nodes} as in the previous plan.",
    ),
    "tool": (
        "I change the tool of {nodes} from `{text}` to `{tool}`.",
        "In {nodes} I call `{tool}` in place of `{text}`.",
        "For {nodes} I replace the tool `{text}` with `{tool}`.",
    ),
    "set": (
        "In {nodes} I set `{key}` to {text}.",
        "I give {nodes} {text} for `{key}`.",
        "For {nodes}, `{key}` becomes {text}.",
    ),
    "unset": (
        "In {nodes} I remove the parameter `{key}`.",
        "I take `{key}` out of {nodes}.",
        "For {nodes}, `{key}` is removed.",
    ),
    "rename": (
        "In {nodes} I rename the parameter `{key}` to `{text}`.",
        "I change the parameter name `{key}` of {nodes} to `{text}`.",
        "For {nodes}, the parameter `{key}` is renamed `{text}`.",
    ),
    "rewire": (
        "I let {nodes} depend on {others}.",
        "I change the dependencies of {nodes} to {others}.",
        "I rewire {nodes}: from now on it depends on {others}.",
    ),
    "again": (
        "I call `{tool}` again as {nodes}, in place of node {text}{after}.",
        "I add {nodes}, which repeats the work of node {text} with `{tool}`{after}.",
        "To replace node {text}, I call `{tool}` again as {nodes}{after}.",
    ),
    "add": (
        "I add the missing call of `{tool}` as {nodes}{after}.",
        "I insert {nodes}, a call of `{tool}`, which was lacking{after}.",
        "The lost `{tool}` call comes back; I add it as {nodes}{after}.",
    ),
    "extra": (
        "I add a further call of `{tool}` as {nodes}{after}.",
        "I also add {nodes}, another call of `{tool}`{after}.",
        "Besides, I add `{tool}` once more as {nodes}{after}.",
    ),
    "recall": (
        "{Nodes} (`{tool}`) is still to be executed.",
        "I leave {nodes} (`{tool}`) as not executed.",
        "The status of {nodes} (`{tool}`) stays false.",
    ),
    "redo": (
        "I call {nodes} (`{tool}`) again.",
        "I repeat the call of `{tool}` at {nodes}.",
        "{Nodes} (`{tool}`) is called once more.",
    ),
    "drop": (
        "I drop {nodes} (`{tool}`).",
        "I remove {nodes} (`{tool}`) from the plan.",
        "{Nodes} (`{tool}`) is removed.",
    ),
    "response": (
        "The response now waits for {others}.",
        "I let the response depend on {others}.",
        "I connect the response to {others}.",
    ),
    "finish": (
        "All that is left is the response, after {others}.",
        "Only the response remains, which rests on {others}.",
        "I go on to the response, which depends on {others}.",
    ),
}


def write(facts: Facts, lots: Random) -> str:
    """Return the claims as a text, in phrasings drawn by ``lots``."""
    sentences = [
        *_plan(facts, lots),
        *_results(facts.seen, facts.round, lots),
        *_diagnosis(facts, lots),
        *(_change(change, lots) for change in facts.changes),
    ]
    return " ".join(sentences)


def _plan(facts: Facts, lots: Random) -> list[str]:
    sentences = []
    if facts.tools:
        tools = _joined([_TOOL.format(node=node, tool=tool) for node, tool in facts.tools])
        sentences.append(lots.choice(_TOOLS).format(tools=tools))
    if facts.edges:
        edges = _joined(
            [lots.choice(_EDGE).format(node=listed([a]), other=listed([b])) for a, b in facts.edges]
        )
        sentences.append(lots.choice(_EDGES).format(edges))
    return sentences


def _results(seen: Sequence[Seen], now: int, lots: Random) -> list[str]:
    sentences = []
    worked: list[Seen] = []
    for one in seen:
        if not one.failed:
            worked.append(one)
            continue
        templates = _FAILED if one.round == now else _FAILED_EARLIER
        if not one.quote:
            templates = _FAILED_MUTELY
        sentences.append(_filled(lots.choice(templates), one))
    for one in worked[:2]:
        templates = _WORKED if one.quote and one.key else _WORKED_BARELY
        sentences.append(_filled(lots.choice(templates), one))
    if worked[2:]:
        nodes = listed([one.node for one in worked[2:]])
        sentences.append(lots.choice(_WORKED_TOGETHER).format(nodes=nodes))
    return sentences


def _filled(template: str, one: Seen) -> str:
    return template.format(
        round=one.round, node=one.node, tool=one.tool, quote=one.quote, key=one.key
    )


def _diagnosis(facts: Facts, lots: Random) -> list[str]:
    if not facts.causes:
        sentences = [lots.choice(_VERDICTS[facts.verdict])]
    else:
        sentences = []
        for cause in facts.causes:
            sentences.append(_cause(cause, lots))
            if cause.quote:
                sentences.append(lots.choice(_EVIDENCE).format(quote=cause.quote))
    for node, key in facts.made_up:
        sentences.append(lots.choice(_MADE_UP).format(node=node, key=key))
    if facts.affected:
        sentences.append(lots.choice(_AFFECTED).format(nodes=listed(facts.affected)))
    elif facts.causes:
        sentences.append(lots.choice(_UNAFFECTED))
    return sentences


def _cause(cause: Cause, lots: Random) -> str:
    what, lost, wanted = cause.what, listed(cause.lost), cause.wanted
    if what == "blamed" and not cause.key:
        what = "blamed_bare"
    if what == "missing":
        lost = f"; {lost} needed its result" if lost else ""
        wanted = f" (with {wanted})" if wanted else ""
    return lots.choice(_CAUSES[what]).format(
        node=cause.node,
        tool=cause.tool,
        key=cause.key,
        found=cause.found,
        wanted=wanted,
        lost=lost,
        gained=listed(cause.gained),
        where=f"node {cause.node}, calling " if cause.node else "a call of ",
        where_too=f" (it was node {cause.node})" if cause.node else "",
    )


def _change(change: Change, lots: Random) -> str:
    nodes, others = listed(change.nodes), listed(change.others)
    return lots.choice(_CHANGES[change.verb]).format(
        nodes=nodes,
        Nodes=nodes[:1].upper() + nodes[1:],
        tool=change.tool,
        key=change.key,
        text=change.text,
        others=others,
        after=f", after {others}" if others else "",
    )


def _joined(parts: Sequence[str]) -> str:
    head = ", ".join(parts[:-1])
    return f"{head} and {parts[-1]}" if head else parts[-1]
