"""What is written in other words is recognised, and nothing else is."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from environment.phrasing import describe, is_last_wording, is_wording, reword
from plan.task import RESPONSE
from taxonomy.examples import order, trip

sentences = st.text(st.characters(exclude_characters="\n"), min_size=1)


@given(sentences, st.none() | st.text(), st.randoms(use_true_random=False))
def test_every_wording_is_one(sentence, result, lots):
    description = sentence if result is None else f"{sentence}\n{result}"
    assert is_wording(describe(description, lots), sentence, result)


@given(st.sampled_from(["Book a room.", "Find flights"]), st.randoms(use_true_random=False))
def test_other_texts_are_none(sentence, lots):
    pending, sent = describe(sentence, lots), describe(f"{sentence}\nok", lots)
    assert not is_wording(pending, sentence, "ok")
    assert not is_wording(sent, sentence, None)
    assert not is_wording(sent, sentence, "o")
    assert not is_wording(sent, sentence, "okay")
    assert not is_wording(sent.replace(" ok", " no"), sentence, "ok")
    assert not is_wording(pending, "Send a mail.", None)
    for text in (pending + "!", "", f"{pending} {pending}", pending[1:]):
        assert not is_wording(text, sentence, None)


def test_whole_plans():
    for clean in (trip(), order()):
        plan = clean.plan()
        for seed in range(20):
            for task in reword(plan, Random(seed)).calls():
                assert is_wording(task.description, clean.calls[task.id].description, None)
            last = reword(plan, Random(seed)).tasks[RESPONSE].description
            assert is_last_wording(last)
            assert not is_last_wording(last + " Soon.")
