"""A loopback Hub: what Hugging Face's client and ``datasets`` need of a dataset repository.

It keeps everything in memory, listens on 127.0.0.1 only, knows git-LFS basic transfer and no Xet
(clients need ``HF_HUB_DISABLE_XET=1``), and misbehaves on demand. Large files are served from a
second port, as the real Hub serves them from another host: what arrives there must carry no token.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.hub import trouble
from tests.hub.store import MAIN, Account, Blob, Commit, Repository, Store, Wrong, check_card
from tests.hub.trouble import Trouble

WRITER = "loopback-token-of-a-writer"
READER = "loopback-token-of-a-reader"
STRANGER = "loopback-token-of-a-stranger"
OWNER = "me"

PAGE = 1000
DATE = "2024-01-01T00:00:00.000Z"
_NAME = r"(?P<name>[\w.-]+/[\w.-]+)"
_REVISION = r"(?P<revision>[^/?]+)"


@dataclass(slots=True)
class Reply:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @classmethod
    def json(cls, value: Any, status: int = 200, **headers: str) -> Reply:
        data = json.dumps(value).encode()
        return cls(status, {"Content-Type": "application/json; charset=utf-8", **headers}, data)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as the routes see it."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes
    account: Account | None

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the server keeps of a request."""

    method: str
    path: str
    has_token: bool
    size: int
    status: int


Route = Callable[["LoopbackHub", Asked, Mapping[str, str]], Reply]


class LoopbackHub:
    """The server, as a context manager.

    Attributes:
        store: accounts and repositories; ``me`` owns the tokens ``WRITER`` and ``READER`` and
            belongs to the organisation ``lab``; ``stranger`` owns ``STRANGER``.
        troubles: what goes wrong; the first that meets a request counts.
        seen: all requests that were answered, in order.
        page: entries of a page where the Hub answers in pages.
        leaks: requests to the storage's port that carried a token.
    """

    def __init__(self, *troubles_: Trouble, page: int = PAGE) -> None:
        self.store = Store(
            {
                WRITER: Account(OWNER, "write", ("lab",)),
                READER: Account(OWNER, "read", ("lab",)),
                STRANGER: Account("stranger"),
            }
        )
        self.troubles: list[Trouble] = list(troubles_)
        self.seen: list[Seen] = []
        self.leaks: list[str] = []
        self.page = page

    def __enter__(self) -> LoopbackHub:
        self._hub = _listen(self, is_storage=False)
        self._storage = _listen(self, is_storage=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for one in self.troubles:
            one.release()
        for server in (self._hub, self._storage):
            server.shutdown()
            server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._hub.server_port}"

    @property
    def storage_url(self) -> str:
        # Another name, as clients tell hosts by their names when they decide what to send a token.
        return f"http://localhost:{self._storage.server_port}"

    def environment(self, home: Path, token: str | None = None) -> dict[str, str]:
        """Return variables that make a client talk to this Hub, its cache in ``home``."""
        found = {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            # Else loading a data set asks an address on the internet.
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "NO_PROXY": "127.0.0.1,localhost",
        }
        return found if token is None else {**found, "HF_TOKEN": token}

    def repository(self, name: str) -> Repository:
        return self.store.repositories[name]

    def trouble(self, way: str, method: str, path: str, **options: Any) -> Trouble:
        """Add a trouble and return it."""
        self.troubles.append(Trouble(way, method, path, **options))
        return self.troubles[-1]

    def count(self, method: str, path: str) -> int:
        """Return how many requests with this method had this pattern in their path."""
        return sum(one.method == method and bool(re.search(path, one.path)) for one in self.seen)

    def answer(self, asked: Asked) -> Reply:
        for method, pattern, route in _ROUTES:
            found = re.fullmatch(pattern, asked.path)
            if method == asked.method and found:
                names = {key: unquote(value) for key, value in found.groupdict("").items()}
                with self.store.lock:
                    return route(self, asked, names)
        raise Wrong(404, f"No such route: {asked.method} {asked.path}")


