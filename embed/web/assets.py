"""Static files, minified, under an address that changes with their content, cached for a year."""

import hashlib
import mimetypes
import posixpath
import re
from datetime import timedelta
from functools import cache
from pathlib import PurePath

import brotli
import rcssmin
import rjsmin
from flask import Flask, Response, abort, request

from embed.domain.origins import parse_origin
from embed.settings import PROJECT_DIR
from embed.web.compression import compress_once
from embed.web.current import runtime
from embed.web.security_headers import allow_loading

STATIC_DIR = PROJECT_DIR / "static"
CACHED_FOR = timedelta(days=365)
SCRIPT_CACHED_FOR = timedelta(hours=1)
_MINIFIERS = {".js": rjsmin.jsmin, ".css": rcssmin.cssmin}

_IMPORT = re.compile(r'^(?:import|export)\b[^;]*?\bfrom "(\.{1,2}/[^"]+)";', re.MULTILINE)


def init_assets(app: Flask) -> None:
    digest = hash_folder()

    # One hash for the whole folder: JavaScript modules import each other by relative addresses,
    # which then contain the hash too.
    @app.get("/static/<folder_digest>/<path:name>")
    def static_file(folder_digest: str, name: str) -> Response:
        if name not in _list_files():
            abort(404)
        response = _send(name)
        # Another version's address gets the current file, which must not be cached there.
        if folder_digest == digest:
            response.cache_control.max_age = int(CACHED_FOR.total_seconds())
            response.cache_control.immutable = True
            response.headers.remove("ETag")  # nobody revalidates it
        else:
            response.cache_control.no_cache = True
        return response

    @app.get("/embed.js")
    def embed_script() -> Response:
        # Other sites use this fixed address, so it is cached for a short time only.
        origin = parse_origin(runtime().settings.public_url or "")
        response = _send("embed.js", written=origin or "")
        response.cache_control.max_age = int(SCRIPT_CACHED_FOR.total_seconds())
        return response

    app.jinja_env.globals["asset"] = lambda name: f"/static/{digest}/{name}"
    app.jinja_env.globals["list_modules"] = list_modules


@cache
def list_modules(*names: str) -> tuple[str, ...]:
    """Return the names of scripts and of all that they import, directly or indirectly.

    Pages name all of them so browsers request them at once; otherwise browsers find an import only
    after loading the module that contains it. Dynamic imports aren't included.
    """
    found = set(names)
    new = list(names)
    while new:
        name = new.pop()
        folder = posixpath.dirname(name)
        for target in _IMPORT.findall((STATIC_DIR / name).read_text(encoding="utf-8")):
            imported = posixpath.normpath(posixpath.join(folder, target))
            if imported not in found:
                found.add(imported)
                new.append(imported)
    return tuple(sorted(found))


@cache
def _list_files() -> frozenset[str]:
    files = (path for path in STATIC_DIR.rglob("*") if path.is_file())
    return frozenset(path.relative_to(STATIC_DIR).as_posix() for path in files)


def _send(name: str, *, written: str = "") -> Response:
    """Return a file; `written` is the service's origin, for a script that gets copied."""
    content = (STATIC_DIR / name).read_bytes()
    if written:
        content = content.replace(b'written = "";', f'written = "{written}";'.encode())
    is_packed = PurePath(name).suffix in _MINIFIERS and request.accept_encodings["br"] > 0
    content, etag = _minify(name, content, is_packed=is_packed)
    response = Response(content, mimetype=mimetypes.guess_type(name)[0])
    if is_packed:
        response.content_encoding = "br"
    allow_loading(response)
    # Other sites load modules from here, and browsers fetch those with CORS.
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.set_etag(etag)
    response.make_conditional(request)
    return compress_once(response, etag)


@cache
def _minify(name: str, content: bytes, *, is_packed: bool) -> tuple[bytes, str]:
    """Return a file's content as it's sent, and its ETag.

    Scripts and style sheets are a third smaller without comments and indentation. Brotli's best
    level saves 6 percent more and costs each process some milliseconds.
    """
    minify = _MINIFIERS.get(PurePath(name).suffix)
    if minify is not None:
        content = minify(content)
    etag = hashlib.sha256(content).hexdigest()[:16]
    return (brotli.compress(content), f"{etag}:br") if is_packed else (content, etag)


def hash_folder() -> str:
    """Return a short hash of every static file's name and content."""
    total = hashlib.sha256()
    for name in sorted(_list_files()):
        total.update(f"{name}\0".encode() + (STATIC_DIR / name).read_bytes())
    return total.hexdigest()[:16]
