"""A page's file as tests see it: lines that can be changed, and sealed again."""

import copy
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from support.world import SECRET_KEY, World

from embed.db.connection import db
from embed.factory import create_app
from embed.maintenance.page_file.exporting import export_page
from embed.maintenance.page_file.importing import Imported, import_page
from embed.settings import Settings

Lines = list[dict[str, Any]]


def export(page_id: str) -> bytes:
    file = io.BytesIO()
    export_page(page_id, file)
    return file.getvalue()


def take_over(world: World, content: bytes, **options: Any) -> Imported:
    given = {"max_wallets": 50_000} | options
    return import_page(io.BytesIO(content), world.clock(), **given)


def move_to(world: World, database_url: str) -> None:
    """Go on with another installation, of the same secret key and with no page."""
    db.close()
    settings = Settings.from_environ({"DATABASE_URL": database_url, "SECRET_KEY": SECRET_KEY})
    world.app = create_app(settings, clock=world.clock)
    world.client = world.app.test_client(use_cookies=False)


def read_lines(content: bytes) -> Lines:
    return [json.loads(line) for line in content.splitlines()]


def write_lines(lines: Lines) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def seal(lines: Lines) -> bytes:
    """Write lines with a trailer that fits them, as somebody does who forges a file."""
    body = write_lines([line for line in lines if line["type"] != "trailer"])
    counts = Counter(line["type"] for line in lines[1:] if line["type"] != "trailer")
    trailer = {"type": "trailer", "records": counts, "sha256": hashlib.sha256(body).hexdigest()}
    return body + write_lines([trailer])


def forge(content: bytes, change: Callable[[Lines], object]) -> bytes:
    """Change the lines of a file, and seal it."""
    lines = copy.deepcopy(read_lines(content))
    change(lines)
    return seal(lines)


def find(lines: Lines, kind: str, /, **wanted: Any) -> dict[str, Any]:
    """Return the first record of a type with these values."""
    return next(line for line in lines if line["type"] == kind and wanted.items() <= line.items())