def _listen(hub: LoopbackHub, *, is_storage: bool) -> ThreadingHTTPServer:
    handler = type("Handler", (_Handler,), {"hub": hub, "is_storage": is_storage})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    # A client that was killed leaves its connection to a thread that nobody waits for.
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


class _Cut(Exception):
    """The connection is to be closed without an answer."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: LoopbackHub
    is_storage: bool

    def handle(self) -> None:
        # A client may give up, or be killed, at any time.
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, *parts: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._meet()

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET

    def _meet(self) -> None:
        path = urlsplit(self.path).path
        now = next((one for one in self.hub.troubles if one.meets(self.command, path)), None)
        try:
            body = self._read(now)
            reply = self._answer(path, body, now)
            if now and now.way == trouble.HOLD_AFTER:
                now.hold()
            if now and now.way == trouble.CUT_AFTER:
                raise _Cut
            self._send(path, reply, len(body))
        except _Cut:
            self.close_connection = True

    def _read(self, now: Trouble | None) -> bytes:
        way = now.way if now else ""
        if now and way == trouble.SLOW:
            time.sleep(now.seconds)
        if now and way == trouble.HOLD_BEFORE:
            now.hold()
        if way in (trouble.CUT_BEFORE, trouble.HOLD_BEFORE):
            raise _Cut
        chunked = "chunked" in self.headers.get("Transfer-Encoding", "")
        length = int(self.headers.get("Content-Length", 0))
        if way in (trouble.CUT_DURING, trouble.HOLD_DURING):
            self.rfile.read(100 if chunked else length // 2)
            if now and way == trouble.HOLD_DURING:
                now.hold()
            raise _Cut
        body = self._read_chunks() if chunked else self.rfile.read(length)
        if not chunked and len(body) < length:
            raise _Cut
        return body

    def _read_chunks(self) -> bytes:
        parts = []
        while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _answer(self, path: str, body: bytes, now: Trouble | None) -> Reply:
        try:
            if now and now.way == trouble.REFUSE:
                reply = Reply.json({"error": now.message}, now.status, **now.headers)
                reply.headers["X-Error-Message"] = now.message
                return reply
            if now and now.way == trouble.ACT and now.action:
                now.action()
            if self.is_storage and self.headers.get("Authorization"):
                self.hub.leaks.append(f"{self.command} {path}")
            return self.hub.answer(
                Asked(
                    self.command,
                    path,
                    parse_qs(urlsplit(self.path).query),
                    dict(self.headers.items()),
                    body,
                    None if self.is_storage else self._account(),
                )
            )
        except Wrong as error:
            headers = {"X-Error-Message": error.message}
            if error.code:
                headers["X-Error-Code"] = error.code
            return Reply.json({"error": error.message, **error.more}, error.status, **headers)

    def _account(self) -> Account | None:
        words = self.headers.get("Authorization", "").split()
        if not words:
            return None
        account = self.hub.store.accounts.get(words[-1])
        if words[0] != "Bearer" or account is None:
            raise Wrong(401, "Invalid credentials in Authorization header")
        return account

    def _send(self, path: str, reply: Reply, size: int) -> None:
        has_token = bool(self.headers.get("Authorization"))
        self.hub.seen.append(Seen(self.command, path, has_token, size, reply.status))
        self.send_response(reply.status)
        reply.headers.setdefault("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)


def _whoami(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    if asked.account is None:
        raise Wrong(401, "Invalid username or password.")
    return Reply.json(
        {
            "type": "user",
            "id": "0" * 24,
            "name": asked.account.name,
            "fullname": asked.account.name,
            "isPro": False,
            "orgs": [{"type": "org", "name": one} for one in asked.account.organisations],
            "auth": {
                "type": "access_token",
                "accessToken": {"displayName": "token", "role": asked.account.role},
            },
        }
    )


def _create(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    if asked.account is None:
        raise Wrong(401, "Invalid username or password.")
    wanted = asked.json()
    if wanted.get("type") != "dataset":
        raise Wrong(400, "this Hub keeps datasets only")
    name = f"{wanted.get('organization') or asked.account.name}/{wanted['name']}"
    is_private = bool(wanted.get("private")) or wanted.get("visibility") == "private"
    try:
        hub.store.create(asked.account, name, is_private)
    except Wrong as error:
        if error.status == 409:
            return Reply.json(
                {"error": error.message, "url": f"{hub.url}/datasets/{name}"}, error.status
            )
        raise
    return Reply.json({"url": f"{hub.url}/datasets/{name}", "name": name, "id": "0" * 24})


def _validate(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    warnings = check_card(asked.json()["content"])
    return Reply.json({"warnings": [{"message": one} for one in warnings], "errors": []})


def _info(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"])
    commit = found.resolve(names.get("revision") or MAIN)
    return Reply.json(
        {
            "_id": "0" * 24,
            "id": found.name,
            "author": found.name.split("/")[0],
            "sha": commit.oid,
            "lastModified": DATE,
            "createdAt": DATE,
            "private": found.is_private,
            "gated": False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "siblings": [{"rfilename": path} for path in sorted(commit.tree)],
        }
    )


def _preupload(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"], to_write=True)
    tree = found.resolve(names["revision"]).tree
    return Reply.json(
        {
            "files": [
                {
                    "path": one["path"],
                    "uploadMode": "lfs"
                    if found.is_large(one["path"], b64decode(one["sample"]), one["size"], tree)
                    else "regular",
                    "shouldIgnore": found.is_ignored(one["path"], tree),
                    "oid": tree[one["path"]].etag if one["path"] in tree else None,
                }
                for one in asked.json()["files"]
            ]
        }
    )


def _batch(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"], to_write=True)
    wanted = asked.json()
    objects: list[dict[str, Any]] = []
    for one in wanted["objects"]:
        entry = {"oid": one["oid"], "size": one["size"]}
        if one["oid"] not in found.objects:
            link = f"{hub.storage_url}/upload/{found.name}/{one['oid']}"
            check = f"{hub.url}/datasets/{found.name}.git/info/lfs/objects/verify"
            entry["actions"] = {"upload": {"href": link}, "verify": {"href": check}}
        objects.append(entry)
    return Reply.json({"transfer": "basic", "objects": objects})


def _put(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    if sha256(asked.body).hexdigest() != names["oid"]:
        raise Wrong(400, "the bytes don't have the hash that was announced")
    hub.store.repositories[names["name"]].objects[names["oid"]] = asked.body
    return Reply()


def _verify(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"], to_write=True)
    wanted = asked.json()
    if len(found.objects.get(wanted["oid"], b"")) != wanted["size"]:
        raise Wrong(404, "no such object, or another size")
    return Reply.json({})


def _commit(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"], to_write=True)
    lines = [json.loads(line) for line in asked.body.splitlines() if line]
    if not lines or lines[0]["key"] != "header":
        raise Wrong(400, "a commit begins with its header")
    made = found.commit(names["revision"], lines[0]["value"], lines[1:])
    return Reply.json(
        {
            "success": True,
            "commitOid": made.oid,
            "commitUrl": f"{hub.url}/datasets/{found.name}/commit/{made.oid}",
            "hookOutput": "",
        }
    )


def _tag(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"], to_write=True)
    commit, tag = found.resolve(names["revision"]), asked.json()["tag"]
    if tag in found.tags:
        raise Wrong(409, f"Tag refs/tags/{tag} already exists")
    found.tags[tag] = commit.oid
    return Reply.json({})


def _untag(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"], to_write=True)
    if found.tags.pop(names["revision"], None) is None:
        raise Wrong(404, f"Invalid rev id: {names['revision']}", "RevisionNotFound")
    return Reply.json({})


def _branch(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"], to_write=True)
    if names["revision"] in found.branches:
        raise Wrong(409, f"Reference refs/heads/{names['revision']} already exists")
    start = (asked.json() if asked.body else {}).get("startingPoint", MAIN)
    found.branches[names["revision"]] = found.resolve(start).oid
    return Reply.json({})


def _refs(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"])

    def spell(kind: str, refs: Mapping[str, str]) -> list[dict[str, str]]:
        return [
            {"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid}
            for name, oid in sorted(refs.items())
        ]

    return Reply.json(
        {
            "branches": spell("heads", found.branches),
            "tags": spell("tags", found.tags),
            "converts": [],
            "pullRequests": [],
        }
    )


def _commits(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"])
    entries = [
        {
            "id": one.oid,
            "title": one.title,
            "message": one.message,
            "date": DATE,
            "authors": [{"user": OWNER}],
        }
        for one in found.history(names["revision"])
    ]
    return _paged(hub, asked, entries)


def _paged(hub: LoopbackHub, asked: Asked, entries: list[dict[str, Any]]) -> Reply:
    start = int(asked.query.get("cursor", ["0"])[0])
    reply = Reply.json(entries[start : start + hub.page])
    if start + hub.page < len(entries):
        kept = "".join(
            f"&{key}={values[0]}" for key, values in asked.query.items() if key != "cursor"
        )
        link = f"{hub.url}{asked.path}?cursor={start + hub.page}{kept}"
        reply.headers["Link"] = f'<{link}>; rel="next"'
    return reply


def _entry(commit: Commit, path: str) -> dict[str, Any] | None:
    """Return what the Hub tells of a file or folder, or None where nothing is."""
    blob = commit.tree.get(path)
    if blob is None:
        inside = sorted(one for one in commit.tree if one.startswith(f"{path}/"))
        if not inside:
            return None
        text = "\n".join(f"{one} {commit.tree[one].oid}" for one in inside)
        return {"type": "directory", "path": path, "size": 0, "oid": Blob(text.encode(), False).oid}
    entry: dict[str, Any] = {
        "type": "file",
        "path": path,
        "size": len(blob.data),
        "oid": blob.oid,
    }
    if blob.is_large:
        size = len(blob.data)
        entry["lfs"] = {"oid": blob.sha256, "size": size, "pointerSize": len(blob.pointer)}
    return entry


def _expanded(commit: Commit, entry: dict[str, Any], asked: str) -> dict[str, Any]:
    if asked.lower() != "true":
        return entry
    last = {"id": commit.oid, "title": commit.title, "date": DATE}
    return {**entry, "lastCommit": last}


def _tree(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"])
    commit = found.resolve(names["revision"])
    root = names.get("path", "").strip("/")
    start = f"{root}/" if root else ""
    inside = [path for path in commit.tree if path.startswith(start)]
    if root and not inside:
        raise Wrong(404, f'"{root}" does not exist on "{names["revision"]}"', "EntryNotFound")
    is_deep = asked.query.get("recursive", ["false"])[0].lower() in ("true", "1")
    paths = set()
    for path in inside:
        parts = path[len(start) :].split("/")
        for depth in range(1, len(parts) + 1) if is_deep else (1,):
            paths.add(start + "/".join(parts[:depth]))
    expand = asked.query.get("expand", ["false"])[0]
    entries = [_entry(commit, path) for path in sorted(paths)]
    return _paged(hub, asked, [_expanded(commit, one, expand) for one in entries if one])


def _paths(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"])
    commit = found.resolve(names["revision"])
    if "json" in asked.headers.get("Content-Type", asked.headers.get("content-type", "")):
        wanted = asked.json()
        paths, expand = wanted["paths"], str(wanted.get("expand", False))
    else:
        form = parse_qs(asked.body.decode())
        paths, expand = form.get("paths", []), form.get("expand", ["false"])[0]
    if len(paths) > PAGE:
        raise Wrong(413, "too many parameters")
    entries = [_entry(commit, path.strip("/")) for path in paths]
    return Reply.json([_expanded(commit, one, expand) for one in entries if one])


def _resolve(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.find(asked.account, names["name"])
    commit = found.resolve(names["revision"])
    blob = commit.tree.get(names["path"])
    if blob is None:
        raise Wrong(404, "Entry not found", "EntryNotFound")
    headers = {"X-Repo-Commit": commit.oid, "ETag": f'"{blob.oid}"'}
    if not blob.is_large:
        return _ranged(asked, blob.data, headers)
    headers |= {
        "X-Linked-Etag": f'"{blob.sha256}"',
        "X-Linked-Size": str(len(blob.data)),
        "Location": f"{hub.storage_url}/download/{found.name}/{blob.sha256}",
    }
    return Reply(302, headers)


def _download(hub: LoopbackHub, asked: Asked, names: Mapping[str, str]) -> Reply:
    found = hub.store.repositories[names["name"]]
    data = found.objects.get(names["oid"])
    if data is None:
        trees = (commit.tree.values() for commit in found.commits.values())
        data = next(
            (blob.data for tree in trees for blob in tree if blob.sha256 == names["oid"]), None
        )
    if data is None:
        raise Wrong(404, "no such object")
    return _ranged(asked, data, {"ETag": f'"{names["oid"]}"'})


def _ranged(asked: Asked, data: bytes, headers: dict[str, str]) -> Reply:
    headers = {"Accept-Ranges": "bytes", "Content-Type": "application/octet-stream", **headers}
    wanted = {key.lower(): value for key, value in asked.headers.items()}.get("range", "")
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted.replace(" ", ""))
    if not found or not any(found.groups()):
        return Reply(200, headers, data)
    first, last = found.groups()
    start = int(first) if first else max(0, len(data) - int(last))
    stop = min(len(data), int(last) + 1) if first and last else len(data)
    if start >= stop:
        headers["Content-Range"] = f"bytes */{len(data)}"
        return Reply(416, headers)
    headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(data)}"
    return Reply(206, headers, data[start:stop])


_API = f"/api/datasets/{_NAME}"
_STORAGE = f"{_NAME}/(?P<oid>[0-9a-f]{{64}})"
_ROUTES: list[tuple[str, str, Route]] = [
    ("GET", "/api/whoami-v2", _whoami),
    ("POST", "/api/repos/create", _create),
    ("POST", "/api/validate-yaml", _validate),
    ("GET", _API, _info),
    ("GET", f"{_API}/revision/{_REVISION}", _info),
    ("POST", f"{_API}/preupload/{_REVISION}", _preupload),
    ("POST", f"/datasets/{_NAME}\\.git/info/lfs/objects/batch", _batch),
    ("POST", f"/datasets/{_NAME}\\.git/info/lfs/objects/verify", _verify),
    ("PUT", f"/upload/{_STORAGE}", _put),
    ("GET", f"/download/{_STORAGE}", _download),
    ("HEAD", f"/download/{_STORAGE}", _download),
    ("POST", f"{_API}/commit/{_REVISION}", _commit),
    ("POST", f"{_API}/tag/{_REVISION}", _tag),
    ("DELETE", f"{_API}/tag/{_REVISION}", _untag),
    ("POST", f"{_API}/branch/{_REVISION}", _branch),
    ("GET", f"{_API}/refs", _refs),
    ("GET", f"{_API}/commits/{_REVISION}", _commits),
    ("GET", f"{_API}/tree/{_REVISION}(?P<path>/.*)?", _tree),
    ("POST", f"{_API}/paths-info/{_REVISION}", _paths),
    ("GET", f"/datasets/{_NAME}/resolve/{_REVISION}/(?P<path>.+)", _resolve),
    ("HEAD", f"/datasets/{_NAME}/resolve/{_REVISION}/(?P<path>.+)", _resolve),
]
