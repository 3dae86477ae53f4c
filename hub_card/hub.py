"""Talking to the Hub: a few calls of its own client, each with bounded patience and clear errors.

The client (``huggingface_hub``) decides how bytes travel: through Xet where ``hf-xet`` is
installed, else, and with ``HF_HUB_DISABLE_XET=1``, through git-LFS. Both end in the same commit.
``HF_ENDPOINT``, ``HF_TOKEN``, ``HF_HOME`` and ``HF_HUB_OFFLINE`` work as everywhere.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, HfApi

T = TypeVar("T")

DATASET = "dataset"
MAIN = "main"
# The Hub writes this file into each repository; releases neither hold nor touch it.
ATTRIBUTES = ".gitattributes"

NO_SPACE = "no space left on the device"

_REPO_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_TOKEN = re.compile(r"[\x21-\x7e]+")
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_RATE = re.compile(r"r\s*=\s*0\s*;\s*t\s*=\s*(\d+)")


class HubError(Exception):
    """Something that the Hub, the network or the folder doesn't let us do.

    Attributes:
        where: address, repository, file or variable.
        found: what came.
        expected: what should have come.
        remedy: what the user can do.
        status: the answer's HTTP status, where there was one.
        is_passing: whether the same request may go well later.
        wait: seconds that the Hub asks to wait, where it said so.
    """

    def __init__(
        self,
        where: str,
        found: str,
        expected: str,
        remedy: str,
        *,
        status: int | None = None,
        is_passing: bool = False,
        wait: float | None = None,
    ) -> None:
        super().__init__(where, found, expected, remedy)
        self.where = where
        self.found = found
        self.expected = expected
        self.remedy = remedy
        self.status = status
        self.is_passing = is_passing
        self.wait = wait

    def __str__(self) -> str:
        return f"{self.where}: {self.found}\n  expected: {self.expected}\n  to do:    {self.remedy}"


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is tried, and how long is waited in between and for an answer.

    Attributes:
        attempts: tries of one request, the first included.
        first: seconds before the second try; they double from try to try.
        most: seconds that are waited at most when the Hub asks for it.
        silence: seconds without a byte after which a connection counts as cut.
        sleep: waits.
    """

    attempts: int = 6
    first: float = 1.0
    most: float = 300.0
    silence: float = 300.0
    sleep: Callable[[float], None] = time.sleep

    def goes_on(self, attempt: int, error: HubError, attempts: int | None = None) -> bool:
        """Wait after a failed try; return False if there is to be no other."""
        if not error.is_passing or attempt >= (attempts or self.attempts):
            return False
        if error.wait is not None and error.wait > self.most:
            return False
        self.sleep(self.first * 2 ** (attempt - 1) if error.wait is None else error.wait)
        return True


@dataclass(frozen=True, slots=True)
class Account:
    """Whose token it is; ``role`` is ``read``, ``write``, ``fineGrained`` or unknown."""

    name: str
    organisations: tuple[str, ...]
    role: str


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a commit: git's hash of it, and for large files the SHA-256 of its content."""

    path: str
    size: int
    oid: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Refs:
    """Branches and tags of a repository, each with a commit's or a tag object's hash."""

    branches: Mapping[str, str]
    tags: Mapping[str, str]


def check_repo_id(repo_id: str) -> None:
    """Refuse what names no repository.

    Raises:
        HubError: it isn't ``namespace/name``.
    """
    if not _REPO_ID.fullmatch(repo_id) or "--" in repo_id or ".." in repo_id:
        raise HubError(
            f"REPO_ID {repo_id!r}",
            "no name of a repository",
            "a user or an organisation and a name, such as ada/recovery-rows",
            "give it so; letters, digits, - _ and . may stand in it",
        )


