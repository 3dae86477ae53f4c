"""Pushing a release: one commit on a known parent, then its tag, then a look at what arrived.

Nothing is remembered between runs: what is left to do is read off the Hub each time, so that a
push that was stopped anywhere is finished by giving it again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha1, sha256
from pathlib import Path

from hub_card.arrival import inspect_arrival
from hub_card.hub import ATTRIBUTES, MAIN, Hub, HubError, Refs, RemoteFile, check_repo_id
from hub_card.manifest import read_release

SUMS = "SHA256SUMS"
MANIFEST = "manifest.json"
DATA = "data/"

# What a client or git leaves beside a release that was fetched; it isn't the release's.
_IGNORED = frozenset({ATTRIBUTES, ".git", ".cache"})
_BLOCK = 1 << 20
# Commits that are looked through for one that an earlier run made without coming to its tag.
_LATEST = 100
_SUMS_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_TAG = re.compile(r"v(\d.*)")

Tell = Callable[[str], None]
IsLater = Callable[[str, str], bool]
"""Whether one version comes after another; ValueError for what is no version."""

Inspect = Callable[..., Mapping[str, Mapping[str, int]]]
"""What looks at a tag as a stranger would; see `hub_card.arrival.inspect_arrival`."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file of the folder, with its SHA-256 and git's hash of it."""

    path: str
    size: int
    sha256: str
    oid: str

    def is_at(self, tree: Mapping[str, RemoteFile]) -> bool:
        """Whether a commit holds this very file."""
        there = tree.get(self.path)
        if there is None or there.size != self.size:
            return False
        return there.sha256 == self.sha256 if there.sha256 else there.oid == self.oid


@dataclass(frozen=True, slots=True)
class Release:
    """A release's folder, each file hashed."""

    folder: Path
    name: str
    version: str
    files: Mapping[str, LocalFile]
    rows: Mapping[str, Mapping[str, int]]

    @property
    def tag(self) -> str:
        """The tag that it is published under."""
        return f"v{self.version}"

    @property
    def title(self) -> str:
        """The title of its commit."""
        return f"Release {self.tag}"

    def is_at(self, tree: Mapping[str, RemoteFile]) -> bool:
        """Whether a commit holds all files of the release."""
        return all(file.is_at(tree) for file in self.files.values())

    def differences(self, tree: Mapping[str, RemoteFile]) -> list[str]:
        """Return the paths of the files that a commit lacks, or has otherwise."""
        return sorted(path for path, file in self.files.items() if not file.is_at(tree))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a push would do.

    Attributes:
        is_new: the repository isn't there, or isn't to be seen without a token.
        is_new_branch: the branch isn't there.
        parent: the commit to build on; None where there is none yet.
        commit: the commit that holds the release already, or None.
        is_tagged: whether the tag stands on that commit.
        send: files that the parent lacks, or has otherwise.
        same: files that stand there already.
        delete: files of an earlier release that this one lacks.
        keep: files that no release put there.
        edited: files that somebody changed there since the last release, now replaced.
        last: the last release's version, or None.
    """

    is_new: bool = False
    is_new_branch: bool = False
    parent: str | None = None
    commit: str | None = None
    is_tagged: bool = False
    send: tuple[LocalFile, ...] = ()
    same: tuple[str, ...] = ()
    delete: tuple[RemoteFile, ...] = ()
    keep: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    last: str | None = None

    @property
    def size(self) -> int:
        """Bytes of the files to send."""
        return sum(file.size for file in self.send)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a push did; with ``--dry-run`` only the plan.

    Attributes:
        commit: the commit that the tag stands on; None after a dry run.
        is_private: whether only its owners see the repository; None where it isn't known.
        did: what this run did, of ``create``, ``branch``, ``commit`` and ``tag``.
        rows: rows that were loaded back and compared, by config and split.
    """

    plan: Plan
    commit: str | None = None
    is_private: bool | None = None
    did: tuple[str, ...] = ()
    rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def read_folder(folder: Path) -> Release:
    """Read a release's folder, comparing every file with ``SHA256SUMS``.

    Raises:
        HubError: it is no release, or isn't as ``SHA256SUMS`` says.
        OSError: a file can't be read.
    """
    again = "assemble it anew with `pararecover release`; `pararecover verify` tells more"
    if not folder.is_dir():
        found = "there is no such folder" if not folder.exists() else "it is no folder"
        raise HubError(str(folder), found, "a folder that `pararecover release` wrote", again)
    name = MANIFEST
    try:
        manifest = read_release(folder / MANIFEST)
        name = SUMS
        listed = _parse_sums((folder / SUMS).read_bytes())
    except FileNotFoundError:
        raise HubError(
            str(folder), f"it lacks {name}", "a folder that `pararecover release` wrote", again
        ) from None
    except ValueError as error:
        raise HubError(
            str(folder / name), str(error), "what `pararecover release` wrote", again
        ) from None
    found_paths = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] not in _IGNORED
    }
    for path in sorted(found_paths ^ (listed.keys() | {SUMS})):
        found = f"{SUMS} doesn't list it" if path in found_paths else "it is missing"
        raise HubError(str(folder / path), found, f"the very files that {SUMS} lists", again)
    files = {path: _hash(folder, path) for path in sorted(found_paths)}
    for path, expected in listed.items():
        if files[path].sha256 != expected:
            raise HubError(
                str(folder / path),
                f"its SHA-256 is {files[path].sha256}",
                f"{expected}, as {SUMS} says",
                again,
            )
    return Release(folder, manifest["name"], manifest["version"], files, manifest["rows"])


