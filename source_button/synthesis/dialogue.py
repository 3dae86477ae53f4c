"""The talk around the calls: system text, the user's wishes, thoughts and answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from source_button.synthesis.composition import Planned
from source_button.synthesis.enactment import Call
from source_button.synthesis.fields import NUMBER_WORDS
from source_button.synthesis.model import look_up, say_result
from source_button.synthesis.registry import Catalogue, Territory
from source_button.synthesis.scene import Scene
from source_button.synthesis.wording import Template, Variable

_INTROS = (
    "You are an expert in using functions (i.e., tools) to solve users' tasks. The functions "
    "available for you to use are detailed below: \n",
    "You are an expert in using functions (i.e., tools) to solve users' tasks. These are the "
    "functions that you can use:\n",
    "You are a capable assistant who solves users' tasks with functions (i.e., tools). The "
    "functions available for you to use are detailed below:\n",
)
_RULES = (
    "\n\nIn your response, you need first provide your observation and thought on the user's "
    "task, the current situation, and what you plan to do next. After your thinking, you can "
    "do following two things:\n**Function Call**: For function calling, you need to provide "
    "the function name and its arguments. The function name must be same as its name in above "
    "function list, and the arguments must obey the format required by the function. Enclose "
    'the function call within the tag "<call></call>". {switch}\n**Final Answer**: When you '
    "believe the task is complete, you may use 'final_answer' to provide a detailed summary of "
    "the results to give to the user, enclose the final answer within the tag "
    '"<final></final>".\n',
    "\n\nIn each response, first give your observation and thought: what the user wants, where "
    "you stand, and what you plan to do next. Then do one of two things:\n**Function Call**: "
    "Give the name of the function, same as in the list above, and arguments in the format "
    'that it requires, inside the tag "<call></call>". {switch}\n**Final Answer**: When the '
    "task is complete, summarise the results for the user inside the tag "
    '"<final></final>".\n',
)
_PARALLEL = (
    "If possible, you can call multiple functions in parallel, be sure the functions called "
    "parallelly are independent of each other."
)
_SINGLE = (
    "You should call one function at a time, and wait for its result before you call another.",
    "You should call one function at a time, do not call several functions in one step.",
)
_GREETINGS = ("Hi, ", "Hello! ", "Hey, ", "", "", "", "Good morning. ", "Hi there! ")
_WISHES = (
    "Could you {}?", "Please {}.", "I'd like you to {}.", "Can you {}?", "I need you to {}.",
    "Would you {}?", "I want you to {}.", "Help me out and {}.",
)  # fmt: skip
# Words of order stand only before wishes that hang on the sentence before, or on all of them.
_FURTHER = (
    "Then {}.", "After that, {}.", "Once that is done, {}.", "Next, {}.", "When you have that, {}.",
    "With that in hand, {}.",
)  # fmt: skip
_BESIDES = (
    "Also, {}.", "Besides, {}.", "I also need you to {}.", "And please {}.", "In addition, {}.",
    "Could you also {}?", "Please also {}.", "I'd like you to {} as well.", "On top of that, {}.",
)  # fmt: skip
_LAST = ("Finally, {}.", "And to wrap it up, {}.", "Last of all, {}.", "At the end, {}.")
_BULLETS = ("-", "*", "•")
_THANKS = (
    "",
    "",
    "",
    "",
    "",
    " Thanks!",
    " Thank you.",
    " Much appreciated.",
    " No rush, but today.",
)
_STARTS = (
    "The user gave me everything I need for this. I will {}.",
    "To begin with, I {}.",
    "There are several wishes here, and this can be done at once: {}.",
    "Let me start with what does not depend on anything else: {}.",
    "I start here: {}.",
    "Nothing is known yet, but I can {}.",
)
_BASES = (
    *_STARTS,
    "First I need to {}.",
    "There are several wishes here; the one everything else builds on comes first: {}.",
    "Nothing is known yet, so the first thing is to {}.",
)
_GOES = (
    "Now I can {}.", "Next I {}.", "The next step is to {}.", "With this I can {}.",
    "That lets me {}.", "So I go on and {}.", "What follows from it is to {}.", "I will now {}.",
    "This is what I needed in order to {}.",
)  # fmt: skip
_TURNS_TO = (
    "I will now {}.",
    "So far, so good. Now I {}.",
    "Another wish is still open: I {}.",
    "I turn to another point and {}.",
    "There is more to do: I {}.",
)
_BESIDE = (
    " These do not depend on each other, so I call them together.",
    " They are independent, so one turn is enough.",
    " None of them needs another's result.",
    " I can do this in parallel.",
    "",
    "",
)
_MORE = (
    "I do the same for the next one.",
    "The next one follows in the same way.",
    "One more of them is left to look at.",
    "I repeat this for the other one.",
)
_CLOSES = (
    "Everything is done.", "That was the last step.", "All the wishes are met.",
    "I have all that was asked for.", "The task is complete.", "Nothing is left to do.",
)  # fmt: skip
_FINALS = (
    "{}",
    "Here is what I did. {}",
    "All done. {}",
    "Done! {}",
    "{} Let me know if anything should change.",
    "To sum up: {}",
)
_QUESTIONS = (
    "Happy to help. Which {} should I use?",
    "One thing is missing before I can go on: the {}. Could you tell me?",
    "Could you give me the {}, please?",
    "I still need the {} for this. What is it?",
)
_REPLIES = ("{}", "{}, please.", "Sure: {}.", "Oh right, {}.", "Please take {}.", "Let's say {}.")
_AGAIN = (
    "Great, thanks. One more thing: {}.", "Perfect. Could you also {}?", "Nice! Please {} as well.",
    "Good. Now {}, please.", "Wonderful. While you are at it, {}.",
)  # fmt: skip
_FACTS = ("The {label} is {value}.", "{label_up}: {value}.", "For the {label}, take {value}.")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asks for in one clause, and the calls that do it."""

    clause: str
    calls: tuple[Call, ...]

    @property
    def layer(self) -> int:
        """The layer of its calls, from 0."""
        return self.calls[0].planned.layer

    def hangs_on(self, earlier: Iterable[Wish]) -> bool:
        """Whether each call depends on every one of the earlier wishes."""
        masks = [sum([1 << call.number for call in wish.calls]) for wish in earlier]
        return all(call.behind & mask for call in self.calls for mask in masks)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the first message, as it stands there, and the wishes it tells."""

    text: str
    wishes: tuple[Wish, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """The messages of a trajectory, and the sentences of wishes in the first of the user's."""

    messages: list[dict[str, str]]
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Manner:
    """What is decided once for a trajectory."""

    parallel: bool
    followed_up: bool
    asks_back: bool
    indented: bool
    spread: bool


