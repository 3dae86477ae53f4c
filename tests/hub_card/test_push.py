"""Pushing a release to the loopback Hub, with everything that can go wrong on the way."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from builder.commands.push import push_release
from builder.semver import Version
from hub_card.arrival import inspect_arrival
from hub_card.hub import MAIN, NO_SPACE, Hub, HubError, Patience, find_token
from hub_card.push import Outcome, Plan, describe, make_plan, push, read_folder
from tests.hub import trouble
from tests.hub.releases import finish, write_release
from tests.hub.server import READER, STRANGER, WRITER, LoopbackHub
from tests.hub.store import Commit
from tests.hub.trouble import Trouble

pytest.importorskip("datasets", reason="the extra hub is not installed")

# The client gives its own HTTP library a file in the way that this one calls outdated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

ROOT = Path(__file__).resolve().parents[2]
NAME = "me/rows"
TITLE = "Release v1.0.0"
SECOND: Mapping[str, Any] = {
    "words": "other",
    "configs": {"level1": {"train": 4, "test": 2}, "level2": {"train": 3}},
    "files": {"tables/kinds.csv": b"kind,rows\n"},
}


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[float]:
    """Nobody really waits, and nothing touches the user's cache or network."""
    waits: list[float] = []
    monkeypatch.setattr("huggingface_hub.utils._http.time", SimpleNamespace(sleep=waits.append))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    return waits


@pytest.fixture
def server(slept: list[float]) -> Iterator[LoopbackHub]:
    with LoopbackHub() as server:
        yield server


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return write_release(tmp_path / "first")


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return write_release(tmp_path / "second", "1.1.0", **SECOND)


def is_later(version: str, other: str) -> bool:
    return Version.parse(version).is_later(Version.parse(other))


def look_away(*words: object, **options: object) -> dict[str, dict[str, int]]:
    """Stand in for the check of what arrived, which is tested by itself."""
    return {}


def connect(
    server: LoopbackHub, token: str | None = WRITER, waits: list[float] | None = None
) -> Hub:
    sleep = (waits if waits is not None else []).append
    return Hub(server.url, token, Patience(sleep=sleep))


def send(server: LoopbackHub, folder: Path, token: str | None = WRITER, **options: Any) -> Outcome:
    waits = options.pop("waits", None)
    options.setdefault("inspect", look_away)
    name = options.pop("name", NAME)
    return push(connect(server, token, waits), read_folder(folder), name, is_later, **options)


def plan(server: LoopbackHub, folder: Path, token: str | None = None, **options: Any) -> Plan:
    return make_plan(connect(server, token), read_folder(folder), NAME, is_later, **options)


def refused(server: LoopbackHub, folder: Path, *words: str, **options: Any) -> HubError:
    with pytest.raises(HubError) as caught:
        send(server, folder, **options)
    text = str(caught.value)
    for word in words:
        assert word in text
    assert WRITER not in text
    assert READER not in text
    return caught.value


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def held(commit: Commit) -> dict[str, bytes]:
    return {path: blob.data for path, blob in commit.tree.items() if path != ".gitattributes"}


def is_out(server: LoopbackHub, folder: Path, tag: str = "v1.0.0", name: str = NAME) -> bool:
    """Whether there is one commit of this release, the tag on it, and the files in it."""
    repository = server.repository(name)
    title = f"Release {tag}"
    made = [one.oid for one in repository.commits.values() if one.title == title]
    return made == [repository.tags[tag]] and held(repository.commits[made[0]]) == contents(folder)


@pytest.mark.slow
def test_the_whole_way_and_again(server: LoopbackHub, first: Path, second: Path) -> None:
    told: list[str] = []
    outcome = send(server, first, inspect=inspect_arrival, tell=told.append)
    assert outcome.did == ("create", "commit", "tag")
    assert outcome.rows == {
        "level1": {"train": 6, "validation": 2, "test": 3},
        "preview": {"train": 2},
    }
    assert is_out(server, first)
    assert any("checking" in one for one in told)

    before = len(server.seen)
    again = send(server, first, inspect=inspect_arrival)
    assert (again.did, again.commit, again.rows) == ((), outcome.commit, outcome.rows)
    assert {one.method for one in server.seen[before:]} == {"GET", "HEAD"}

    later = send(server, second, inspect=inspect_arrival)
    assert later.rows == {"level1": {"train": 4, "test": 2}, "level2": {"train": 3}}
    assert is_out(server, second, "v1.1.0")
    assert server.repository(NAME).head().parent == outcome.commit
    assert is_out(server, first)
    assert not server.leaks


