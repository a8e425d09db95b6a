"""Processes that share a database and work in the background."""

from collections.abc import Iterator

import pytest
from scene import Scene


@pytest.fixture(params=["sqlite"])
def scene(request, tmp_path) -> Iterator[Scene]:
    """A database, in which nobody works yet."""
    fixture = "make_sqlite" if request.param == "sqlite" else "postgres_database_url"
    found = request.getfixturevalue(fixture)
    scene = Scene(tmp_path, found() if callable(found) else found)
    yield scene
    scene.end()
