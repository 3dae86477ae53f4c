"""What a thought says: its sentences, and which tasks, tools, values and actions each names.

A thought is free text, so this reads what can be read for certain (ids, tool names,
quotations, numbers, a small vocabulary of deeds and failures) and nothing else. Two
thoughts with the same facts in other words read alike as far as that goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

APOSTROPHE = "\u2019"

ADD = "add"
AGAIN = "again"
KEEP = "keep"
FIX = "fix"
REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence.

    Attributes:
        text: as written.
        nodes: tasks that it names, in order: by id, or, where it names none so, by the
            name of a tool that only one task calls.
        ids: those named by id.
        unknown: ids that it calls tasks and that no plan has.
        tools: tool names in it.
        fails: it says that something failed, is wrong, missing or needless.
        succeeds: it says that something went well.
        deeds: what it says that the plan does: `ADD`, `AGAIN`, `KEEP`, `FIX`, `REMOVE`.
        reasons: it gives a cause.
        spreads: it speaks of what follows for other tasks.
        waits: (task, the task that it is said to wait for, whether that is denied).
        pairs: (id, tool) where it says which tool a task calls.
    """

    text: str
    nodes: tuple[str, ...]
    ids: tuple[str, ...]
    unknown: tuple[str, ...]
    tools: tuple[str, ...]
    fails: bool
    succeeds: bool
    deeds: tuple[str, ...]
    reasons: bool
    spreads: bool
    waits: tuple[tuple[str, str, bool], ...]
    pairs: tuple[tuple[str, str], ...]

    @property
    def diagnoses(self) -> bool:
        """Whether it speaks of what went wrong, rather than only of what is done now."""
        return self.fails and (not self.deeds or self.reasons)


@dataclass(frozen=True, slots=True)
class Names:
    """What a thought may name.

    Attributes:
        nodes: tool by id, for every task of the plans at hand.
        tools: every tool name at hand.
        bare: ids that stand for nothing else in the row, so that a number alone is one.
    """

    nodes: Mapping[str, frozenset[str]]
    tools: frozenset[str]
    bare: frozenset[str] = frozenset()

    def lonely(self) -> dict[str, str]:
        """Return, for each tool that one task alone calls, that task."""
        users: dict[str, list[str]] = {}
        for node, names in self.nodes.items():
            for name in names:
                users.setdefault(name, []).append(node)
        return {tool: nodes[0] for tool, nodes in users.items() if len(nodes) == 1}


def sentences(thought: str, names: Names) -> list[Sentence]:
    """Split a thought into sentences and read each.

    What stands under a heading of impact speaks of it too, and a sentence that names no task
    may speak of those that the one before named.
    """
    lonely = names.lonely()
    thought = _LONG_WORD.sub(r"\1", _LONG_GAP.sub(" ", thought.replace(APOSTROPHE, "'")))
    found: list[Sentence] = []
    under_impact = False
    for line in thought.splitlines():
        if _OBJECT.match(line):
            line = _MEMBER.sub(_told_member, line)
        if _HEADING.match(line):
            under_impact = _says(_SPREADS, line)
        for text in split(line):
            sentence = _read(text, names, lonely)
            if found and _BACK_TO_ALL.match(text):
                sentence = replace(sentence, nodes=(*sentence.nodes, *found[-1].nodes))
            elif found and not sentence.nodes and not sentence.tools:
                sentence = replace(sentence, nodes=_meant(text, sentence, found[-1]))
            if under_impact and not sentence.deeds and not negates_impact(text):
                sentence = replace(sentence, spreads=True)
            found.append(sentence)
    return found


# What nobody writes; some patterns take quadratic time on it.
_LONG_WORD = re.compile(r"([\w.\-]{200})[\w.\-]+")
_LONG_GAP = re.compile(r"[^\S\n]{20,}")


def _meant(text: str, sentence: Sentence, last: Sentence) -> tuple[str, ...]:
    """Return the tasks that a sentence which names none speaks of.

    "It" is the first that the sentence before named; and what is wrong without a subject is
    wrong with the only one that was named.
    """
    alone = sentence.fails and len(last.nodes) == 1 and not last.succeeds and not last.deeds
    return last.nodes[:1] if alone or _BACK.match(text) else ()