def test_only_what_changed_is_sent(server: LoopbackHub, first: Path, second: Path) -> None:
    send(server, first)
    uploads = server.count("PUT", "/upload/")
    planned = plan(server, second)
    assert {file.path for file in planned.send} == {
        "CHANGELOG.md",
        "README.md",
        "SHA256SUMS",
        "data/level1/test-00000-of-00001.parquet",
        "data/level1/train-00000-of-00001.parquet",
        "data/level2/train-00000-of-00001.parquet",
        "manifest.json",
        "tables/kinds.csv",
    }
    assert {file.path for file in planned.delete} == {
        "data/level1/validation-00000-of-00001.parquet",
        "data/preview/train-00000-of-00001.parquet",
    }
    assert planned.same == ("LICENSE", "figures/kinds.png")
    send(server, second)
    assert server.count("PUT", "/upload/") == uploads + 3
    assert server.count("POST", "/commit/") == 2


def test_a_dry_run_needs_no_token_and_changes_nothing(
    server: LoopbackHub, first: Path, second: Path
) -> None:
    release = read_folder(first)
    text = describe(plan(server, first), release, "page", MAIN)
    size = sum(len(data) for data in contents(first).values())
    assert f"{len(release.files)} files, {size:,} bytes to send" in text
    for file in release.files.values():
        assert f"{file.size:,}  {file.path}" in text
    assert {one.method for one in server.seen} == {"GET"}

    send(server, first)
    before = len(server.seen)
    text = describe(plan(server, second), read_folder(second), "page", MAIN)
    assert "delete" in text
    assert "data/preview/train-00000-of-00001.parquet" in text
    assert {(one.method, one.has_token) for one in server.seen[before:]} <= {
        ("GET", False),
        ("HEAD", False),
    }
    assert "nothing to do" in describe(plan(server, first), release, "page", MAIN)


def test_a_private_repository(server: LoopbackHub, first: Path) -> None:
    outcome = send(server, first, private=True, inspect=inspect_arrival)
    assert outcome.is_private
    assert server.repository(NAME).is_private
    assert send(server, first).is_private
    assert plan(server, first).is_new
    assert plan(server, first, READER).is_tagged


def test_a_public_repository_is_not_taken_for_a_private_one(
    server: LoopbackHub, first: Path, second: Path
) -> None:
    send(server, first)
    refused(server, second, "everybody can see it", "--private", private=True)
    assert "v1.1.0" not in server.repository(NAME).tags


def test_a_branch_of_its_own(server: LoopbackHub, first: Path, second: Path) -> None:
    send(server, first)
    main = server.repository(NAME).head().oid
    outcome = send(server, second, branch="next")
    assert outcome.did == ("branch", "commit", "tag")
    repository = server.repository(NAME)
    assert repository.head().oid == main
    assert repository.head("next").oid == repository.tags["v1.1.0"] == outcome.commit
    assert repository.head("next").parent == main


@pytest.mark.slow
def test_files_of_no_release_are_kept(server: LoopbackHub, first: Path, second: Path) -> None:
    send(server, first)
    server.repository(NAME).change("Mine", {"notes/todo.md": b"todo", "README.md": b"# Edited\n"})
    planned = plan(server, second)
    assert planned.edited == ("README.md",)
    assert set(planned.keep) == {".gitattributes", "notes/todo.md"}
    send(server, second, inspect=inspect_arrival)
    assert server.repository(NAME).head().tree["notes/todo.md"].data == b"todo"


def test_strange_data_is_refused(server: LoopbackHub, first: Path, second: Path) -> None:
    send(server, first)
    server.repository(NAME).change("Mine", {"data/level1/train-extra.parquet": b"PAR1"})
    refused(server, second, "data/level1/train-extra.parquet", "no release put this there")
    assert server.count("POST", "/commit/") == 1


