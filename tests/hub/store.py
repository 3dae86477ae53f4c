"""What the loopback Hub remembers: repositories with commits, branches, tags and large objects."""

from __future__ import annotations

import threading
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from hashlib import sha1, sha256
from typing import Any

import yaml

MAIN = "main"
LARGE = 10 << 20
# The patterns that matter to releases, of those that the Hub writes into a new dataset.
ATTRIBUTES = "".join(
    f"*.{kind} filter=lfs diff=lfs merge=lfs -text\n"
    for kind in ("7z", "arrow", "bin", "gz", "jpeg", "jpg", "parquet", "png", "tar", "webp", "zip")
).encode()


class Wrong(Exception):
    """A request that the Hub answers with an error."""

    def __init__(self, status: int, message: str, code: str = "", **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.more = more


@dataclass(frozen=True, slots=True)
class Account:
    """Whose token it is and what it may do."""

    name: str
    role: str = "write"
    organisations: tuple[str, ...] = ()

    @property
    def namespaces(self) -> tuple[str, ...]:
        return (self.name, *self.organisations)


@dataclass(frozen=True, slots=True)
class Blob:
    """A file's content; ``oid`` is git's, for large files that of their pointer."""

    data: bytes
    is_large: bool

    @property
    def sha256(self) -> str:
        return sha256(self.data).hexdigest()

    @property
    def pointer(self) -> bytes:
        return (
            "version https://git-lfs.github.com/spec/v1\n"
            f"oid sha256:{self.sha256}\nsize {len(self.data)}\n"
        ).encode()

    @property
    def oid(self) -> str:
        text = self.pointer if self.is_large else self.data
        return sha1(b"blob %d\0" % len(text) + text).hexdigest()

    @property
    def etag(self) -> str:
        return self.sha256 if self.is_large else self.oid


Tree = Mapping[str, Blob]


@dataclass(frozen=True, slots=True)
class Commit:
    oid: str
    parent: str | None
    title: str
    message: str
    tree: Tree


@dataclass(slots=True)
class Repository:
    """One dataset; tests may look into it and change it as they like."""

    name: str
    is_private: bool = False
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.add(MAIN, "initial commit", {".gitattributes": Blob(ATTRIBUTES, False)})

    def add(self, branch: str, title: str, tree: Tree, message: str = "") -> Commit:
        """Put a commit with this tree on a branch."""
        parent = self.branches.get(branch)
        words = [str(parent), title, *(f"{path} {tree[path].oid}" for path in sorted(tree))]
        # Two commits may say the same of the same parent.
        words.append(str(len(self.commits)))
        oid = sha1("\n".join(words).encode()).hexdigest()
        self.commits[oid] = Commit(oid, parent, title, message, dict(tree))
        self.branches[branch] = oid
        return self.commits[oid]

    def change(self, title: str, changes: Mapping[str, bytes | None], branch: str = MAIN) -> Commit:
        """Commit as somebody else would: new contents by path, None to delete."""
        tree = dict(self.commits[self.branches[branch]].tree)
        for path, data in changes.items():
            if data is None:
                del tree[path]
            else:
                tree[path] = Blob(data, self.is_large(path, data[:512], len(data), tree))
        return self.add(branch, title, tree)

    def resolve(self, revision: str) -> Commit:
        for names in (self.branches, self.tags):
            if revision in names:
                return self.commits[names[revision]]
        found = [oid for oid in self.commits if len(revision) >= 7 and oid.startswith(revision)]
        if len(found) != 1:
            raise Wrong(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return self.commits[found[0]]

    def history(self, revision: str) -> Iterator[Commit]:
        commit: Commit | None = self.resolve(revision)
        while commit is not None:
            yield commit
            commit = self.commits[commit.parent] if commit.parent else None

    def head(self, branch: str = MAIN) -> Commit:
        return self.commits[self.branches[branch]]

    def is_large(self, path: str, sample: bytes, size: int, tree: Tree) -> bool:
        attributes = tree[".gitattributes"].data.decode() if ".gitattributes" in tree else ""
        patterns = [line.split()[0] for line in attributes.splitlines() if "filter=lfs" in line]
        name = path.rsplit("/", 1)[-1]
        is_listed = any(fnmatch(path, one) or fnmatch(name, one) for one in patterns)
        return is_listed or size > LARGE or b"\0" in sample

    def is_ignored(self, path: str, tree: Tree) -> bool:
        lines = tree[".gitignore"].data.decode().split() if ".gitignore" in tree else []
        return any(fnmatch(path, one) or fnmatch(path.rsplit("/", 1)[-1], one) for one in lines)

    def commit(
        self, branch: str, header: Mapping[str, Any], operations: Iterable[Mapping[str, Any]]
    ) -> Commit:
        """Apply the operations of a commit request as one.

        Raises:
            Wrong: the branch or a file isn't there, the parent is stale, an object is missing.
        """
        if branch not in self.branches:
            raise Wrong(404, f"Invalid rev id: {branch}", "RevisionNotFound")
        known = header.get("parentCommit")
        if known is not None and not self.branches[branch].startswith(known):
            raise Wrong(412, "A commit has happened since. Please refresh and try again.")
        tree = dict(self.head(branch).tree)
        for operation in operations:
            self._apply(tree, operation["key"], operation["value"])
        return self.add(branch, header["summary"], tree, header.get("description", ""))

    def _apply(self, tree: dict[str, Blob], key: str, value: Mapping[str, Any]) -> None:
        path = value["path"]
        if key == "file":
            data = b64decode(value["content"], validate=True)
            if len(data) > LARGE:
                raise Wrong(400, f"{path}: files over 10 MB must be stored as large files")
            if path == "README.md":
                check_card(data.decode())
            tree[path] = Blob(data, False)
        elif key == "lfsFile":
            if value["oid"] not in self.objects:
                raise Wrong(400, f"{path}: no large object {value['oid']} was uploaded")
            tree[path] = Blob(self.objects[value["oid"]], True)
        elif key == "deletedFile":
            if path not in tree:
                raise Wrong(404, "A file with this name doesn't exist", "EntryNotFound")
            del tree[path]
        else:
            raise Wrong(400, f"unknown operation {key}")


@dataclass(slots=True)
class Store:
    """All repositories and accounts; one lock guards them."""

    accounts: dict[str, Account] = field(default_factory=dict)
    repositories: dict[str, Repository] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def create(self, account: Account, name: str, is_private: bool) -> Repository:
        namespace = name.split("/")[0]
        if account.role == "read" or namespace not in account.namespaces:
            raise Wrong(
                403,
                f'You don\'t have the rights to create a dataset under the namespace "{namespace}"',
            )
        if name in self.repositories:
            raise Wrong(409, "You already created this dataset repo")
        self.repositories[name] = Repository(name, is_private)
        return self.repositories[name]

    def find(self, account: Account | None, name: str, *, to_write: bool = False) -> Repository:
        """Return a repository that the account may read, or write to.

        As on the real Hub, nobody can tell what is missing from what is hidden.
        """
        found = self.repositories.get(name)
        owns = account is not None and name.split("/")[0] in account.namespaces
        if found is None or (found.is_private and not owns):
            if account is None:
                raise Wrong(401, "Invalid username or password.")
            raise Wrong(404, "Repository not found", "RepoNotFound")
        if to_write and account is None:
            raise Wrong(401, "Invalid username or password.")
        if to_write and account is not None and (account.role == "read" or not owns):
            raise Wrong(
                403,
                "Forbidden: you don't have the rights to write to this repository with this token",
            )
        return found


def check_card(text: str) -> list[str]:
    """Return warnings of a card's YAML.

    Raises:
        Wrong: the YAML is broken.
    """
    if not text.startswith("---\n"):
        return ["empty or missing yaml metadata in repo card"]
    try:
        value = yaml.safe_load(text[4:].split("\n---", 1)[0])
    except yaml.YAMLError as error:
        problem = {"message": f"invalid YAML: {error}"}
        raise Wrong(400, "Invalid metadata in README.md", errors=[problem]) from None
    if not isinstance(value, dict):
        problem = {"message": "the metadata is no mapping"}
        raise Wrong(400, "Invalid metadata in README.md", errors=[problem])
    return []