def push(
    hub: Hub,
    release: Release,
    repo_id: str,
    is_later: IsLater,
    *,
    private: bool = False,
    branch: str = MAIN,
    tell: Tell = lambda words: None,
    shows_progress: bool = False,
    inspect: Inspect = inspect_arrival,
) -> Outcome:
    """Bring a release to the Hub, or find out that it is there.

    Args:
        hub: with a token that may write.
        release: what to push.
        repo_id: ``namespace/name``; created if it isn't there.
        is_later: the order of versions.
        private: create it for its owners only; a public one that is there is refused.
        branch: the branch that the commit goes on; made from ``main`` if it isn't there.
        tell: is told each step.
        shows_progress: let the check's downloads show bars on standard error.
        inspect: fetches and loads what arrived.

    Raises:
        HubError: anything that keeps the release from being there in full and readable.
    """
    check_repo_id(repo_id)
    _check_account(hub, repo_id)
    plan = make_plan(hub, release, repo_id, is_later, branch=branch)
    did: list[str] = []
    if plan.is_new:
        tell(f"creating {hub.page(repo_id)}")
        hub.create(repo_id, private=private)
        did.append("create")
        plan = make_plan(hub, release, repo_id, is_later, branch=branch)
    is_private = hub.is_private(repo_id)
    if private and not is_private:
        raise HubError(
            hub.page(repo_id),
            "it is there, and everybody can see it",
            "a private repository, or none (--private)",
            "make it private in its settings first, or leave --private out",
        )
    if plan.is_new_branch and plan.parent:
        tell(f"creating the branch {branch}")
        hub.create_branch(repo_id, branch, plan.parent)
        did.append("branch")
    commit = plan.commit
    if commit is None:
        commit = _commit(hub, release, repo_id, branch, plan, tell)
        did.append("commit")
    if not plan.is_tagged:
        _check_commit(hub, release, repo_id, commit)
        tell(f"tagging {commit[:12]} as {release.tag}")
        hub.tag(repo_id, release.tag, commit)
        did.append("tag")
    tell("checking what arrived")
    rows = inspect(
        hub,
        repo_id,
        release.tag,
        commit,
        release.folder,
        {path: file.sha256 for path, file in release.files.items()},
        shows_progress=shows_progress,
    )
    return Outcome(plan, commit, is_private, tuple(did), rows)


def make_plan(
    hub: Hub, release: Release, repo_id: str, is_later: IsLater, *, branch: str = MAIN
) -> Plan:
    """Find out what is left to do; nothing is changed.

    Raises:
        HubError: the tag stands on something else, or the version isn't the latest, or files
            stand in the way.
    """
    check_repo_id(repo_id)
    refs = hub.refs(repo_id)
    if refs is None:
        return Plan(is_new=True, send=tuple(release.files.values()))
    if release.tag in refs.tags:
        commit = hub.head(repo_id, release.tag)
        different = release.differences(hub.tree(repo_id, commit))
        if different:
            raise HubError(
                f"{hub.page(repo_id)}, tag {release.tag}",
                f"it is there with other content: {_listed(different)}",
                "no such tag, or one on these very files",
                "raise the version: a release that is out is never changed "
                "(`pararecover diff` says by how much)",
            )
        return Plan(commit=commit, is_tagged=True, same=tuple(release.files), last=release.version)
    last = _last_version(refs, is_later)
    if last is not None and not is_later(release.version, last):
        raise HubError(
            f"{release.folder}, version {release.version}",
            f"{hub.page(repo_id)} has v{last} already",
            f"a version later than {last}",
            "assemble it with a higher --version",
        )
    return _plan_commit(hub, release, repo_id, branch, refs, last)