def test_a_tag_with_other_content_is_refused(
    server: LoopbackHub, first: Path, tmp_path: Path
) -> None:
    send(server, first)
    other = write_release(tmp_path / "other", words="changed")
    refused(server, other, "v1.0.0", "other content", "raise the version")
    assert is_out(server, first)


@pytest.mark.parametrize("version", ["0.9.0", "1.0.0-rc.1", "0.10.0"])
def test_a_version_that_is_not_the_latest_is_refused(
    server: LoopbackHub, first: Path, tmp_path: Path, version: str
) -> None:
    send(server, first)
    old = write_release(tmp_path / "old", version, words="old")
    refused(server, old, f"version {version}", "has v1.0.0 already", "higher --version")


def test_versions_are_numbers_and_other_tags_do_not_count(
    server: LoopbackHub, first: Path, tmp_path: Path
) -> None:
    send(server, write_release(tmp_path / "ninth", "1.9.0", words="ninth"))
    repository = server.repository(NAME)
    repository.tags |= {"v2": repository.head().oid, "vision": repository.head().oid}
    tenth = write_release(tmp_path / "tenth", "1.10.0", words="tenth")
    assert send(server, tenth).plan.last == "1.9.0"
    refused(server, first, "has v1.10.0 already")


def test_no_token(server: LoopbackHub, first: Path) -> None:
    refused(server, first, "there is no token", "hf auth login", token=None)
    assert not server.seen


def test_a_token_that_may_only_read(server: LoopbackHub, first: Path) -> None:
    refused(server, first, "may only read", "role `write`", token=READER)
    assert server.count("POST", ".") == 0


def test_an_unknown_token(server: LoopbackHub, first: Path) -> None:
    error = refused(server, first, "HTTP 401", "expired or revoked", token="hf_revoked")
    assert "hf_revoked" not in str(error)


def test_no_such_namespace(server: LoopbackHub, first: Path) -> None:
    refused(server, first, "'nobody'", "me, lab", name="nobody/rows")
    assert send(server, first, name="lab/rows").did == ("create", "commit", "tag")


def test_a_namespace_that_only_the_hub_knows_to_be_closed(server: LoopbackHub, first: Path) -> None:
    server.trouble(
        trouble.REFUSE, "POST", "/repos/create", status=403, message="You don't have the rights"
    )
    refused(server, first, "under 'me'", "You don't have the rights")


def test_a_token_that_lost_its_rights_on_the_way(server: LoopbackHub, first: Path) -> None:
    server.trouble(trouble.REFUSE, "POST", "/preupload/", status=403, message="Forbidden")
    refused(server, first, "HTTP 403", "may write")


@pytest.mark.parametrize("name", ["rows", "me/", "me/rows/more", "me/ro ws", "../rows", "me/a--b"])
def test_what_names_no_repository(server: LoopbackHub, first: Path, name: str) -> None:
    refused(server, first, repr(name), "ada/recovery-rows", name=name)
    assert not server.seen


def test_somebody_else_pushes_meanwhile(server: LoopbackHub, first: Path) -> None:
    send(server, first)
    repository = server.repository(NAME)
    folder = write_release(first.parent / "next", "1.1.0", **SECOND)
    server.trouble(
        trouble.ACT,
        "POST",
        "/commit/",
        action=lambda: repository.change("Mine", {"notes.md": b"mine"}),
    )
    refused(server, folder, "somebody else pushed meanwhile", "same command again")
    assert repository.head().title == "Mine"
    assert "v1.1.0" not in repository.tags
    assert send(server, folder).did == ("commit", "tag")
    assert repository.head().tree["notes.md"].data == b"mine"