def find_token(*, only_environment: bool = False) -> str | None:
    """Return the user's token, or None.

    Args:
        only_environment: read ``HF_TOKEN`` alone, not what ``hf auth login`` has stored.

    Raises:
        HubError: the variable is empty though it alone counts, or no token could look like it.
    """
    if only_environment:
        token = os.environ.get("HF_TOKEN", "").strip() or None
        if token is None:
            raise HubError(
                "HF_TOKEN",
                "not set, or empty",
                "a token that may write (--token-from-env reads nothing else)",
                "set it, or leave --token-from-env out to use what `hf auth login` has stored",
            )
    else:
        _require()
        from huggingface_hub import get_token

        token = get_token()
    # A header can't hold it, and the client's own error would show it.
    if token is not None and not _TOKEN.fullmatch(token):
        raise HubError(
            "HF_TOKEN" if os.environ.get("HF_TOKEN") else "the stored token",
            "it holds blanks or characters that no token has (it isn't shown here)",
            "a token as https://huggingface.co/settings/tokens gives it",
            "copy it again",
        )
    return token


class Hub:
    """A Hub, as its client reaches it.

    Args:
        endpoint: its address; by default ``HF_ENDPOINT`` or the public one.
        token: the token; by default none is sent.
        patience: how often and how long to try.

    Every method raises `HubError`; no token is ever in its text.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        token: str | None = None,
        patience: Patience | None = None,
    ) -> None:
        _require()
        from huggingface_hub import HfApi

        self.patience = patience or Patience()
        self._token = token
        self._api: HfApi = HfApi(endpoint=endpoint, token=token or False)
        self.endpoint: str = self._api.endpoint

    @property
    def has_token(self) -> bool:
        """Whether requests carry a token."""
        return self._token is not None

    def environment(self) -> dict[str, str]:
        """Return variables that make another process talk to the same Hub as the same user."""
        found = {"HF_ENDPOINT": self.endpoint}
        return found if self._token is None else {**found, "HF_TOKEN": self._token}

    def page(self, repo_id: str) -> str:
        """Return the address of a dataset's page."""
        return f"{self.endpoint}/datasets/{repo_id}"

    def scrub(self, text: str) -> str:
        """Return a text without the token."""
        return text if self._token is None else text.replace(self._token, "<token>")

    def account(self) -> Account:
        """Return whose token it is."""
        known: dict[str, Any] = self._try(f"{self.endpoint} (who am I)", self._api.whoami)
        token = (known.get("auth") or {}).get("accessToken") or {}
        return Account(
            str(known.get("name", "")),
            tuple(str(one.get("name")) for one in known.get("orgs") or ()),
            str(token.get("role", "unknown")),
        )

    def refs(self, repo_id: str) -> Refs | None:
        """Return branches and tags; None if the repository isn't there, or isn't to be seen."""
        try:
            found = self._try(
                self.page(repo_id), lambda: self._api.list_repo_refs(repo_id, repo_type=DATASET)
            )
        except HubError as error:
            is_hidden = error.status == 401 and self._token is None
            if error.status == 404 or is_hidden:
                return None
            raise
        return Refs(
            {one.name: one.target_commit for one in found.branches},
            {one.name: one.target_commit for one in found.tags},
        )

    def head(self, repo_id: str, revision: str = MAIN) -> str:
        """Return the commit that a branch, a tag or a shortened hash stands for."""
        info = self._try(
            f"{self.page(repo_id)} at {revision}",
            lambda: self._api.dataset_info(repo_id, revision=revision),
        )
        return str(info.sha)

    def is_private(self, repo_id: str) -> bool:
        """Return whether only its owners see a repository."""
        info = self._try(self.page(repo_id), lambda: self._api.dataset_info(repo_id))
        return bool(info.private)

    def tree(self, repo_id: str, revision: str) -> dict[str, RemoteFile]:
        """Return all files of a revision by path."""
        from huggingface_hub.hf_api import RepoFile

        def read() -> dict[str, RemoteFile]:
            entries = self._api.list_repo_tree(
                repo_id, recursive=True, revision=revision, repo_type=DATASET
            )
            return {
                one.path: RemoteFile(
                    one.path, one.size, one.blob_id, one.lfs.sha256 if one.lfs else None
                )
                for one in entries
                if isinstance(one, RepoFile)
            }

        return self._try(f"{self.page(repo_id)} at {revision}", read, attempts=2)

    def commits(self, repo_id: str, revision: str, most: int) -> list[tuple[str, str]]:
        """Return hash and title of the latest commits, the newest first."""
        found = self._try(
            f"{self.page(repo_id)} at {revision}",
            lambda: self._api.list_repo_commits(repo_id, revision=revision, repo_type=DATASET),
            attempts=2,
        )
        return [(one.commit_id, one.title) for one in islice(found, most)]

    def read(self, repo_id: str, revision: str, path: str) -> bytes:
        """Return the content of a small file."""

        def download() -> bytes:
            with tempfile.TemporaryDirectory(prefix="pararecover-") as folder:
                return Path(
                    self._api.hf_hub_download(
                        repo_id, path, revision=revision, repo_type=DATASET, cache_dir=folder
                    )
                ).read_bytes()

        return self._try(f"{self.page(repo_id)}, {path} at {revision}", download)

    def create(self, repo_id: str, *, private: bool) -> None:
        """Create a repository; without ``private`` its namespace's default holds."""
        try:
            self._try(
                self.page(repo_id),
                lambda: self._api.create_repo(
                    repo_id, repo_type=DATASET, private=private or None, exist_ok=True
                ),
            )
        except HubError as error:
            if error.status not in (403, 404):
                raise
            namespace = repo_id.split("/")[0]
            refused = HubError(
                self.page(repo_id),
                f"the Hub lets this token create nothing under {namespace!r} ({error.found})",
                "a namespace that exists and that the token may write to",
                f"check that {namespace!r} is your user name or an organisation that you belong "
                "to, and that the token may create repositories there",
                status=error.status,
            )
        else:
            return
        raise refused

    def create_branch(self, repo_id: str, branch: str, start: str) -> None:
        """Create a branch at a commit, unless it is there."""
        self._try(
            f"{self.page(repo_id)}, branch {branch}",
            lambda: self._api.create_branch(
                repo_id, branch=branch, revision=start, repo_type=DATASET, exist_ok=True
            ),
        )

    def prepare(self, folder: Path, paths: Sequence[str]) -> list[CommitOperationAdd]:
        """Return additions of a folder's files, for `upload` and `commit`."""
        from huggingface_hub import CommitOperationAdd

        return self._try(
            str(folder),
            lambda: [CommitOperationAdd(path, str(folder / path)) for path in paths],
        )

    def upload(self, repo_id: str, branch: str, additions: Sequence[CommitOperationAdd]) -> None:
        """Send the large files' contents; nothing shows until they are committed."""
        self._try(
            f"{self.page(repo_id)} (upload)",
            lambda: self._api.preupload_lfs_files(
                repo_id, additions, repo_type=DATASET, revision=branch, free_memory=False
            ),
            attempts=3,
        )

    def commit(
        self,
        repo_id: str,
        branch: str,
        parent: str | None,
        additions: Sequence[CommitOperationAdd],
        deletions: Sequence[str],
        title: str,
        message: str,
    ) -> str:
        """Put all changes on a branch as one commit on ``parent``; return its hash.

        It is tried once: whether a commit whose answer was lost has happened must be looked up
        before the next try. A branch that no longer stands at ``parent`` gives status 412.
        """
        from huggingface_hub import CommitOperationDelete

        made = self._try(
            f"{self.page(repo_id)} (commit)",
            lambda: self._api.create_commit(
                repo_id,
                [*additions, *(CommitOperationDelete(path, is_folder=False) for path in deletions)],
                commit_message=title,
                commit_description=message,
                repo_type=DATASET,
                revision=branch,
                parent_commit=parent,
            ),
            attempts=1,
        )
        return str(made.oid)

    def tag(self, repo_id: str, tag: str, commit: str) -> None:
        """Put a tag on a commit; done if it is there already, refused if it is elsewhere."""
        try:
            self._try(
                f"{self.page(repo_id)}, tag {tag}",
                lambda: self._api.create_tag(
                    repo_id, tag=tag, revision=commit, repo_type=DATASET, exist_ok=False
                ),
            )
        except HubError as error:
            if error.status != 409:
                raise
        else:
            return
        there = self.head(repo_id, tag)
        if there != commit:
            raise HubError(
                f"{self.page(repo_id)}, tag {tag}",
                f"it stands on commit {there[:12]} meanwhile",
                f"no such tag, or one on {commit[:12]}",
                "see who else publishes this data set; a tag is never moved by this command",
                status=409,
            )

    def snapshot(self, repo_id: str, revision: str) -> Path:
        """Return a folder of the client's cache that holds all files of a revision.

        With ``HF_HUB_OFFLINE=1`` it is what was fetched before.
        """
        # Without a network the client would quietly fall back on what a tag meant earlier.
        exact = revision if _is_offline() else self.head(repo_id, revision)
        with bars(sys.stderr.isatty()):
            place = self._try(
                f"{self.page(repo_id)} at {revision}",
                lambda: self._api.snapshot_download(repo_id, revision=exact, repo_type=DATASET),
                attempts=3,
            )
        return Path(place)

    def fetch(self, repo_id: str, revision: str, into: Path) -> Path:
        """Copy all files of a revision into a folder, which is made; return it.

        They go through the client's cache. The Hub's own ``.gitattributes`` is left out.
        """
        source = self.snapshot(repo_id, revision)
        self._try(
            str(into),
            lambda: shutil.copytree(
                source, into, dirs_exist_ok=True, ignore=shutil.ignore_patterns(ATTRIBUTES)
            ),
        )
        return into

    def _try(self, where: str, action: Callable[[], T], attempts: int | None = None) -> T:
        attempt = 0
        while True:
            attempt += 1
            try:
                with _limited(self.patience.silence):
                    return action()
            except _client_errors() as error:
                worded = self.word(where, error)
            # Raised outside of the block: the client's error, which knows the request and its
            # headers, must not hang on ours.
            if not self.patience.goes_on(attempt, worded, attempts):
                raise worded

    def word(self, where: str, error: BaseException) -> HubError:
        """Say what an error of the client, or of what uses it, means to a user."""
        root = _root(error)
        status = getattr(getattr(root, "response", None), "status_code", None)
        text = self.scrub(_first_lines(root))
        if isinstance(status, int):
            return self._word_status(where, status, root, text)
        names = {type(error).__name__, type(root).__name__}
        if names & {"LocalEntryNotFoundError", "IncompleteSnapshotError"} and _is_offline():
            return HubError(
                where,
                "not in the local cache, or not all of it, and HF_HUB_OFFLINE forbids to ask",
                "files that were fetched before",
                "unset HF_HUB_OFFLINE, or fetch them while there is a network",
            )
        if "OfflineModeIsEnabled" in names:
            return HubError(
                where,
                "HF_HUB_OFFLINE is set, so nothing was asked of the Hub",
                "a network for this command",
                "unset HF_HUB_OFFLINE",
            )
        if isinstance(root, OSError) and root.errno in (errno.ENOSPC, errno.EDQUOT):
            return HubError(
                str(root.filename or where),
                NO_SPACE,
                "room for what is fetched",
                "make room, or point HF_HOME or TMPDIR to a larger disk; then start again",
            )
        if isinstance(root, _transport_errors()) or _is_xet(root):
            return HubError(
                where,
                f"the connection failed ({type(root).__name__}: {text})",
                "an answer",
                f"check the network and HF_ENDPOINT ({self.endpoint}), then give the same command "
                "again: it goes on where it stopped",
                is_passing=True,
            )
        return HubError(
            where,
            f"{type(root).__name__}: {text}",
            "an answer as the Hub's own client understands it",
            "see the message; if it is about the card, `pararecover verify` tells more, and if "
            "about the answer's form, check HF_ENDPOINT and `pip install -U huggingface_hub`",
        )

    def _word_status(self, where: str, status: int, error: BaseException, text: str) -> HubError:
        said = self.scrub(str(getattr(error, "server_message", None) or text)).splitlines()
        found = f"HTTP {status}: {said[0] if said else ''}".rstrip(": ")
        if status in _PASSING:
            wait = _asked_wait(error)
            return HubError(
                where,
                f"{found}" + ("" if wait is None else f" (it asks to wait {wait:g} seconds)"),
                "an answer, after several tries",
                "give the same command again later: it goes on where it stopped",
                status=status,
                is_passing=True,
                wait=wait,
            )
        name = type(error).__name__
        if status == 401 and self._token is None:
            expected, remedy = (
                "a token, or a repository that everybody may read",
                "log in with `hf auth login`, or set HF_TOKEN; check the repository's name",
            )
        elif status == 401 and name != "RepositoryNotFoundError":
            expected, remedy = (
                "a token that the Hub knows",
                "the token may be mistyped, expired or revoked: make a new one at "
                f"{self.endpoint}/settings/tokens, and see that HF_TOKEN doesn't hide it",
            )
        elif status == 403:
            expected, remedy = (
                "a token that may write to this repository",
                f"make a token of the role `write` at {self.endpoint}/settings/tokens, or use the "
                "account of the repository's owner",
            )
        elif name == "RevisionNotFoundError":
            expected, remedy = ("a branch, tag or commit of this repository", "check its name")
        elif status in (401, 404):
            expected, remedy = (
                "a dataset repository that this token may see",
                "check its name; if it is private, use a token of its owner",
            )
        else:
            expected, remedy = ("the request to be accepted", "see what the Hub says")
        return HubError(where, found, expected, remedy, status=status)