def _plan_commit(
    hub: Hub, release: Release, repo_id: str, branch: str, refs: Refs, last: str | None
) -> Plan:
    is_new_branch = branch not in refs.branches
    start = refs.branches.get(branch) or refs.branches.get(MAIN)
    if start is None:
        return Plan(is_new_branch=branch != MAIN, send=tuple(release.files.values()))
    parent = hub.head(repo_id, start)
    before = hub.head(repo_id, f"v{last}") if last else None
    landed = _find_landed(hub, release, repo_id, parent, before)
    if landed:
        return Plan(
            is_new_branch=is_new_branch,
            parent=parent,
            commit=landed,
            same=tuple(release.files),
            last=last,
        )
    tree = hub.tree(repo_id, parent)
    earlier = hub.tree(repo_id, before) if before else {}
    ours = set()
    for commit, there in ((parent, tree), (before, earlier)):
        if commit is not None and SUMS in there:
            ours |= _listed_there(hub, repo_id, commit)
    send = [file for file in release.files.values() if not file.is_at(tree)]
    delete = [tree[path] for path in sorted(ours & tree.keys() - release.files.keys())]
    keep = sorted(tree.keys() - ours - release.files.keys())
    strange = [path for path in keep if path.startswith(DATA)]
    if strange:
        raise HubError(
            hub.page(repo_id),
            f"{_listed(strange)}: no release put this there",
            f"nothing but releases' files under {DATA}, where they would be loaded as rows",
            "delete it on the Hub, or push to a repository of its own",
        )
    touched = {file.path for file in send} | {file.path for file in delete}
    edited = sorted(
        path
        for path in touched & earlier.keys() & tree.keys()
        if earlier[path].oid != tree[path].oid
    )
    return Plan(
        is_new_branch=is_new_branch,
        parent=parent,
        send=tuple(send),
        same=tuple(sorted(release.files.keys() - {file.path for file in send})),
        delete=tuple(delete),
        keep=tuple(keep),
        edited=tuple(edited),
        last=last,
    )


def _commit(hub: Hub, release: Release, repo_id: str, branch: str, plan: Plan, tell: Tell) -> str:
    """Make the one commit, whatever happens to its answer; return its hash."""
    additions = hub.prepare(release.folder, [file.path for file in plan.send])
    tell(
        f"sending {_counted(len(additions), 'file')}, {plan.size:,} bytes at most; "
        f"{len(plan.same):,} are there already"
    )
    hub.upload(repo_id, branch, additions)
    tell(
        f"committing on {branch}, on top of {(plan.parent or 'nothing')[:12]}"
        + (f", deleting {_counted(len(plan.delete), 'file')}" if plan.delete else "")
    )
    deletions = [file.path for file in plan.delete]
    message = f"{release.name} {release.version}, by pararecover"
    attempt = 0
    while True:
        attempt += 1
        try:
            return hub.commit(
                repo_id, branch, plan.parent, additions, deletions, release.title, message
            )
        except HubError as error:
            failure = error
        if failure.status not in (409, 412) and not failure.is_passing:
            raise failure
        goes_on = hub.patience.goes_on(attempt, failure)
        # The commit may have happened though its answer was lost.
        head = hub.head(repo_id, branch)
        if head != plan.parent:
            landed = _find_landed(hub, release, repo_id, head, plan.parent)
            if landed:
                return landed
            raise HubError(
                f"{hub.page(repo_id)}, branch {branch}",
                f"somebody else pushed meanwhile: it stands at {head[:12]} now",
                f"the commit that this push was planned on, {(plan.parent or 'none')[:12]}",
                "see what they changed, then give the same command again: it plans anew "
                "(--dry-run shows how)",
                status=412,
            )
        if not goes_on:
            raise failure


def _find_landed(
    hub: Hub, release: Release, repo_id: str, head: str, before: str | None
) -> str | None:
    """Return the commit after ``before`` that an earlier run, or a lost answer, made."""
    for oid, title in hub.commits(repo_id, head, _LATEST):
        if oid == before:
            return None
        if title == release.title and release.is_at(hub.tree(repo_id, oid)):
            return oid
    return None