def test_somebody_else_takes_the_tag_meanwhile(server: LoopbackHub, first: Path) -> None:
    def take() -> None:
        repository = server.repository(NAME)
        start = repository.head().parent
        assert start
        repository.tags["v1.0.0"] = start

    server.trouble(trouble.ACT, "POST", "/tag/", action=take)
    refused(server, first, "tag v1.0.0", "meanwhile")


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/whoami"),
        ("GET", "/refs"),
        ("POST", "/repos/create"),
        ("POST", "/preupload/"),
        ("POST", "/objects/batch"),
        ("PUT", "/upload/"),
        ("POST", "/commit/"),
        ("POST", "/tag/"),
    ],
)
def test_a_busy_hub_is_asked_again(
    server: LoopbackHub, first: Path, method: str, path: str, status: int
) -> None:
    busy = server.trouble(trouble.REFUSE, method, path, times=2, status=status)
    send(server, first)
    assert busy.reached.is_set()
    assert is_out(server, first)


@pytest.mark.parametrize("way", [trouble.CUT_BEFORE, trouble.CUT_DURING, trouble.CUT_AFTER])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/refs"),
        ("POST", "/repos/create"),
        ("POST", "/validate-yaml"),
        ("POST", "/preupload/"),
        ("PUT", "/upload/"),
        ("POST", "/commit/"),
        ("POST", "/tag/"),
        ("GET", "/tree/"),
    ],
)
def test_a_cut_connection_is_no_end(
    server: LoopbackHub, first: Path, method: str, path: str, way: str
) -> None:
    cut = server.trouble(way, method, path)
    send(server, first)
    assert cut.reached.is_set()
    assert is_out(server, first)


def test_patience_ends(server: LoopbackHub, first: Path, slept: list[float]) -> None:
    waits: list[float] = []
    server.trouble(trouble.REFUSE, "POST", "/commit/", times=1000)
    refused(server, first, "HTTP 503", "goes on where it stopped", waits=waits)
    assert waits == [1, 2, 4, 8, 16]
    assert server.count("POST", "/commit/") == 6
    assert send_after(server, first).did == ("commit", "tag")


def send_after(server: LoopbackHub, folder: Path) -> Outcome:
    """Send again once all is well."""
    server.troubles.clear()
    uploads = server.count("PUT", "/upload/")
    outcome = send(server, folder)
    assert server.count("PUT", "/upload/") == uploads
    assert is_out(server, folder)
    return outcome


def test_the_hub_says_how_long_to_wait(server: LoopbackHub, first: Path) -> None:
    waits: list[float] = []
    for header in ({"Retry-After": "7"}, {"RateLimit": '"api";r=0;t=55'}):
        server.trouble(trouble.REFUSE, "POST", "/commit/", status=429, headers=header)
    send(server, first, waits=waits)
    assert waits == [7, 56]


def test_nobody_waits_for_an_hour(server: LoopbackHub, first: Path) -> None:
    waits: list[float] = []
    server.trouble(trouble.REFUSE, "GET", "/refs", status=429, headers={"Retry-After": "3600"})
    refused(server, first, "HTTP 429", "wait 3600 seconds", waits=waits)
    assert waits == []


def test_a_lost_answer_to_a_commit_below_somebody_elses(server: LoopbackHub, first: Path) -> None:
    def push_above() -> None:
        server.repository(NAME).change("Mine", {"notes.md": b"mine"})

    server.trouble(trouble.CUT_AFTER, "POST", "/commit/")
    server.trouble(trouble.ACT, "GET", f"/datasets/{NAME}/revision/main", action=push_above)
    send(server, first)
    repository = server.repository(NAME)
    assert repository.head().title == "Mine"
    assert repository.tags["v1.0.0"] == repository.head().parent
    assert is_out(server, first)


def test_a_silent_hub(server: LoopbackHub, first: Path) -> None:
    server.trouble(trouble.SLOW, "GET", "/refs", seconds=1.0)
    hub = Hub(server.url, WRITER, Patience(silence=0.2, sleep=lambda seconds: None))
    outcome = push(hub, read_folder(first), NAME, is_later, inspect=look_away)
    assert outcome.did == ("create", "commit", "tag")


def test_nobody_is_there(slept: list[float], first: Path) -> None:
    with LoopbackHub() as server:
        url = server.url
    hub = Hub(url, WRITER, Patience(sleep=lambda seconds: None))
    with pytest.raises(HubError, match="connection failed") as caught:
        push(hub, read_folder(first), NAME, is_later)
    assert url in str(caught.value)