# What JSON quotes are the writer's own words, but for a message or a piece of evidence.
_OBJECT = re.compile(r'[\s{\[]*"\w+"\s*:')
_MEMBER = re.compile(r'"(\w+)"\s*:\s*(?:"((?:[^"\\]|\\.)*)")?')
_CITING = re.compile(r"error|message|quote|evidence|observ|detail", re.IGNORECASE)


def _told_member(match: re.Match[str]) -> str:
    """Return a member of a JSON object as one would write it in a sentence."""
    key, value = match[1].replace("_", " "), match[2]
    if value is None:
        return f"{key}: "
    return f"{key}: " + (f'"{value}"' if _CITING.search(key) and " " in value else value)


_BACK_TO_ALL = re.compile(r"(?:they|these|those|both|all of them)\b", re.IGNORECASE)
_BACK = re.compile(
    r"(?:\w+: )?"
    r"(?:it|its|this|that|(?:the )?result|(?:the|this|that) (?:call|task|node|request|one))\b"
    r"(?! (?:round|turn)\b)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\s*(?:#+\s.*|\*\*[^*]*\*\*:?\s*|[^:]{1,40}:\s*)$")
_END = re.compile(r"(?:(?<=[.!?;])|(?<=[.!?;][\"'”\u2019`)\]]))\s+(?=[A-Z0-9\"'`(\-•#])")
_BULLET = re.compile(r"^\s*(?:#+|[-*•]|\d+[.)])\s+")
_STRESS = re.compile(r"\*\*|__(?=\W|$)|(?<!\w)__")


def split(thought: str) -> list[str]:
    """Split a text into sentences; list items and lines stand apart."""
    pieces = (
        piece.strip()
        for line in thought.splitlines()
        for piece in _END.split(_STRESS.sub("", _BULLET.sub("", line)))
    )
    return [piece for piece in pieces if any(map(str.isalnum, piece))]


_HEAD = r"(?:\b(?:nodes?|tasks?|calls?|steps?|ids?)(?:\b|(?=_?\d))\s*(?:no\.|[:#_\-])?|#)\s*"
# Atomic: to give back a part of an id never helps, and trying takes forever on long words.
_ID = r"(?>[\w.\-]*\d[\w\-]*)"
_ITEM = rf"[`\"'(\[]*{_ID}[`\"')\]]*"
_NOTE = r"(?:\s*\([^()]*\))?"
_AND = r"(?:,\s*and|,\s*or|,|and|or|&|/|-+>|=>|→|as well as)"
_LIST = re.compile(
    rf"{_HEAD}{_ITEM}(?:{_NOTE}\s*{_AND}\s*(?:{_HEAD})?{_ITEM})*",
    re.IGNORECASE,
)
_TASK_WORD = re.compile(r"(?:nodes?|tasks?)\b", re.IGNORECASE)
_TOKEN = re.compile(_ID)
_PARENTHESES = re.compile(r"\([^()]*\s[^()]*\)")
# A bare number in quotation marks is a value as often as it is an id.
_MARKED = re.compile(rf"[`\"'](?=[^`\"']*[A-Za-z])({_ID})[`\"']")
_REFERENCE = re.compile(r"([\w.\-]+)#/?")
_IDENTIFIER = re.compile(r"[A-Za-z][\w.\-]*\w")


