"""The loopback Hub against the official client: it is worth no more than what it gets right."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.hub import trouble
from tests.hub.server import READER, STRANGER, WRITER, LoopbackHub
from tests.hub.store import MAIN, Blob

huggingface_hub = pytest.importorskip("huggingface_hub", reason="the extra hub is not installed")

# The client gives its own HTTP library a file in the way that this one calls outdated.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")

NAME = "me/rows"
PICTURE = b"\x89PNG\0" + bytes(range(256)) * 40


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The client doesn't really wait; what it would have waited is listed."""
    waits: list[float] = []
    monkeypatch.setattr(
        "huggingface_hub.utils._http.time", SimpleNamespace(sleep=waits.append), raising=True
    )
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    return waits


@pytest.fixture
def server(slept: list[float]) -> Iterator[LoopbackHub]:
    with LoopbackHub(page=3) as server:
        yield server


def client(server: LoopbackHub, token: str | None = WRITER) -> Any:
    return huggingface_hub.HfApi(endpoint=server.url, token=token or False)


def add(path: str, data: bytes) -> Any:
    return huggingface_hub.CommitOperationAdd(path, data)


def commit(api: Any, *operations: Any, parent: str | None = None, **options: Any) -> str:
    made = api.create_commit(
        NAME,
        operations,
        commit_message="More rows",
        repo_type="dataset",
        parent_commit=parent,
        **options,
    )
    return str(made.oid)


@pytest.fixture
def filled(server: LoopbackHub) -> LoopbackHub:
    api = client(server)
    api.create_repo(NAME, repo_type="dataset")
    commit(
        api,
        add("README.md", b"---\nlicense: mit\n---\n# Rows\n"),
        add("figures/kinds.png", PICTURE),
        add("tables/all.csv", b"kind,rows\n"),
    )
    return server


def status_of(action: Any) -> int:
    with pytest.raises(huggingface_hub.errors.HfHubHTTPError) as caught:
        action()
    return int(caught.value.response.status_code)


def test_it_knows_who_asks(server: LoopbackHub) -> None:
    known = client(server).whoami()
    assert (known["name"], known["orgs"][0]["name"]) == ("me", "lab")
    assert known["auth"]["accessToken"]["role"] == "write"
    assert client(server, READER).whoami()["auth"]["accessToken"]["role"] == "read"
    assert status_of(client(server, "unknown").whoami) == 401


def test_a_commit_holds_text_and_large_files(filled: LoopbackHub) -> None:
    files = {
        one.path: one
        for one in client(filled).list_repo_tree(NAME, recursive=True, repo_type="dataset")
    }
    assert list(files) == [
        ".gitattributes",
        "README.md",
        "figures",
        "figures/kinds.png",
        "tables",
        "tables/all.csv",
    ]
    assert files["figures/kinds.png"].lfs.sha256 == Blob(PICTURE, True).sha256
    assert files["figures/kinds.png"].size == len(PICTURE)
    assert files["tables/all.csv"].lfs is None
    # What git itself says of this text.
    assert Blob(b"hello\n", False).oid == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert filled.count("PUT", "/upload/") == 1


def test_answers_come_in_pages(filled: LoopbackHub) -> None:
    client(filled).list_repo_tree(NAME, repo_type="dataset")
    before = filled.count("GET", "/tree/")
    assert len(list(client(filled).list_repo_tree(NAME, recursive=True, repo_type="dataset"))) == 6
    assert filled.count("GET", "/tree/") == before + 2


def test_parts_of_the_tree(filled: LoopbackHub) -> None:
    api = client(filled)
    inside = list(api.list_repo_tree(NAME, "figures", repo_type="dataset"))
    assert [one.path for one in inside] == ["figures/kinds.png"]
    known = api.get_paths_info(NAME, ["figures", "tables/all.csv", "none"], repo_type="dataset")
    assert [one.path for one in known] == ["figures", "tables/all.csv"]
    with pytest.raises(huggingface_hub.errors.EntryNotFoundError):
        list(api.list_repo_tree(NAME, "nowhere", repo_type="dataset"))