def test_offline(
    server: LoopbackHub, first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(server, first)
    hub = connect(server)
    hub.fetch(NAME, "v1.0.0", tmp_path / "online")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    refused(server, first, "HF_HUB_OFFLINE", "unset")
    commit = server.repository(NAME).tags["v1.0.0"]
    assert contents(hub.fetch(NAME, commit, tmp_path / "offline")) == contents(first)
    with pytest.raises(HubError, match="HF_HUB_OFFLINE"):
        hub.fetch("me/other", "v1.0.0", tmp_path / "other")


def test_fetch(server: LoopbackHub, first: Path, second: Path, tmp_path: Path) -> None:
    send(server, first)
    send(server, second)
    hub = connect(server, None)
    assert contents(hub.fetch(NAME, "v1.0.0", tmp_path / "a")) == contents(first)
    assert contents(hub.fetch(NAME, MAIN, tmp_path / "b")) == contents(second)
    with pytest.raises(HubError, match="branch, tag or commit"):
        hub.fetch(NAME, "v3.0.0", tmp_path / "c")
    with pytest.raises(HubError, match="everybody may read"):
        hub.fetch("me/none", "v1.0.0", tmp_path / "d")


def test_a_full_disk(
    server: LoopbackHub, first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(server, first)

    def fill(*words: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "big"))

    monkeypatch.setattr("huggingface_hub.HfApi.snapshot_download", fill)
    with pytest.raises(HubError, match=NO_SPACE) as caught:
        connect(server).fetch(NAME, "v1.0.0", tmp_path / "out")
    assert str(tmp_path / "big") in caught.value.where
    assert "TMPDIR" in caught.value.remedy


def test_ignored_files_do_not_go_unnoticed(server: LoopbackHub, first: Path) -> None:
    server.store.create(server.store.accounts[WRITER], NAME, False).change(
        "Ignore", {".gitignore": b"*.png\n"}
    )
    refused(server, first, "figures/kinds.png", "no tag was set", ".gitignore")
    assert server.repository(NAME).tags == {}
    server.repository(NAME).change("Ignore nothing", {".gitignore": None})
    assert send(server, first).did == ("commit", "tag")
    assert held(server.repository(NAME).head()) == contents(first)


def test_files_that_change_on_the_way_get_no_tag(server: LoopbackHub, first: Path) -> None:
    server.trouble(
        trouble.ACT, "POST", "/create", action=lambda: (first / "LICENSE").write_text("other")
    )
    refused(server, first, "LICENSE", "no tag was set")
    assert server.repository(NAME).tags == {}
    with pytest.raises(HubError, match="its SHA-256 is"):
        send(server, first)


def test_a_broken_card_is_refused(server: LoopbackHub, first: Path) -> None:
    (first / "README.md").write_bytes(b"---\nconfigs: [\n---\n")
    finish(first, "1.0.0")
    refused(server, first, "Invalid metadata in README.md")
    assert server.repository(NAME).tags == {}


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: (folder / "LICENSE").write_text("other"), "its SHA-256 is"),
        (lambda folder: (folder / "LICENSE").unlink(), "it is missing"),
        (lambda folder: (folder / "more.txt").write_text("more"), "doesn't list it"),
        (lambda folder: (folder / "SHA256SUMS").unlink(), "it lacks SHA256SUMS"),
        (lambda folder: (folder / "SHA256SUMS").write_text("no sums\n"), "line 1"),
        (lambda folder: (folder / "manifest.json").unlink(), "it lacks manifest.json"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "manifest"),
    ],
)
def test_a_spoiled_folder_is_refused(first: Path, spoil: Any, words: str) -> None:
    spoil(first)
    with pytest.raises(HubError, match=words):
        read_folder(first)