def decide_manner(scene: Scene) -> Manner:
    """Draw the switches: parallel off in 15 %, several user messages in 12 %."""
    parallel = scene.random() >= 0.15
    talk = scene.random()
    return Manner(
        parallel=parallel,
        followed_up=talk < 0.06,
        asks_back=0.06 <= talk < 0.17,
        indented=scene.random() < 0.4,
        spread=scene.random() < 0.08,
    )


def arrange_turns(calls: list[Call], manner: Manner, scene: Scene) -> list[list[int]]:
    """The calls of each turn, as indices into `calls`."""
    if not manner.parallel:
        return [[index] for index in range(len(calls))]
    layers: list[list[int]] = []
    for index, call in enumerate(calls):
        layer = call.planned.layer
        while len(layers) <= layer:
            layers.append([])
        layers[layer].append(index)
    turns: list[list[int]] = []
    for calls_of_layer in layers:
        if manner.spread and len(calls_of_layer) > 1 and scene.random() < 0.5:
            # Some assistants do one thing after the other without any need.
            turns += [calls_of_layer[:1], calls_of_layer[1:]]
        else:
            turns.append(calls_of_layer)
    return turns


class Teller:
    """Words of one trajectory; knows what the user has said so far."""

    __slots__ = ("_asked", "_scene", "_territory", "_withheld", "said")

    def __init__(self, scene: Scene, territory: Territory) -> None:
        self._scene = scene
        self._territory = territory
        self._withheld = ""
        self._asked: dict[int, str] = {}
        self.said: set[str] = set()

    def _clause(self, call: Call, template: Template, *, note: bool) -> str:
        scene = self._scene
        planned = call.planned
        said = planned.move.said
        out: list[str] = []
        for part in template.parts:
            if isinstance(part, str):
                out.append(part)
                continue
            if isinstance(part, Variable):
                inner: tuple[str | Variable, ...] = (part,)
            else:
                if not all(self._can_say(call, name) for name in part.names):
                    continue
                inner = part.parts
            for piece in inner:
                if isinstance(piece, str):
                    out.append(piece)
                elif piece.name == "lanes":
                    out.append(NUMBER_WORDS[planned.lanes])
                elif piece.name == "@thing":
                    pool = next(iter(planned.roles.values()))
                    out.append(self._territory.nouns[pool])
                elif piece.name == "@occasion":
                    pool = next(iter(planned.roles.values()))
                    out.append(self._territory.occasions[pool])
                else:
                    name = said.get(piece.name, piece.name)
                    out.append(scene.speak(name))
                    if note:
                        self.said.add(name)
        return "".join(out)

    def _can_say(self, call: Call, name: str) -> bool:
        said = call.planned.move.said
        if name in said:
            return name in call.arguments and said[name] != self._withheld
        return name in self._scene.slots and name != self._withheld

    def choose_withheld(self, calls: list[Call]) -> str:
        """A value that the user may leave out at first: one that no wording must have."""
        used = {name for call in calls for name in call.slots}
        must: set[str] = set()
        for call in calls:
            move = call.planned.move
            for template in move.ask:
                must.update(move.said.get(name, name) for name in template.names)
        free = [name for name in self._scene.wanted if name in used and name not in must]
        self._withheld = self._scene.pick(free) if free else ""
        return self._withheld

    def ask(self, calls: list[Call]) -> list[Wish]:
        """One wish for each planned step of the calls, in their order."""
        lanes: dict[int, list[Call]] = {}
        for call in calls:
            lanes.setdefault(id(call.planned), []).append(call)
        wishes: list[Wish] = []
        for step, members in lanes.items():
            first = members[0]
            clause = self._clause(first, self._scene.pick(first.planned.move.ask), note=True)
            self._asked[step] = clause
            wishes.append(Wish(clause, tuple(members)))
        return wishes

    def tell_rest(self, calls: list[Call]) -> list[str]:
        """Sentences for the values that the clauses did not mention."""
        scene = self._scene
        used = {name for call in calls for name in call.slots}
        return [
            self.tell(name)
            for name in scene.wanted
            if name in used and name not in self.said and name != self._withheld
        ]

    def tell(self, name: str) -> str:
        """A sentence that tells one value."""
        scene = self._scene
        self.said.add(name)
        value = scene.speak(name)
        facts = self._territory.facts.get(name)
        if facts is not None:
            parts = scene.pick(facts).parts
            return "".join(
                [scene.speak(p.name) if isinstance(p, Variable) else str(p) for p in parts]
            )
        label = _label(name, scene)
        return scene.pick(_FACTS).format(
            label=label, label_up=label[0].upper() + label[1:], value=value
        )

    def query(self, wishes: list[Wish], facts: list[str]) -> tuple[str, list[Sentence]]:
        """The user's first message, and its sentences of wishes."""
        scene = self._scene
        opening = scene.pick(self._territory.domain.openings) if scene.random() < 0.6 else ""
        greeting = scene.pick(_GREETINGS)
        if scene.random() < 0.12 and len(wishes) > 2:
            # Numbers would say in which order.
            mark = scene.pick(_BULLETS)
            listed = [Sentence(f"{mark} {_upper(wish.clause)}", (wish,)) for wish in wishes]
            lines = "\n".join([sentence.text for sentence in listed])
            start = _after(greeting, opening)
            head = f"{start} Here is what I need:" if opening else "Here is my list:"
            told = "\n" + " ".join(facts) if facts else ""
            return f"{head.strip()}\n{lines}{told}", listed
        sentences: list[Sentence] = []
        before: list[Wish] = []
        groups = _group(wishes, scene)
        for number, group in enumerate(groups):
            is_last = number == len(groups) - 1
            frames = self._joints(group, before, groups[number - 1], is_last) if number else _WISHES
            said = scene.take(frames).format(_join([wish.clause for wish in group]))
            sentences.append(Sentence(said, tuple(group)))
            before += group
        body = " ".join([sentence.text for sentence in sentences])
        if facts:
            told = " ".join(facts)
            body = f"{told} {body}" if scene.random() < 0.35 else f"{body} {told}"
        head = _after(greeting, opening)
        if greeting.endswith(", ") and not opening:
            body = _lower(body)
        glue = " " if head and not head.endswith(" ") else ""
        return f"{head}{glue}{body}{scene.pick(_THANKS)}", sentences

    def _joints(
        self, group: list[Wish], before: list[Wish], last: list[Wish], is_last: bool
    ) -> tuple[str, ...]:
        """What may stand before a sentence's wishes.

        A word of order may also be heard as 'after all of that', so nothing of that may be
        done at the same time.
        """
        point = self._scene.random()
        done = max([wish.layer for wish in before])
        follows = all(wish.layer > done and wish.hangs_on(last) for wish in group)
        if point < 0.2 or not follows:
            return _BESIDES
        if is_last and point < 0.6 and all(wish.hangs_on(before) for wish in group):
            return _LAST
        return _FURTHER

    def plan(self, calls: list[Call]) -> str:
        """What the calls of one turn do, as a verb phrase."""
        phrases: list[str] = []
        done: set[int] = set()
        for call in calls:
            if id(call.planned) not in done:
                done.add(id(call.planned))
                asked = self._asked.get(id(call.planned))
                if asked is None or call.planned.move.varied:
                    asked = self._clause(call, self._scene.pick(call.planned.move.do), note=False)
                phrases.append(asked)
        text = _join(phrases)
        if " my " in text or " me " in text or " I " in text:
            text = text.replace(" my ", " the user's ").replace(" me ", " the user ")
        return text

    def report(self, calls: list[Call]) -> list[str]:
        """A sentence on each call's result."""
        return [self._found(call, self._scene.pick(call.planned.move.found)) for call in calls]

    def _found(self, call: Call, template: Template) -> str:
        out: list[str] = []
        for part in template.parts:
            if isinstance(part, str):
                out.append(part)
            elif isinstance(part, Variable):
                out.append(say_result(_find(call, part.name)))
        return "".join(out)