def test_files_are_deleted_in_the_same_commit(filled: LoopbackHub) -> None:
    api = client(filled)
    head = filled.repository(NAME).head()
    commit(
        api,
        add("new.txt", b"new"),
        huggingface_hub.CommitOperationDelete("tables/all.csv"),
        parent=head.oid,
    )
    now = filled.repository(NAME).head()
    assert now.parent == head.oid
    assert set(head.tree) - set(now.tree) == {"tables/all.csv"}
    missing = huggingface_hub.CommitOperationDelete("nothing.csv")
    with pytest.raises(huggingface_hub.errors.EntryNotFoundError):
        commit(api, missing)


def test_a_stale_parent_is_refused(filled: LoopbackHub) -> None:
    api, old = client(filled), filled.repository(NAME).head().oid
    filled.repository(NAME).change("Somebody else", {"notes.md": b"mine"})
    assert status_of(lambda: commit(api, add("a.txt", b"a"), parent=old)) == 412
    assert "a.txt" not in filled.repository(NAME).head().tree


def test_a_bad_card_is_refused_before_anything_is_sent(filled: LoopbackHub) -> None:
    before = len(filled.seen)
    with pytest.raises(ValueError, match="Invalid metadata"):
        commit(client(filled), add("README.md", b"---\na: [\n---\n"), add("b.png", PICTURE[:-1]))
    assert [one.path for one in filled.seen[before:]] == ["/api/validate-yaml"]


def test_the_same_bytes_are_not_sent_twice(filled: LoopbackHub) -> None:
    commit(client(filled), add("figures/copy.png", PICTURE))
    assert filled.count("PUT", "/upload/") == 1


def test_ignored_files_are_left_out(filled: LoopbackHub) -> None:
    filled.repository(NAME).change("Ignore", {".gitignore": b"*.csv\n"})
    commit(client(filled), add("a.csv", b"a"), add("b.txt", b"b"))
    tree = filled.repository(NAME).head().tree
    assert "a.csv" not in tree
    assert "b.txt" in tree


def test_branches_tags_and_history(filled: LoopbackHub) -> None:
    api = client(filled)
    first = filled.repository(NAME).head().oid
    api.create_tag(NAME, tag="v1.0.0", revision=first, repo_type="dataset")
    assert status_of(lambda: api.create_tag(NAME, tag="v1.0.0", repo_type="dataset")) == 409
    api.create_branch(NAME, branch="next", repo_type="dataset")
    second = commit(api, add("a.txt", b"a"), revision="next")
    refs = api.list_repo_refs(NAME, repo_type="dataset")
    assert {one.name: one.target_commit for one in refs.branches} == {MAIN: first, "next": second}
    assert {one.name: one.target_commit for one in refs.tags} == {"v1.0.0": first}
    past = api.list_repo_commits(NAME, revision="next", repo_type="dataset")
    assert [one.commit_id for one in past][:2] == [second, first]
    assert api.dataset_info(NAME, revision="v1.0.0").sha == first
    assert api.dataset_info(NAME, revision=second[:9]).sha == second
    with pytest.raises(huggingface_hub.errors.RevisionNotFoundError):
        api.dataset_info(NAME, revision="v2.0.0")


def test_files_come_back(filled: LoopbackHub, tmp_path: Path) -> None:
    api, commit_id = client(filled), filled.repository(NAME).head().oid
    place = Path(
        api.snapshot_download(NAME, repo_type="dataset", cache_dir=tmp_path, max_workers=1)
    )
    assert place.name == commit_id
    assert (place / "figures/kinds.png").read_bytes() == PICTURE
    assert (place / "tables/all.csv").read_bytes() == b"kind,rows\n"
    known = huggingface_hub.get_hf_file_metadata(
        f"{filled.url}/datasets/{NAME}/resolve/main/figures/kinds.png", token=WRITER
    )
    assert (known.commit_hash, known.size) == (commit_id, len(PICTURE))
    assert known.etag == Blob(PICTURE, True).sha256
    with pytest.raises(huggingface_hub.errors.EntryNotFoundError):
        api.hf_hub_download(NAME, "none.txt", repo_type="dataset", cache_dir=tmp_path)


def test_the_storage_sees_no_token(filled: LoopbackHub, tmp_path: Path) -> None:
    client(filled).hf_hub_download(
        NAME, "figures/kinds.png", repo_type="dataset", cache_dir=tmp_path
    )
    assert filled.count("GET", "/download/") == 1
    assert not filled.leaks