def _read(text: str, names: Names, lonely: Mapping[str, str]) -> Sentence:
    plain = unquoted(text)
    found: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for match in _LIST.finditer(plain):
        for number, token in enumerate(_TOKEN.findall(_PARENTHESES.sub("", match.group()))):
            id = _known(token.rstrip("."), names)
            if id in names.nodes:
                found[id] = None
            elif number == 0 and _TASK_WORD.match(match.group()):
                # Further numbers of a list may count something else.
                unknown[id] = None
    for match in (*_MARKED.finditer(plain), *_REFERENCE.finditer(plain)):
        if match[1] in names.nodes:
            found[match[1]] = None
    words = _IDENTIFIER.findall(plain)
    for word in words:
        id = _known(word, names)
        if id in names.nodes and any(char.isdigit() for char in word):
            found[id] = None
    for match in _RUN.finditer(plain):
        run = re.findall(r"\d+", match.group())
        # Of numbers in a row all are ids, where one can be nothing else.
        if names.nodes.keys() >= set(run) and any(len(id) > 1 and id in names.bare for id in run):
            found.update(dict.fromkeys(run))
    for match in _SUBJECT.finditer(plain):
        id = match[1] or match[2]
        first = match[1] and plain[: match.start()].rstrip()[-1:] in ("", ",", ";", ":")
        if id in names.bare or (first and len(id) > 1 and id in names.nodes):
            found[id] = None
    for match in _BARE.finditer(plain):
        id = match[2]
        beside = {match[1], match[3]} & names.nodes.get(id, frozenset())
        ticked = plain[match.start(2) - 1 : match.start(2)] == "`"
        if id in names.nodes and (beside or (id in names.bare and (ticked or len(id) > 1))):
            found[id] = None
    tools = tuple(dict.fromkeys(word for word in words if word in names.tools))
    by_tool = {lonely[tool]: None for tool in tools if tool in lonely}
    prose = _prose(text)
    return Sentence(
        text,
        # Who names a task that isn't there does not mean another one that calls the tool.
        tuple(found or ({} if unknown else by_tool)),
        tuple(found),
        tuple(unknown),
        tools,
        _says(_FAILS, prose),
        _says(_SUCCEEDS, prose),
        tuple(deed for deed, pattern in _DEEDS.items() if _says(pattern, _NO_DEED.sub("", prose))),
        _REASONS.search(prose) is not None or _says(_FAILS, _before_arrow(prose)),
        _says(_SPREADS, prose),
        tuple(_dependencies(text)) if found and _LINKS.search(text) else (),
        tuple(_pairings(text, tools)) if found and tools else (),
    )