def _find(call: Call, name: str) -> Any:
    first, *rest = name.split(".")
    value = call.shown[first] if first in call.shown else call.arguments[first]
    return look_up(value, tuple(rest)) if rest else value


def _label(name: str, scene: Scene) -> str:
    """What people call a value: its description if that is short and no standard's name."""
    description = str(scene.slot_fields[name].schema["description"]).split(",")[0]
    description = description.removesuffix(" in US dollars")
    if len(description) > 30 or description[1].isupper():
        return name.replace("_", " ")
    return description[0].lower() + description[1:]


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _lower(text: str) -> str:
    if text[:2] in ("I ", "I'"):
        return text
    return text[0].lower() + text[1:]


def _after(greeting: str, opening: str) -> str:
    if opening and greeting.endswith(", "):
        opening = _lower(opening)
    return greeting + opening


def _join(phrases: list[str]) -> str:
    if len(phrases) < 2:
        return phrases[0]
    return f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def _group(wishes: list[Wish], scene: Scene) -> list[list[Wish]]:
    groups: list[list[Wish]] = []
    at = 0
    while at < len(wishes):
        size = 1 + int(scene.random() * 2.4)
        groups.append(wishes[at : at + size])
        at += size
    return groups


def list_tools(calls: list[Call], territory: Territory, catalogue: Catalogue, scene: Scene) -> str:
    """The called tools, most of their twins and a few others of the domain, shuffled."""
    names = list(dict.fromkeys(call.name for call in calls))
    away: set[str] = set()
    for name in tuple(names):
        for twin, share in territory.twins.get(name, ()):
            if twin not in names:
                if len(names) < 11 and scene.random() < share:
                    names.append(twin)
                else:
                    away.add(twin)
    wanted = min(12, max(5, len(names) + int(scene.random() * 3)))
    others = territory.names
    for _ in range(40):
        if len(names) >= wanted:
            break
        other = others[int(scene.random() * len(others))]
        if other not in names and other not in away:
            names.append(other)
    for last in range(len(names) - 1, 0, -1):
        swap = int(scene.random() * (last + 1))
        names[last], names[swap] = names[swap], names[last]
    return "[" + ",\n".join([catalogue.listings[name] for name in names]) + "]"