def test_ranges(filled: LoopbackHub) -> None:
    link = f"{filled.url}/datasets/{NAME}/resolve/main/figures/kinds.png"
    for asked, expected in (
        ("bytes=0-9", PICTURE[:10]),
        ("bytes=100-", PICTURE[100:]),
        ("bytes=-7", PICTURE[-7:]),
    ):
        request = urllib.request.Request(link, headers={"Range": asked})
        with urllib.request.urlopen(request) as reply:
            assert (reply.status, reply.read()) == (206, expected)
    past_the_end = urllib.request.Request(link, headers={"Range": "bytes=999999-"})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(past_the_end)
    assert caught.value.code == 416
    caught.value.close()


def test_a_cut_download_goes_on_where_it_was(filled: LoopbackHub, tmp_path: Path) -> None:
    filled.trouble(trouble.CUT_AFTER, "GET", "/download/")
    place = client(filled).hf_hub_download(
        NAME, "figures/kinds.png", repo_type="dataset", cache_dir=tmp_path
    )
    assert Path(place).read_bytes() == PICTURE


def test_who_may_see_and_write(filled: LoopbackHub) -> None:
    filled.repository(NAME).is_private = True
    assert client(filled, READER).dataset_info(NAME).private
    for token, status in ((None, 401), ("unknown", 401), (STRANGER, 404)):
        api = client(filled, token)
        assert status_of(lambda api=api: api.dataset_info(NAME)) == status
    for token in (READER, STRANGER):
        filled.repository(NAME).is_private = False
        api = client(filled, token)
        assert status_of(lambda api=api: commit(api, add("a.txt", b"a"))) == 403
    anonymous = client(filled, None)
    assert anonymous.dataset_info(NAME).sha == filled.repository(NAME).head().oid
    assert status_of(lambda: commit(anonymous, add("a.txt", b"a"))) == 401


def test_who_may_create(server: LoopbackHub) -> None:
    api = client(server)
    api.create_repo("lab/rows", repo_type="dataset", private=True)
    assert server.repository("lab/rows").is_private
    assert status_of(lambda: api.create_repo("lab/rows", repo_type="dataset")) == 409
    api.create_repo("lab/rows", repo_type="dataset", exist_ok=True)
    for token, name in ((WRITER, "nobody/rows"), (READER, "me/more")):
        own = client(server, token)
        assert status_of(partial(own.create_repo, name, repo_type="dataset")) == 403


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_hub_is_asked_again(filled: LoopbackHub, slept: list[float], status: int) -> None:
    filled.trouble(
        trouble.REFUSE, "GET", "/tree/", times=2, status=status, headers={"Retry-After": "7"}
    )
    assert list(client(filled).list_repo_tree(NAME, repo_type="dataset"))
    assert slept == [8, 8]


@pytest.mark.parametrize("way", [trouble.CUT_BEFORE, trouble.CUT_DURING])
def test_a_cut_upload_is_tried_again(filled: LoopbackHub, way: str, slept: list[float]) -> None:
    cut = filled.trouble(way, "PUT", "/upload/")
    commit(client(filled), add("figures/more.png", PICTURE + b"more"))
    assert cut.reached.is_set()
    assert slept == [1]
    assert filled.repository(NAME).head().tree["figures/more.png"].data == PICTURE + b"more"


def test_a_commit_may_happen_though_its_answer_is_lost(filled: LoopbackHub) -> None:
    before = filled.repository(NAME).head().oid
    filled.trouble(trouble.CUT_AFTER, "POST", "/commit/")
    api = client(filled)
    with pytest.raises(Exception, match=r"disconnect|closed|reset"):
        commit(api, add("a.txt", b"a"))
    now = filled.repository(NAME).head()
    assert (now.parent, now.tree["a.txt"].data) == (before, b"a")


def test_wrong_bytes_are_refused(filled: LoopbackHub) -> None:
    request = urllib.request.Request(
        f"{filled.storage_url}/upload/{NAME}/{'0' * 64}", data=b"other", method="PUT"
    )
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request)
    assert caught.value.code == 400
    caught.value.close()
    assert b"other" not in filled.repository(NAME).objects.values()
