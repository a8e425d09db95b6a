"""Databases that a test fills, saves, restores and reads, one after the other."""

from collections.abc import Callable

import pytest
from support.filled_database import fill


@pytest.fixture
def fresh(request, make_sqlite) -> Callable[[str], str]:
    """Make a database without rows: ``fresh("sqlite")``, ``fresh("postgres")``."""

    def make(kind: str) -> str:
        return make_sqlite() if kind == "sqlite" else request.getfixturevalue("make_postgres")()

    return make


@pytest.fixture
def filled_url(database_url) -> str:
    """The address of a database with rows in every table."""
    fill(database_url)
    return database_url