def tell_story(
    calls: list[Call],
    turns: list[list[int]],
    territory: Territory,
    catalogue: Catalogue,
    scene: Scene,
    manner: Manner,
) -> Story:
    """The trajectory as it is talked through."""
    teller = Teller(scene, territory)
    option = orjson.OPT_INDENT_2 if manner.indented else 0
    switch = _PARALLEL if manner.parallel else scene.pick(_SINGLE)
    system = (
        f"{scene.pick(_INTROS)}<tool>\n{list_tools(calls, territory, catalogue, scene)}\n</tool>"
        + scene.pick(_RULES).replace("{switch}", switch)
    )
    cut = len(turns) - 1 if manner.followed_up and len(turns) > 2 else len(turns)
    first_calls = [calls[i] for turn in turns[:cut] for i in turn]
    # People ask in the order of their thinking, not of the turns.
    in_order = [calls[i] for i in sorted(i for turn in turns[:cut] for i in turn)]
    withheld = teller.choose_withheld(first_calls) if manner.asks_back else ""
    wishes = teller.ask(in_order)
    query, sentences = teller.query(wishes, teller.tell_rest(in_order))
    messages = [{"role": "system", "content": system}, {"role": "user", "content": query}]

    def say(role: str, content: str) -> None:
        messages.append({"role": role, "content": content})

    reports: list[str] = []
    summary: list[str] = []
    begun: list[Planned] = []
    earlier: list[int] = []
    for number, turn in enumerate(turns):
        acting = [calls[i] for i in turn]
        if number == cut:
            say("assistant", f"{scene.pick(_CLOSES)}\n<final>{_sum_up(summary, scene)}</final>")
            summary = []
            wish = _join([asked.clause for asked in teller.ask(acting)])
            facts = teller.tell_rest(acting)
            say("user", " ".join([scene.pick(_AGAIN).format(wish), *facts]))
            reports = []
        if withheld and any(withheld in call.slots for call in acting):
            question = scene.pick(_QUESTIONS[bool(reports) :]).format(_label(withheld, scene))
            say("assistant", " ".join([*reports, question]))
            reply = teller.tell(withheld)
            if scene.random() < 0.6:
                reply = scene.pick(_REPLIES).format(scene.speak(withheld))
            say("user", reply)
            withheld = ""
            reports = []
        plan = teller.plan(acting)
        frame = scene.take(_frames(acting, earlier) if number else _first(acting, calls))
        earlier = turn
        if len(acting) == 1 and acting[0].planned in begun:
            frame = scene.pick(_MORE)
        begun += [call.planned for call in acting]
        thought = " ".join([*reports, frame.format(plan)])
        if len(acting) > 1:
            thought += scene.pick(_BESIDE)
        made = [{"name": c.name, "arguments": c.arguments} for c in acting]
        call_text = orjson.dumps(made, option=option).decode()
        gap = "\n" if scene.style % 2 else " "
        say("assistant", f"{thought}{gap}<call>{call_text}</call>")
        done = [{"name": c.name, "arguments": c.arguments, "results": c.result} for c in acting]
        say("tool", orjson.dumps(done, option=option).decode())
        reports = teller.report(acting)
        summary += [
            r for r, c in zip(reports, acting, strict=True) if c.planned.lanes == 1
        ] or reports
    closing = " ".join([*reports, scene.pick(_CLOSES)])
    say("assistant", f"{closing}\n<final>{_sum_up(summary, scene)}</final>")
    return Story(messages, tuple(sentences))


def _first(acting: list[Call], calls: list[Call]) -> tuple[str, ...]:
    """Words of a beginning; everything else builds on it only where it does."""
    begun = sum([1 << call.number for call in acting])
    is_base = all(call.behind & begun for call in calls if not begun >> call.number & 1)
    return _BASES if is_base else _STARTS


def _frames(acting: list[Call], earlier: list[int]) -> tuple[str, ...]:
    """Words of consequence only where each call uses the last turn's results."""
    last = sum([1 << number for number in earlier])
    return _GOES if all(call.behind & last for call in acting) else _TURNS_TO


def _sum_up(summary: list[str], scene: Scene) -> str:
    if len(summary) > 4 and scene.random() < 0.5:
        summary = summary[-4:]
    return scene.pick(_FINALS).format(" ".join(summary))
