"""Serves the static files of pages: scripts, style sheets, fonts and pictures.

All files have addresses below one path that contains a hash of all their contents, such as `/static/3f9a…/site/…`. So
browsers can cache a file without limit, and still load all new files after an update. Files refer to each other by
relative addresses, which stay below the same path. The same files are also served below `/static/` without the hash; a
browser must then check for changes each time.
"""

from __future__ import annotations

import asyncio
import gzip
import mimetypes
from collections.abc import Iterable
from functools import cache, cached_property
from hashlib import sha256
from importlib import resources
from pathlib import Path, PurePosixPath

from markupsafe import Markup
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from lapilli.site.http.compression import takes_gzip
from lapilli.viewer.theme import rules

_FOLDERS = {
    "viewer/static": ("lapilli.viewer", "static"),
    "viewer/built": ("lapilli.viewer", "built"),
    "site/frontend/static": ("lapilli.site.frontend", "static"),
    "site/frontend/built": ("lapilli.site.frontend", "built"),
    "arena/static": ("lapilli.arena.pages", "static"),
}
"""Folders of static files: for each path below `/static/`, the package and its folder."""
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_PACKED = (".woff2", ".png")
"""Types of files that are compressed already."""
_STYLE = "site/frontend/static/site.css"
"""The style sheet of all pages. It is served with the colours of `lapilli.viewer.theme` at its beginning. This saves a
request.
"""
_FOREVER = "public, max-age=31536000, immutable"
_BUNDLES = {
    "ide/ide": ("site/frontend/static/ide/ide.js", "site/frontend/built/editor.js"),
    "player": ("viewer/static/player/page.js", "viewer/built/page.js"),
    "analysed": ("viewer/static/analysis/analysed.js", "viewer/built/analysed.js"),
}
"""Scripts with a bundle of their own, by name: paths of the module and of the bundle. Of the others, those in the
folder `study` are in `study.js`, and the rest in `pages.js`."""


class _File:
    """A static file in memory.

    Attributes:
        content: the file's bytes.
        type: value of the header Content-Type.
        tag: value of the header ETag.
    """

    def __init__(self, path: str, content: bytes) -> None:
        suffix = PurePosixPath(path).suffix
        self.content = content
        self.type = _TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
        self.tag = f'"{sha256(content).hexdigest()[:20]}"'
        self._is_packed = suffix in _PACKED

    @cached_property
    def packed(self) -> bytes | None:
        """The content, compressed by gzip; None if that would not make it smaller."""
        return None if self._is_packed else gzip.compress(self.content, 9, mtime=0)


class Assets:
    """The static files of all pages, in memory, as an ASGI application.

    Args:
        files: contents of the files, by path.

    Attributes:
        version: hash of all paths and contents.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = {path: _File(path, content) for path, content in files.items()}
        tags = "".join(f"{path} {file.tag}\n" for path, file in sorted(self._files.items()))
        self.version = sha256(tags.encode()).hexdigest()[:16]

    def address(self, path: str) -> str:
        """Returns the address of the file at `path`. The address contains `version`."""
        return f"/static/{self.version}/{path}"

    @cached_property
    def is_bundled(self) -> bool:
        """Whether pages load bundles. If not, they load the modules one by one.

        The value is False if a module was changed after the last `npm run build`, because the bundles are then
        outdated.
        """
        modules = {path: file.content for path, file in self._files.items() if path.endswith(".js")}
        bundle = modules.get("site/frontend/built/pages.js", b"").partition(b"\n")[0]
        return bundle.endswith(modules_hash(modules).encode())

    def content(self, path: str) -> bytes:
        """Returns the bytes of a file."""
        return self._files[path].content

    def script(self, name: str) -> Markup:
        """Returns the element that loads a page's script.

        Args:
            name: path of a module in `site/frontend/static`, without ".js"; or "player" for the page of a match, or
                "analysed" for the page of a match with an analysis.
        """
        bundle = "study" if name.startswith("study/") else "pages"
        usual = f"site/frontend/static/{name}.js", f"site/frontend/built/{bundle}.js"
        module, bundle = _BUNDLES.get(name, usual)
        element = Markup('<script type="module" src="{}" data-script="{}"></script>')
        return element.format(self.address(bundle if self.is_bundled else module), name)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise HTTPException(404)
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405)
        whole = scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/")
        first, _, rest = whole.partition("/")
        path = rest if rest in self._files else whole
        file = self._files.get(path)
        if file is None:
            raise HTTPException(404)
        # During an update, a page of another version may ask for a file. It gets this version's file, which the browser
        # must not cache under the other version's address.
        cached = _FOREVER if first == self.version and path == rest else "no-cache"
        headers = {"Cache-Control": cached, "ETag": file.tag, "Vary": "Accept-Encoding"}
        asked = Headers(scope=scope)
        if file.tag in asked.get("if-none-match", ""):
            await Response(None, 304, headers)(scope, receive, send)
            return
        content = file.content
        if takes_gzip(asked) and (packed := await asyncio.to_thread(lambda: file.packed)) is not None:
            content, headers["Content-Encoding"] = packed, "gzip"
        await Response(content, 200, headers | {"Content-Type": file.type})(scope, receive, send)


def modules_hash(modules: dict[str, bytes]) -> str:
    """Returns the hash of all modules that the site's bundles are built from. It shows whether bundles are outdated.

    `bundle.js` computes the same hash when it builds the bundles.

    Args:
        modules: contents by path, as in "viewer/static/board/board.js"; other paths are ignored.
    """
    sources = ("site/frontend/static/", "viewer/static/")
    paths = sorted(path for path in modules if path.startswith(sources))
    return sha256(b"".join(f"{path}\n".encode() + modules[path] for path in paths)).hexdigest()[:16]


@cache
def assets() -> Assets:
    """Returns the static files of this program's pages. They are read once: restart the site after a change."""
    files = dict(_files())
    theme = rules(marks=True).encode()
    return Assets(files | {"theme.css": theme, _STYLE: theme + files[_STYLE]})


def _files() -> Iterable[tuple[str, bytes]]:
    for address, (package, name) in _FOLDERS.items():
        folder = Path(str(resources.files(package) / name))
        for file in sorted(folder.rglob("*")):
            if file.is_file() and not file.name.endswith(".new"):
                yield f"{address}/{file.relative_to(folder).as_posix()}", file.read_bytes()