def _check_account(hub: Hub, repo_id: str) -> None:
    if not hub.has_token:
        raise HubError(
            "HF_TOKEN",
            "there is no token",
            f"a token that may write to {repo_id}",
            "log in with `hf auth login`, or set HF_TOKEN; "
            f"{hub.endpoint}/settings/tokens makes one",
        )
    account = hub.account()
    if account.role == "read":
        raise HubError(
            hub.endpoint,
            f"the token of {account.name} may only read",
            "a token of the role `write`, or a fine-grained one that may write here",
            f"make one at {hub.endpoint}/settings/tokens",
        )
    namespace = repo_id.split("/")[0]
    names = (account.name, *account.organisations)
    # What a fine-grained token may see of organisations isn't all that it may write to.
    if account.role == "write" and namespace.lower() not in map(str.lower, names):
        raise HubError(
            f"REPO_ID {repo_id!r}",
            f"{namespace!r} is neither the token's user nor one of their organisations",
            f"one of {', '.join(names)} before the slash",
            "check the spelling, or use a token of that namespace",
        )


def _check_commit(hub: Hub, release: Release, repo_id: str, commit: str) -> None:
    """Refuse to tag what isn't the release."""
    different = release.differences(hub.tree(repo_id, commit))
    if different:
        raise HubError(
            f"{hub.page(repo_id)} at {commit[:12]}",
            f"the commit isn't as {release.folder}: {_listed(different)}; no tag was set",
            "every file, with the hash that it has here",
            "a .gitignore on the Hub may keep files out, or files changed here meanwhile: see to "
            "it, and give the same command again",
        )


def _last_version(refs: Refs, is_later: IsLater) -> str | None:
    last: str | None = None
    for tag in sorted(refs.tags):
        version = _TAG.fullmatch(tag)
        try:
            if version and (last is None or is_later(version[1], last)):
                is_later(version[1], version[1])  # whether it is a version at all
                last = version[1]
        except ValueError:
            continue
    return last


def _listed_there(hub: Hub, repo_id: str, commit: str) -> set[str]:
    try:
        listed = _parse_sums(hub.read(repo_id, commit, SUMS))
    except ValueError:
        # Somebody wrote something else there; what isn't known to be ours is left alone.
        return set()
    return {*listed, SUMS}


def _parse_sums(data: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(data.decode().splitlines(), 1):
        fields = _SUMS_LINE.fullmatch(line)
        if fields is None:
            raise ValueError(f"{SUMS}, line {number}: found {line[:80]!r}, no SHA-256 and path")
        found[fields[2]] = fields[1]
    return found


def _hash(folder: Path, path: str) -> LocalFile:
    place = folder / path
    size = place.stat().st_size
    content, blob = sha256(), sha1(b"blob %d\0" % size, usedforsecurity=False)
    with place.open("rb") as file:
        while block := file.read(_BLOCK):
            content.update(block)
            blob.update(block)
    return LocalFile(path, size, content.hexdigest(), blob.hexdigest())


def _listed(paths: Collection[str], most: int = 3) -> str:
    shown = ", ".join(list(paths)[:most])
    more = len(paths) - most
    return f"{shown} and {more:,} more" if more > 0 else shown


def _counted(count: int, unit: str) -> str:
    return f"{count:,} {unit}" + "s" * (count != 1)


def describe(plan: Plan, release: Release, page: str, branch: str) -> str:
    """Return every file and byte that a push would send, and what it would delete."""
    lines = [f"{release.folder} to {page}, branch {branch}, tag {release.tag}; nothing was sent:"]
    if plan.is_new:
        lines.append("  the repository would be created (or it is private: see with a token)")
    elif plan.is_tagged:
        lines.append(f"  {release.tag} is there with these very files, nothing to do")
    elif plan.commit:
        lines.append(f"  commit {plan.commit[:12]} holds these files; only the tag is missing")
    elif plan.is_new_branch:
        lines.append(f"  the branch {branch} would be created at {(plan.parent or '')[:12]}")
    if plan.parent and not plan.commit:
        lines.append(f"  one commit on {plan.parent[:12]}, after v{plan.last or '–'}")
    lines += _table("send", ((file.path, file.size) for file in plan.send))
    lines += _table("delete", ((file.path, file.size) for file in plan.delete))
    lines += [f"  note    {path} was changed on the Hub since v{plan.last}" for path in plan.edited]
    lines += [f"  keep    {path} (of no release)" for path in plan.keep if path != ATTRIBUTES]
    lines.append(
        f"  in all  {_counted(len(plan.send), 'file')}, {plan.size:,} bytes to send; "
        f"{len(plan.same):,} unchanged; {len(plan.delete):,} to delete"
    )
    return "\n".join(lines)


def _table(word: str, files: Iterable[tuple[str, int]]) -> list[str]:
    return [f"  {word:<7} {size:>13,}  {path}" for path, size in files]