@pytest.mark.slow
def test_what_arrived_is_looked_at(server: LoopbackHub, first: Path) -> None:
    """What differs in any way, in bytes or in what loads, is found."""
    send(server, first)
    repository, release, hub = server.repository(NAME), read_folder(first), connect(server)
    hashes = {path: file.sha256 for path, file in release.files.items()}

    def look() -> str:
        with pytest.raises(HubError) as caught:
            inspect_arrival(hub, NAME, "v1.0.0", repository.tags["v1.0.0"], first, hashes)
        return caught.value.found

    good = repository.tags["v1.0.0"]
    preview = "data/preview/train-00000-of-00001.parquet"
    other = (first / "data/level1/train-00000-of-00001.parquet").read_bytes()
    for changes, words in (
        ({preview: other}, "preview, train: "),
        ({"data/level1/train-more.parquet": other}, "level1, train: 12 rows were loaded, not 6"),
        ({preview: None}, 'load_dataset("me/rows", "preview", revision="v1.0.0") fails'),
        ({"LICENSE": b"other"}, "LICENSE has the SHA-256"),
    ):
        repository.branches[MAIN] = good
        repository.tags["v1.0.0"] = repository.change("Spoil", changes).oid
        assert words in look()


def test_tokens_that_no_header_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_ä secret")
    for only in (True, False):
        with pytest.raises(HubError) as caught:
            find_token(only_environment=only)
        assert "secret" not in str(caught.value)
    monkeypatch.setenv("HF_TOKEN", " ")
    with pytest.raises(HubError, match="HF_TOKEN: not set"):
        find_token(only_environment=True)


# The command, in processes of its own.


def settings(server: LoopbackHub, home: Path, token: str | None = WRITER) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    kept["PYTHONPATH"] = str(ROOT)
    return kept | server.environment(home, token)


def run(
    server: LoopbackHub, home: Path, *words: str, token: str | None = WRITER, **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.hub.driver", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=settings(server, home, token) | more,
    )


