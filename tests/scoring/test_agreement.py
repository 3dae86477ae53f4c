"""Agreement between judges: numbers by hand and by scikit-learn, sheets, rankings."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from math import isnan, nan
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from sklearn.metrics import cohen_kappa_score

from scoring.agreement import compare, confusion, kappa, kendall, main, pearson, rank
from scoring.judgements import Judgement, Judgements, write_judgements
from scoring.predictions import read_predictions
from scoring.refusal import Refusal
from scoring.rubric import KEYS, dimension_scores
from scoring.sheet import CELL, COLUMNS, read_sheet, sample
from tests.certify.rows import rows_of

ONE = dict.fromkeys(KEYS, 1.0)


def judged(*scores: dict[str, float], judge: str = "a") -> Judgements:
    """Judgements of answers "0", "1" …: 1 for each item, but for those given."""
    made = [Judgement(str(place), judge, {**ONE, **own}) for place, own in enumerate(scores)]
    return Judgements({judgement.key: judgement for judgement in made})


def item(key: str, *scores: float, judge: str = "a") -> Judgements:
    return judged(*({key: score} for score in scores), judge=judge)


# By hand


def test_exact_matches_absolute_errors_and_means() -> None:
    a = item("d3", 1, 0.5, 0, 0, 1)
    b = item("d3", 1, 1, 1, 0, 0.5)
    found = compare(a, b).items["d3"]
    assert (found.n, found.left_out) == (5, 0)
    assert found.ema == pytest.approx(2 / 5)
    assert found.mae == pytest.approx((0.5 + 1 + 0.5) / 5)
    assert (found.mean_a, found.mean_b) == (pytest.approx(0.5), pytest.approx(0.7))


def test_a_confusion_matrix_has_the_first_judge_in_its_rows() -> None:
    pairs = [(0, 1), (0, 1), (0.5, 0), (1, 1)]
    assert confusion(pairs) == ((0, 0, 2), (1, 0, 0), (0, 0, 1))


def test_kappa_takes_off_what_chance_agrees_on() -> None:
    # Cohen's own case of two categories: 0.7 observed, 0.5 expected.
    assert kappa(((20, 5), (10, 15))) == pytest.approx(0.4)
    # Disagreements: 1 by one level, 1 by two; by chance (rows 2, 2, 2; columns 3, 2, 1).
    matrix = ((2, 0, 0), (0, 2, 0), (1, 0, 1))
    assert kappa(matrix) == pytest.approx(1 - (1 / 6) / (24 / 36))
    assert kappa(matrix, linear=True) == pytest.approx(
        1 - (2 / 6) / ((4 + 4 + 6 + 2 + 12 + 4) / 36)
    )


def test_kappa_of_judges_who_never_vary_is_undefined() -> None:
    assert isnan(kappa(((0, 0, 0), (0, 7, 0), (0, 0, 0))))
    assert isnan(kappa(((0, 0, 0), (0, 0, 0), (0, 0, 0))))


def test_what_either_judge_gave_no_score_is_left_out_and_counted() -> None:
    found = compare(item("d4", 1, nan, 0, nan), item("d4", 1, 1, nan, nan))
    assert (found.items["d4"].n, found.items["d4"].left_out) == (1, 3)
    assert found.items["d4"].ema == 1
    assert found.groups["dr"].n == 1 + 4 * 4
    nothing = compare(item("d4", nan), item("d4", 1)).items["d4"]
    assert nothing.n == 0
    assert isnan(nothing.ema)
    assert isnan(nothing.kappa)


def test_efficacy_has_no_levels_but_a_correlation() -> None:
    found = compare(item("e5", 0.2, 0.4, 0.9), item("e5", 0.4, 0.6, 1.0)).items["e5"]
    assert found.mae == pytest.approx(0.5 / 3)
    assert found.confusion is None
    assert isnan(found.kappa)
    assert isnan(found.ema)
    assert found.pearson == pytest.approx(0.9986, abs=1e-4)
    assert pearson([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert isnan(pearson([1, 1], [0, 1]))


def test_a_dimension_is_the_mean_of_its_items_and_computed_items_do_not_count() -> None:
    # Both differ on s1 only, always; s5, which both would always share, is none of the four.
    found = compare(item("s1", 0, 0), item("s1", 1, 1))
    assert found.groups["si"].ema == pytest.approx(3 / 4)
    assert found.groups["si"].mae == pytest.approx(1 / 4)
    assert found.groups["overall"].ema == pytest.approx(12 / 13)
    assert found.groups["overall"].n == 2 * 13
    assert found.groups["si"].confusion == ((0, 0, 2), (0, 0, 0), (0, 0, 6))


def test_only_what_both_judged_is_compared() -> None:
    found = compare(item("s1", 1, 1, 0), item("s1", 1, judge="b"))
    assert (found.shared, found.only_a, found.only_b) == (1, 2, 0)
    assert found.items["s1"].n == 1
    chosen = compare(item("s1", 1), item("s1", 1), items=["s1", "d1"])
    assert list(chosen.items) == ["s1", "d1"]
    assert list(chosen.groups) == ["si", "dr", "overall"]


# Against others' code

PAIRS = st.lists(st.tuples(*[st.sampled_from((0, 0.5, 1))] * 2), min_size=1, max_size=40)


@given(PAIRS)
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[float, float]]) -> None:
    # Categories for scikit-learn, which takes halves for a regression.
    first, second = ([int(2 * pair[side]) for pair in pairs] for side in (0, 1))
    assume(len({*first, *second}) > 1)
    for linear in (False, True):
        theirs = cohen_kappa_score(
            first, second, labels=[0, 1, 2], weights="linear" if linear else None
        )
        assert kappa(confusion(pairs), linear=linear) == pytest.approx(theirs)


@given(PAIRS)
def test_agreement_does_not_depend_on_who_is_first(pairs: list[tuple[float, float]]) -> None:
    a, b = item("e2", *(one for one, _ in pairs)), item("e2", *(other for _, other in pairs))
    there, back = compare(a, b).items["e2"], compare(b, a).items["e2"]
    assert (there.ema, there.mae, there.mean_a) == (back.ema, back.mae, back.mean_b)
    assert there.kappa == pytest.approx(back.kappa, nan_ok=True)
    assert there.confusion is not None
    assert back.confusion == tuple(zip(*there.confusion, strict=True))
    # A mismatch is by half a point or by one.
    assert there.mae <= 1 - there.ema + 1e-9
    assert 1 - there.ema <= 2 * there.mae + 1e-9


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=8))
def test_tau_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    first, second = zip(*pairs, strict=True)
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    assert kendall(pairs) == pytest.approx(kendalltau(first, second).statistic)


# Rankings

TABLE_6 = {
    "level1": {
        "GPT-4o": (51.45, 52.31),
        "Claude Opus 4.6": (69.23, 69.20),
        "Qwen3-8B": (43.47, 43.76),
        "DeepSeek-V4-flash": (68.04, 68.47),
        "DeepSeek-V4-pro": (68.29, 68.87),
    },
    "level2": {
        "GPT-4o": (44.74, 45.41),
        "Claude Opus 4.6": (66.85, 67.24),
        "Qwen3-8B": (41.07, 41.34),
        "DeepSeek-V4-flash": (66.36, 67.67),
        "DeepSeek-V4-pro": (66.50, 67.36),
    },
}


def test_the_papers_judges_rank_level1_alike_and_swap_the_best_of_level2() -> None:
    one, two = (
        rank(level, {model: [pair] for model, pair in averages.items()})
        for level, averages in TABLE_6.items()
    )
    assert (one.tau, one.swaps) == (1, ())
    assert two.tau == pytest.approx((7 - 3) / 10)
    assert two.swaps == (
        ("Claude Opus 4.6", "DeepSeek-V4-pro"),
        ("Claude Opus 4.6", "DeepSeek-V4-flash"),
        ("DeepSeek-V4-pro", "DeepSeek-V4-flash"),
    )


def test_models_that_tie_do_not_swap() -> None:
    found = rank("", {"x": [(50, 50)], "y": [(50, 60)], "z": [(40, 70)]})
    assert found.swaps == (("x", "z"), ("y", "z"))
    assert isnan(kendall([(1, 1), (1, 2)]))


# The command


def saved(path: Path, judgements: Judgements) -> str:
    write_judgements(path, judgements.by_key.values())
    return str(path)


def test_two_files_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = saved(tmp_path / "a.jsonl", item("d3", 1, 0.5, 0, nan, judge="rule"))
    b = saved(tmp_path / "b.jsonl", item("d3", 1, 1, 0, 0, 0, judge="model"))
    out = tmp_path / "agreement.md"
    assert main([a, b, "--json", "--out", str(out)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["a"], shown["b"]) == ("rule", "model")
    assert (shown["shared"], shown["only_a"], shown["only_b"]) == (4, 0, 1)
    assert shown["items"]["d3"]["ema"] == pytest.approx(2 / 3)
    assert shown["items"]["d3"]["left_out"] == 1
    assert shown["items"]["d3"]["confusion"] == [[1, 0, 0], [0, 0, 1], [0, 0, 1]]
    assert shown["items"]["s1"]["kappa"] is None
    assert "| d3 | Root Cause Localization Depth | 3 | 1 | 0.6667 |" in out.read_text()


def test_items_and_dimensions_can_be_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = saved(tmp_path / "a.jsonl", item("d3", 1, 0))
    assert main([a, a, "--items", "D3,es", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["items"]) == [
        "d3",
        "e1",
        "e2",
        "e3",
        "e4",
        "e5",
    ]
    with pytest.raises(SystemExit, match="2"):
        main([a, a, "--items", "d6"])
    assert "'d6' is neither an item" in capsys.readouterr().err


def test_lines_that_cannot_be_read_are_told_and_the_rest_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = saved(tmp_path / "a.jsonl", item("d3", 1, 0))
    with Path(a).open("a") as file:
        file.write('{"instance_id": "2"')
    assert main([a, a]) == 1
    shown = capsys.readouterr()
    assert f"{a}:3: no JSON" in shown.err
    assert "2 answers judged by both" in shown.out


@pytest.mark.parametrize(
    ("text", "words"),
    [(None, "no such file"), ("", "no judgements"), ("{}\n", "no judgements; ")],
)
def test_a_file_without_judgements_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, words: str
) -> None:
    a = saved(tmp_path / "a.jsonl", item("d3", 1))
    b = tmp_path / "b.jsonl"
    if text is not None:
        b.write_text(text)
    assert main([a, str(b)]) == 2
    error = capsys.readouterr().err
    assert str(b) in error
    assert words in error
    assert "to do:" in error


def test_a_file_of_two_judges_and_files_of_other_answers_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = Judgement("0", "x", ONE), Judgement("9", "y", ONE)
    both, a, b = tmp_path / "both.jsonl", tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_judgements(both, [one, other])
    write_judgements(a, [one])
    write_judgements(b, [other])
    assert main([str(both), str(a)]) == 2
    assert "judgements by x, y" in capsys.readouterr().err
    assert main([str(a), str(b)]) == 2
    assert "no answer that both judged" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["a.jsonl"], ["--sheet", "s.csv"], ["a", "b", "--model", "m", "a", "b"]]
)
def test_half_a_command_is_refused_with_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "usage: python -m scoring.agreement" in capsys.readouterr().err


def write_rows(path: Path) -> list[str]:
    """Write rows of both levels; return their ids."""
    rows = [*rows_of("Type_Error", most=2), *rows_of("Parameter_Missing", "Type_Error", most=2)]
    records = {row.instance_id: row.to_record() for row in rows}
    path.write_text("".join(json.dumps(record) + "\n" for record in records.values()))
    return list(records)


def test_models_are_ranked_level_by_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rows.jsonl"
    ids = write_rows(rows)
    first = [id for id in ids if id.startswith("level1")]
    assert 0 < len(first) < len(ids)

    def file(name: str, low: float, on: Sequence[str]) -> str:
        made = [Judgement(id, name, {**ONE, "e1": low if id in on else 1.0}) for id in ids]
        write_judgements(tmp_path / f"{name}.jsonl", made)
        return str(tmp_path / f"{name}.jsonl")

    # On level 1 the second judge sees "x" below "y", the first the other way round.
    models = ["--model", "x", file("xa", 0.5, ids), file("xb", 0, ids)]
    models += ["--model", "y", file("ya", 0, ids), file("yb", 0.5, first)]
    assert main([*models, "--rows", str(rows), "--json"]) == 0
    one, two = json.loads(capsys.readouterr().out)["rankings"]
    assert (one["level"], two["level"]) == ("level1", "level2")
    assert (one["tau"], one["swaps"]) == (-1, [["x", "y"]])
    half = dimension_scores({**ONE, "e1": 0.5})["avg"]
    none = dimension_scores({**ONE, "e1": 0.0})["avg"]
    assert one["averages"]["x"] == pytest.approx([half, none])
    assert one["averages"]["y"] == pytest.approx([none, half])
    assert two["averages"]["y"] == pytest.approx([none, 100])
    assert one["rows"] == {"x": len(first), "y": len(first)}

    assert main(models) == 0
    shown = capsys.readouterr().out
    assert "all rows" in shown
    assert "x above y only by A" in shown


# Sheets


def write_predictions(path: Path, ids: Sequence[str], **answer: object) -> None:
    answer = answer or {"output": "<thought>=1+1</thought> <plan>none</plan>"}
    path.write_text("".join(json.dumps({"instance_id": id, **answer}) + "\n" for id in ids))


def test_a_sheet_is_written_filled_in_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, answers, sheet = tmp_path / "rows.jsonl", tmp_path / "p.jsonl", tmp_path / "sheet.csv"
    ids = write_rows(rows)
    write_predictions(answers, ids[:-1])
    options = ["--rows", str(rows), "--predictions", str(answers), "--seed", "3"]
    assert main(["--sheet", str(sheet), *options, "--n", "3"]) == 0
    assert "3 answers to judge" in capsys.readouterr().out

    with sheet.open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == list(COLUMNS)
    assert [name for name in lines[0] if name in KEYS] == [
        key for key in KEYS if key not in ("s5", "e5")
    ]
    assert {line["instance_id"] for line in lines} < set(ids[:-1])
    for line in lines:
        assert not any(line[key] for key in (*KEYS, "note") if key in line)
        assert line["thought"] == "'=1+1"
        assert line["plan"].startswith("(no plan could be read: ")
        assert "[pending] response() after " in line["previous_plan"]
        assert " -> " in line["observations"]
        assert "injected Type_Error in " in line["errors"]

    for line in lines[1:]:
        line["d3"] = "0.5"
    with sheet.open("w", newline="") as file:
        out = csv.DictWriter(file, list(lines[0]))
        out.writeheader()
        out.writerows(lines)
    judgements = tmp_path / "judgements.jsonl"
    write_judgements(judgements, [Judgement(id, "rule", ONE) for id in ids])
    assert main([str(sheet), str(judgements), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["a"], shown["shared"], shown["only_b"]) == ("human:sheet", 2, len(ids) - 2)
    assert shown["items"]["d3"]["mean_a"] == 0.5
    assert shown["items"]["d2"]["n"] == 0
    assert shown["items"]["d2"]["left_out"] == 2


def test_the_seed_decides_the_sample_whatever_the_order(tmp_path: Path) -> None:
    rows, answers = tmp_path / "rows.jsonl", tmp_path / "p.jsonl"
    ids = write_rows(rows)
    write_predictions(answers, ids)
    predictions = read_predictions(answers)
    records = [json.loads(line) for line in rows.read_text().splitlines()]

    def drawn(size: int, seed: int, *, back: bool = False) -> list[str]:
        order = records[::-1] if back else records
        return [entry.case.instance_id for entry in sample(order, predictions, size, seed)]

    assert drawn(3, 1) == drawn(3, 1, back=True)
    assert drawn(3, 1) == drawn(len(ids), 1)[:3]
    assert sorted(drawn(99, 1)) == sorted(ids)
    assert len({tuple(drawn(len(ids), seed)) for seed in range(5)}) > 1


def test_a_cell_that_a_spreadsheet_would_break_is_cut_where_it_says_so(tmp_path: Path) -> None:
    rows, answers, sheet = tmp_path / "rows.jsonl", tmp_path / "p.jsonl", tmp_path / "sheet.csv"
    write_predictions(answers, write_rows(rows), thought="x" * 2 * CELL, plan={})
    assert main(["--sheet", str(sheet), "--rows", str(rows), "--predictions", str(answers)]) == 0
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        line = next(csv.DictReader(file))
    assert f"[… {CELL} characters left out …]" in line["thought"]
    assert len(line["thought"]) < 32_767


@pytest.mark.parametrize(
    "text",
    [
        "instance_id,epoch,s1,d3,note\na,,1,0.5,fine\nb,2,0,,\n",
        "\ufeffInstance_ID;epoch;S1;D3;note\r\na;1;1;0,5;fine\r\nb;2;0;n/a;\r\n",
        'instance_id\tepoch\ts1\td3\tnote\na\t\t1.0\t.5\t"two\nlines"\n\nb\t2\t0\t-\t\n',
    ],
    ids=["commas", "semicolons and a byte order mark", "tabs"],
)
def test_a_sheet_is_read_however_a_spreadsheet_saved_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text(text, encoding="utf-8", newline="")
    found = read_sheet(file)
    assert found.problems == ()
    assert found.judges == ["human:sheet"]
    a, b = found.scores("a"), found.scores("b", 2)
    assert a is not None
    assert b is not None
    assert (a["s1"], a["d3"], b["s1"]) == (1, 0.5, 0)
    assert isnan(b["d3"])
    assert isnan(a["e1"])


def test_what_is_wrong_in_a_sheet_is_named_by_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text(
        'instance_id,epoch,s1,s5,e5,query\na,1,0.7,1,0.3,"q\n1"\n,1,1,,,\nb,x,1,,,\n'
        "a,1,yes,0.5,2,\nc,1,,,,\n"
    )
    found = read_sheet(file)
    assert list(found.by_key) == [("a", 1)]
    assert [str(problem) for problem in (*found.problems, *found.duplicates)] == [
        f"{file}:2, column s1: '0.7'; expected 1, 0.5 or 0, or nothing",
        f"{file}:4, column instance_id: nothing; expected a row's instance_id",
        f"{file}:5, column epoch: 'x'; expected an integer, or nothing",
        f"{file}:6, column s1: 'yes'; expected 1, 0.5 or 0, or nothing",
        f"{file}:6, column s5: '0.5'; expected 1 or 0, or nothing",
        f"{file}:6, column e5: '2'; expected a number from 0 to 1, or nothing",
    ]
    scores = found.scores("a")
    assert scores is not None
    assert (scores["s5"], scores["e5"]) == (1, 0.3)
    assert isnan(scores["s1"])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the columns ''"),
        (b"id,s1\na,1\n", "the columns 'id, s1'"),
        (b"instance_id,note\na,b\n", "the columns 'instance_id, note'"),
        (b"instance_id,s1,S1\na,1,1\n", "s1 stands twice"),
        (b"instance_id,s1\na,\xe4\n", "is no UTF-8"),
        (b"instance_id,s1\n\xff\xfe", "is no UTF-8"),
        (b'instance_id,s1\na,"' + b"x" * 200_000, "no CSV"),
    ],
)
def test_what_is_no_sheet_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    file = tmp_path / "sheet.csv"
    file.write_bytes(data)
    with pytest.raises(Refusal, match=words):
        read_sheet(file)