@contextmanager
def bars(shows: bool) -> Iterator[None]:
    """Keep the client's progress bars off where nobody wants them, or nobody sees them."""
    from huggingface_hub.utils.tqdm import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    if shows or are_progress_bars_disabled() or os.environ.get("HF_HUB_DISABLE_PROGRESS_BARS"):
        yield
        return
    disable_progress_bars()
    try:
        yield
    finally:
        enable_progress_bars()


def _require() -> None:
    if find_spec("huggingface_hub") is None:
        raise HubError(
            "huggingface_hub",
            "the package isn't installed",
            "the extra `hub`",
            "pip install 'pararecover[hub]'",
        )


def _transport_errors() -> tuple[type[BaseException], ...]:
    """Return what a failed connection raises; the client has changed its HTTP library twice."""
    found: list[type[BaseException]] = [ConnectionError, TimeoutError]
    for library, names in (
        ("httpx2", ("TransportError", "StreamError")),
        ("httpx", ("TransportError", "StreamError")),
        ("requests", ("ConnectionError", "Timeout")),
    ):
        module = sys.modules.get(library)
        found += [getattr(module, name) for name in names if module]
    return tuple(found)


def _client_errors() -> tuple[type[BaseException], ...]:
    return (*_transport_errors(), OSError, ValueError, RuntimeError, KeyError)