_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|`[^`]*`|(?<!\w)'[^'\n]*'(?!\w)")


_BARE = re.compile(
    r"(?:([A-Za-z]\w+)`?\s*[(\[|]\s*)?(?<![\w.,:/#$€£%-])(\d+)(?![\w%]|[.,:/-]\d)"
    r"(?:`?\s*[(|]\s*`?([A-Za-z]\w+))?"
)
_RUN = re.compile(
    rf"(?<![\w.,:/#$%-])`?\d+`?(?:{_NOTE}\s*{_AND}\s*`?\d+`?(?![\w%#]|[.,:/-]\d))+", re.IGNORECASE
)
# A number that does something, or stands in parentheses after a word, counts nothing.
_SUBJECT = re.compile(
    r"(?:^|(?<=[\s(]))(\d+)"
    r"(?=:\s|\s*(?:→|-+>)|\s+(?:is|was|has|had|can|will|would|should|must|now|only|also|then|"
    r"returns?|returned|gives?|gave|takes?|took|reads?|uses?|needs?|waits?|depends?|runs?|ran|"
    r"fails?|failed|succeeded|works?|worked|timed|came|comes|finished|answered|bounced|"
    r"(?:had|has|did|does|is|was|could|would)n't)\b(?!-))|\w \((\d+)\)"
)
_PREFIX = re.compile(r"(?:node|task|call|step|id)[-_#]?(?=\d)", re.IGNORECASE)


def _known(token: str, names: Names) -> str:
    """Return an id as the plans spell it: ``node-12`` and ``node12`` for 12 too."""
    return token if token in names.nodes else _PREFIX.sub("", token)


def unquoted(text: str) -> str:
    """Return a sentence without its quotations, whose words are somebody else's.

    A single name in quotation marks is no quotation.
    """
    return _QUOTED.sub(lambda match: match[0] if _NAME.fullmatch(match[0][1:-1]) else " … ", text)


_NAME = re.compile(r"(?:(?:node|task|call|step|id)s?\s+)?[\w.\-]+", re.IGNORECASE)


def _prose(text: str) -> str:
    """Return a sentence without quotations and names of tools or parameters.

    "What node 7 returned" names a thing and claims nothing.
    """
    for mark, word in _MARKS.items():
        text = text.replace(mark, word)
    return _WHAT_CAME.sub("…", _SNAKE.sub("…", _QUOTED.sub("…", text)))


_MARKS = {
    **dict.fromkeys("\u2705\u2714\u2713", " ok "),
    **dict.fromkeys("\u274c\u2717\u2718", " failed "),
}


_WHAT_CAME = re.compile(r"\bwhat (?:[\w,]+ ){1,8}returned\b", re.IGNORECASE)


_SNAKE = re.compile(r"\w+_\w+")


def _before_arrow(prose: str) -> str:
    """Return what stands before an arrow to what is done about it, if that is no deed itself."""
    head, *tail = re.split(r"\s(?:→|-+>|=>)\s", prose, maxsplit=1)
    return head if tail and not any(_says(pattern, head) for pattern in _DEEDS.values()) else ""


# "Node 2 already points at it" tells of no deed, "I leave the rest" of none to a task named.
_NO_DEED = re.compile(
    r"\balready \w+|\b(?:leav\w+|keep\w*|kept) (?:the (?:rest|others?)|everything else)\b[^.,;]*|"
    r"\b(?:the rest|everything else) (?:stays|remains|is (?:left|kept))\b[^.,;]*",
    re.IGNORECASE,
)


_NEGATION = re.compile(
    r"\b(?:no|not|n't|never|nothing|none|neither|without|nobody|\w+n't|cannot)"
    r"[^\w,;:|]+(?:\w+[^\w,;:|]+){0,3}$",
    re.IGNORECASE,
)


def _says(pattern: re.Pattern[str], text: str) -> bool:
    """Tell whether one of the pattern's words stands in a text without a negation before it."""
    return any(not _NEGATION.search(text[: match.start()]) for match in pattern.finditer(text))


def _words(*stems: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(stems)})", re.IGNORECASE)


# What can't be undone is past: it says nothing of what goes wrong.
_UNDONE = r"be (?:\w+ )?(?:undone|repaired|helped|recovered|reversed|taken back|won back)"
_FAILS = _words(
    r"fail", r"errors?\b", r"errone", r"timed[ -]out", r"time[ -]?outs?\b", r"timing out",
    r"empty\b", r"came back with nothing", r"returned nothing", r"nothing (?:came|was|back)",
    r"no (?:data|result|content|answer|reply|response|entr|record|value)", r"invalid",
    r"illegal", r"impossible", r"not valid", r"reject", r"refus", r"wrong", r"mistake",
    r"incorrect", r"fault", r"broken", r"bad\b", r"missing", r"lacks?\b", r"lacking", r"lost\b",
    r"omit", r"absent", r"left out", r"skipped", r"forgot", r"never (?:made|called|planned)",
    r"redundan", r"needless", r"unnecessar", r"superfluous", r"duplicat", r"not needed",
    r"no (?:use|purpose|need)", r"serves? nothing", r"adds? nothing", r"nobody (?:needs|uses)",
    r"unknown", r"not (?:in|on) (?:the|our) (?:tool )?list", r"unlisted", r"no such",
    r"not listed", r"does(?:n't| not) exist", r"misspel", r"typo", r"should (?:be|have|not)",
    r"must (?:be|not)", r"instead of", r"rather than", r"no longer (?:waits?|depends?)",
    rf"(?:cannot|can't)(?! {_UNDONE})", r"could(?:n't| not)", r"unusable", r"unreliable",
    r"untrustworthy",
    r"mismatch", r"violat", r"breaks?\b", r"not (?:supported|accepted|allowed|found|available)",
    r"too (?:early|late)", r"out of (?:range|order)", r"premature", r"never ran", r"problem",
    r"root cause", r"culprit", r"to blame", r"slip(?:ped)?\b", r"not what", r"waits? for nothing",
    r"without (?:waiting|need|any need)", r"misplaced", r"trouble", r"in parallel with",
    r"serialised", r"serialized", r"made[ -]up", r"invented",
    r"complain", r"undefined", r"inefficien", r"not (?:sent|executed|answered)\b",
    r"did(?:n't| not) (?:go through|succeed|work|run|return|answer|respond|deliver|provide|give)",
    r"(?:is|are|was|were)(?:n't| not) (?:in|on|among|part of|listed|known|available|defined|a)\b",
    r"no dependenc", r"success\W{0,4}false", r"(?:only|just|merely|simply) repeats?\b",
    r"there(?:'s| is| are) no (?!other|further|more|error|problem|issue|fault|need|impact)"
    r"[^.]{0,30}\b(?:call|task|node|step)\b",
    r"went astray", r"defect", r"damag", r"tainted", r"without need", r"unresolved", r"surplus",
    r"malformed", r"can not\b", r"turned down", r"corrupt", r"no counterpart", r"overlook",
    r"not (?:the )?(?:correct|right)\b",
    r"for no (?:good )?reason", r"no [^.,;]{0,30}\bcall (?:was|is|has been) (?:ever )?"
    r"(?:scheduled|planned|made|issued)",
    r"(?:al)?though (?:it|this|that) (?:\w+ )?(?:takes?|uses?|needs?|reads?) (?:nothing|no|none)\b",
)  # fmt: skip
_SUCCEEDS = _words(
    r"succe(?!ss\W{0,4}false)", r"worked\b", r"went (?:well|fine|through|as)", r"completed\b",
    r"came back (?:fine|well|as expected)",
    r"returned\b", r"(?<!user )(?<!query )gave\b", r"gives? us\b", r"delivered\b", r"retrieved\b",
    r"finished\b", r"(?:nothing|no (?:call|node|task)|none of them) (?:\w+ )?failed",
    r"success\b(?!\W{0,4}false)", r"status: (?:done|completed?)",
    r"answered\b", r"as expected", r"in order\b",
    r"fine\b",
    r"(?:without|no) (?:an? |any )?(?:error|failure|problem|trouble|issue)",
    r"ok\b", r"okay\b", r"usable", r"holds? up", r"good\b", r"correctly\b", r"all (?:is )?well",
)  # fmt: skip
_DEEDS = {
    ADD: _words(r"add(?:s|ing|ed)?\b", r"insert", r"introduc", r"creat", r"new (?:node|task|call)"),
    AGAIN: _words(
        r"again\b", r"anew\b", r"retr(?:y|ies|ied)", r"re-?run", r"re-?call", r"re-?execut",
        r"re-?issu", r"re-?send", r"repeat(?:ing)?\b",
        r"(?:I|we|it|which|that|and) repeats\b", r"once more", r"re-?do\b", r"second time",
        r"a fresh call",
    ),
    KEEP: _words(
        r"keep", r"kept\b", r"leav(?:e|es|ing)\b", r"unchanged", r"untouched", r"stays?\b",
        r"remains?\b", r"as (?:it|they) (?:is|are|stands?)\b",
    ),
    FIX: _words(
        r"fix", r"correct(?:s|ing|ed)?\b", r"repair", r"set(?:s|ting)?\b(?! up\b)",
        r"chang", r"replac",
        r"renam", r"restor", r"rewir", r"re-?attach", r"updat", r"adjust(?!er)", r"swap",
        r"point(?:s|ing)?\b",
        r"put(?:s|ting)? back", r"turn(?:s|ing)?\b", r"mak(?:e|es|ing)\b(?! sure)",
        r"supply", r"supplie", r"fill", r"let(?:s|ting)?\b(?! (?:me|us)\b|'s\b)",
        r"re-?connect", r"hook", r"redirect", r"amend", r"modif",
    ),
    REMOVE: _words(
        r"remov", r"drop(?:s|ping|ped)?\b", r"delet", r"discard", r"cancel", r"tak(?:e|es|ing) out",
        r"cut(?:s|ting)? out", r"get(?:s|ting)? rid", r"strik(?:e|es|ing)\b", r"throw",
    ),
}  # fmt: skip
_REASONS = _words(
    r"because", r"since\b", r"due to", r"caus", r"owing to", r"as a result of", r"stems? from",
    r"comes? from", r"came from", r"goes back to", r"root", r"reason", r"source of", r"origin",
    r"traces? back", r"behind (?:it|this|that)", r"culprit", r"to blame", r"started (?:at|with|in)",
    r"instead of", r"rather than", r"should (?:be|have)", r"but (?:the|it|its|that|needs?|must)\b",
)  # fmt: skip
_ROOTS = _words(
    r"root", r"caused by", r"due to", r"stems? from", r"comes? from", r"came from",
    r"goes back to", r"source of", r"origin", r"traces? back", r"culprit", r"to blame",
    r"started (?:at|with|in)", r"real (?:cause|reason|fault|problem)", r"fault (?:lies|is|sits)",
    r"because of\b(?! (?:this|that|it)\b)",
)  # fmt: skip
_SPREADS = _words(
    r"affect", r"downstream", r"consequen", r"propagat", r"therefore", r"in turn", r"inherit",
    r"block", r"built on", r"builds? on", r"based on", r"rel(?:y|ies) on", r"taint", r"unreliable",
    r"as a result\b(?! of)", r"hence", r"carr(?:y|ies|ied)", r"spread", r"reach",
    r"hits?\b",
    r"suffer", r"impact", r"drag", r"also (?:wrong|fail|invalid|unusable)",
    r"follow(?:s|ing)? from",
    r"knock", r"cascade", r"pass(?:es|ed)? on", r"touch", r"feeds?\b",
    rf"(?:cannot|can not|can't|could not|couldn't) (?!{_UNDONE})(?:\w+ )?"
    r"(?:be|run|come|work|compare|proceed|continue|start|go|complete|get|resolve|find|use)\b",
    r"(?:would|will) (?:also |then |both |all |likewise )*(?:fail|break|be (?:wrong|left|rejected|"
    r"unresolved|invalid|empty|stuck)|have no|get no|lack|corrupt|meet)", r"same fate",
    r"stuck\b", r"starv", r"stall", r"worthless", r"useless", r"in vain",
    r"for (?:the )?others\b", r"without (?:it|that)\b", r"would never",
    r"hangs? (?:on|off)\b", r"follow-?(?:up|on) of", r"because of (?:this|that)\b", r"corrupt",
)  # fmt: skip


def breaks_down(sentence: Sentence) -> bool:
    """Tell whether a sentence says that a call itself failed, not only that it was wrong."""
    return _says(_BREAKS_DOWN, _prose(sentence.text))


_BREAKS_DOWN = _words(
    r"failed\b", r"fails\b", r"timed out", r"errored", r"crashed", r"did(?:n't| not) succeed",
    r"(?:came|comes) back with an? (?:error|failure)", r"(?:returned|gave|got|hit) an? error",
    r"ended in (?:an? )?(?:failure|error)", r"was (?:rejected|refused)",
    r"time-?out", r"timing out", r"empty", r"returned nothing",
    r"no (?:data|result|content|answer)", r"did(?:n't| not) (?:deliver|return|provide|give)",
)  # fmt: skip


def faults(sentence: Sentence) -> bool:
    """Tell whether a sentence calls something plainly wrong."""
    return _says(_FAULTS, _prose(sentence.text))


_FAULTS = _words(
    r"(?:is|are|was|were|has|with|:|the) (?:an? |the )?(?:wrong|incorrect|malformed|invalid)",
    r"wrong\b", r"redundant", r"superfluous", r"culprit",
)  # fmt: skip


def blames(sentence: Sentence) -> bool:
    """Tell whether a sentence names a root cause."""
    return _says(_ROOTS, _prose(sentence.text))


def negates_impact(text: str) -> bool:
    """Tell whether a text says that nothing downstream is affected."""
    return _NO_IMPACT.search(text) is not None


_NO_IMPACT = re.compile(
    r"\b(?:no(?:thing| other| further| task| node| call| one)?|none|neither)\b[^.!?\n]{0,60}"
    r"(?:affect|downstream|depend|impact|hit\b|touch|suffer|harm|consequence|follow|damag|build)"
    r"|(?:affect|hits?|touch|harm|impact)\w*\s+(?:nothing|no (?:other|further))"
    r"|no (?:downstream|further|other) (?:impact|effect|consequence|damage|task|node|call)"
    r"|(?:damage|harm|effect) (?:ends|stops|stays)"
    r"|(?:impact|affected|downstream|radius|side[ -]effects?)\W{1,6}(?:none|nothing|nobody)\b",
    re.IGNORECASE,
)

_SIDE = rf"(?:{_HEAD})?[`\"'(]*({_ID})[`\"')]*(?:\s*\(([^()]*)\))?"
_DEPENDS = re.compile(
    rf"{_SIDE}\s+(?:(?:now|still|also|really|directly|only|then|rightly|in turn)\s+)*"
    r"(not\s+|no longer\s+|never\s+|doesn't\s+|does not\s+|should not\s+|needn't\s+)?"
    r"(?:depends?\s+on|waits?\s+for|wait\s+for|relies\s+on|builds?\s+on|"
    r"(?:takes?|uses?|reads?|needs?)\s+(?:the\s+)?(?:results?\s+of|outputs?\s+of|something\s+from|its\s+input\s+from|input\s+from)|"
    r"(?:comes?|runs?)\s+after)\s+"
    rf"{_SIDE}",
    re.IGNORECASE,
)
_FEEDS = re.compile(
    rf"{_SIDE}\s+(?:(?:now|still|also|directly)\s+)*(?:feeds|is\s+needed\s+by|is\s+used\s+by)\s+"
    rf"(?:into\s+)?{_SIDE}",
    re.IGNORECASE,
)


_LINKS = re.compile(
    r"depend|waits?\b|rel(?:y|ies)\b|builds?\b|results?\b|outputs?\b|\bfrom\b|after\b|feeds|"
    r"needed by|used by",
    re.IGNORECASE,
)


def _dependencies(text: str) -> Iterator[tuple[str, str, bool]]:
    for match in _DEPENDS.finditer(text):
        yield match[1].rstrip("."), match[4].rstrip("."), match[3] is not None
    for match in _FEEDS.finditer(text):
        yield match[3].rstrip("."), match[1].rstrip("."), False


_PAIR = re.compile(
    rf"{_HEAD}[`\"']?({_ID})[`\"']?\s*(?:,?\s*\(|:\s*|,\s+(?:the\s+)?(?:call\s+of\s+)?|\s+calls?\s+|\s+is\s+)"
    r"[`\"']?([A-Za-z][\w.\-]*)",
    re.IGNORECASE,
)
_PAIR_BACK = re.compile(
    rf"([A-Za-z][\w.\-]*)[`\"']?\s*(?:\(|\s+in\s+|\s+at\s+){_HEAD}[`\"']?({_ID})",
    re.IGNORECASE,
)


def _pairings(text: str, tools: Sequence[str]) -> Iterator[tuple[str, str]]:
    for match in _PAIR.finditer(text):
        if match[2] in tools:
            yield match[1].rstrip("."), match[2]
    for match in _PAIR_BACK.finditer(text):
        if match[1] in tools:
            yield match[2].rstrip("."), match[1]


_NUMBER = re.compile(r"(?<![\w.#/-])-?\d+(?:[.,:/-]\d+)*(?![\w#])")
_ELLIPSIS = re.compile(r"…|\.\.\.")


def quotations(text: str) -> Iterator[str]:
    """Yield what a text quotes, piece by piece where a quotation is cut short."""
    for match in _QUOTED.finditer(text):
        for piece in _ELLIPSIS.split(match.group()[1:-1]):
            piece = piece.strip(" .,;:!?")
            if len(piece) > 1:
                yield piece


def numbers(text: str) -> Iterator[str]:
    """Yield the numbers of two or more digits that stand outside quotations."""
    for match in _NUMBER.finditer(unquoted(text)):
        if sum(char.isdigit() for char in match.group()) > 1:
            yield match.group()


def codes(text: str) -> Iterator[str]:
    """Yield the ids of things that a text names: letters, a hyphen, digits."""
    yield from _CODE.findall(unquoted(text))


_CODE = re.compile(r"(?<![\w-])[A-Z]{2,}-\d{3,}(?![\w-])")


def identifiers(text: str) -> Iterator[str]:
    """Yield words that can only be names of tools or parameters: they hold ``_`` inside."""
    for word in _IDENTIFIER.findall(unquoted(text)):
        if "_" in word.strip("_"):
            yield word


def joined(texts: Sequence[str]) -> str:
    """Return texts as one, for looking things up in them."""
    text = " ".join(texts).replace(APOSTROPHE, "'").replace('\\"', '"').replace("\\n", " ")
    return " ".join(text.split()).casefold()