@pytest.mark.slow
def test_the_command(server: LoopbackHub, first: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = run(server, home, str(first), NAME, "--private")
    assert done.returncode == 0, done.stderr
    assert "v1.0.0 is out" in done.stdout
    assert 'load_dataset("me/rows", "level1", revision="v1.0.0")' in done.stdout
    assert "its owners only" in done.stdout

    again = run(server, home, str(first), NAME, "--json", "--token-from-env")
    assert again.returncode == 0, again.stderr
    told = json.loads(again.stdout)
    assert told["already_done"] is (told["did"] == []) is True
    assert told["commit"] == server.repository(NAME).tags["v1.0.0"]
    assert told["checked"]["rows"]["level1"] == {"test": 3, "train": 6, "validation": 2}
    assert not again.stderr

    dry = run(server, home, str(first), "me/more", "--dry-run", "--json", token=None)
    assert dry.returncode == 0, dry.stderr
    told = json.loads(dry.stdout)
    assert told["new_repository"] is told["dry_run"] is True
    assert told["bytes"] == sum(len(data) for data in contents(first).values())
    assert [one["path"] for one in told["send"]] == sorted(contents(first))

    quiet = run(server, home, str(first), NAME, "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


def test_a_release_that_fails_its_verification_is_not_pushed(
    server: LoopbackHub, first: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", WRITER)
    ended = CliRunner().invoke(push_release, [str(first), NAME, "--quiet"])
    assert ended.exit_code == 2
    assert "was not pushed" in ended.stderr
    assert not server.seen


@pytest.mark.slow
def test_no_token_is_ever_shown(server: LoopbackHub, first: Path, tmp_path: Path) -> None:
    loud = {"HF_DEBUG": "1", "HF_HUB_VERBOSITY": "debug", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    texts = []
    for token, words in (
        (WRITER, (str(first), "nobody/rows")),
        (READER, (str(first), NAME)),
        ("loopback-token-of-nobody", (str(first), NAME)),
        (WRITER, (str(first), NAME)),
        (WRITER, (str(first), NAME)),
    ):
        if len(texts) == 3:
            # A Hub that repeats what it was sent.
            server.trouble(
                trouble.REFUSE, "POST", "/tag/", status=400, message=f"Bad: Bearer {WRITER}"
            )
        ended = run(server, tmp_path / "home", *words, token=token, **loud)
        assert "Traceback" not in ended.stderr
        texts.append(ended.stdout + ended.stderr)
    assert "<TOKEN>" in texts[0]
    assert "Bad: Bearer <token>" in texts[3]
    assert "v1.0.0 is out" in texts[4]
    for text in texts:
        for token in (WRITER, READER, "loopback-token-of-nobody"):
            assert token not in text
    everything = [*held(server.repository(NAME).head()).values(), *contents(first).values()]
    assert not any(WRITER.encode() in data for data in everything)
    assert not server.leaks


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "method", "path", "done"),
    [
        (trouble.HOLD_BEFORE, "POST", "/repos/create", 0),
        (trouble.HOLD_AFTER, "POST", "/repos/create", 1),
        (trouble.HOLD_BEFORE, "POST", "/preupload/", 1),
        (trouble.HOLD_DURING, "PUT", "/upload/", 1),
        (trouble.HOLD_AFTER, "PUT", "/upload/", 1),
        (trouble.HOLD_BEFORE, "POST", "/validate-yaml", 1),
        (trouble.HOLD_BEFORE, "POST", "/commit/", 1),
        (trouble.HOLD_DURING, "POST", "/commit/", 1),
        (trouble.HOLD_AFTER, "POST", "/commit/", 2),
        (trouble.HOLD_BEFORE, "POST", "/tag/", 2),
        (trouble.HOLD_AFTER, "POST", "/tag/", 3),
        (trouble.HOLD_BEFORE, "GET", "/download/", 3),
    ],
)
def test_a_killed_push_is_finished_by_the_next(
    server: LoopbackHub, first: Path, tmp_path: Path, way: str, method: str, path: str, done: int
) -> None:
    stop = server.trouble(way, method, path)
    kill_at(server, stop, first, tmp_path)
    outcome = send(server, first)
    assert is_out(server, first)
    assert outcome.did == ("create", "commit", "tag")[done:]


def kill_at(server: LoopbackHub, stop: Trouble, folder: Path, tmp_path: Path) -> None:
    """Start a push and kill it with no warning when it is at a certain request."""
    pushing = subprocess.Popen(
        [sys.executable, "-m", "tests.hub.driver", str(folder), NAME],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env=settings(server, tmp_path / "home"),
        start_new_session=True,
    )
    try:
        assert stop.reached.wait(60)
    finally:
        os.killpg(pushing.pid, signal.SIGKILL)
        pushing.wait()
    stop.release()


@pytest.mark.slow
def test_a_second_release_killed_after_its_commit(
    server: LoopbackHub, first: Path, second: Path, tmp_path: Path
) -> None:
    send(server, first)
    kill_at(server, server.trouble(trouble.HOLD_AFTER, "POST", "/commit/"), second, tmp_path)
    server.repository(NAME).change("Mine", {"README.md": b"# Edited since\n"})
    assert send(server, second, inspect=inspect_arrival).did == ("tag",)
    assert is_out(server, second, "v1.1.0")
    assert server.repository(NAME).head().tree["README.md"].data == b"# Edited since\n"


@pytest.mark.slow
def test_a_release_as_it_is_assembled(server: LoopbackHub, tmp_path: Path) -> None:
    """From a build to the tag and back, with nothing but the commands."""

    def call(*words: str, code: int = 0) -> str:
        ended = subprocess.run(
            [sys.executable, "-c", "from builder.commands import main; main()", *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=settings(server, tmp_path / "home"),
        )
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended.stdout

    call("build-level1", "--size", "30", "--workers", "1", "--out", "rows", "--quiet")
    call("release", "rows", "--version", "1.0.0", "--name", "rows", "--out", "release", "--quiet")
    told = json.loads(call("push-release", "release", NAME, "--json"))
    assert is_out(server, tmp_path / "release")
    assert set(told["checked"]["rows"]) == {"level1", "preview"}
    assert sum(told["checked"]["rows"]["level1"].values()) == 30
    assert json.loads(call("verify", f"{NAME}@v1.0.0", "--json"))["ok"]
    (tmp_path / "release" / "LICENSE").write_text("other")
    call("push-release", "release", NAME, code=2)


def test_a_stranger_may_not_push(server: LoopbackHub, first: Path, second: Path) -> None:
    send(server, first)
    refused(server, second, "'me' is neither", token=STRANGER)