def _is_offline() -> bool:
    from huggingface_hub import constants

    return bool(constants.HF_HUB_OFFLINE)


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Let no connection be silent for longer; the client itself would wait for ever."""
    from huggingface_hub import get_session

    session: Any = get_session()
    before = getattr(session, "timeout", None)
    session.timeout = seconds
    try:
        yield
    finally:
        session.timeout = before


def _root(error: BaseException) -> BaseException:
    """Return the error that says most: uploads wrap theirs, the metadata's errors too."""
    known = (*_transport_errors(), OSError)
    telling = error
    while not hasattr(telling, "response") and not isinstance(telling, known):
        if telling.__cause__ is None:
            return telling
        telling = telling.__cause__
    # What wraps an answer's error is an OSError too, as is a file that isn't in the cache.
    while not hasattr(telling, "response") and hasattr(telling.__cause__, "response"):
        telling = telling.__cause__  # type: ignore[assignment]  # it has an attribute
    return telling


def _is_xet(error: BaseException) -> bool:
    # hf-xet raises plain errors for all that goes wrong on its way, after tries of its own.
    name = type(error).__name__
    return (isinstance(error, RuntimeError) and "hf_xet" in sys.modules) or name.startswith("Xet")


def _first_lines(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "; ".join(lines[:3]) or type(error).__name__


def _asked_wait(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", {})
    limit = _RATE.search(headers.get("RateLimit", ""))
    if limit:
        return float(limit[1]) + 1
    try:
        return max(0.0, float(headers.get("Retry-After", "")))
    except ValueError:
        return None
