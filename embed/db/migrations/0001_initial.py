"""All tables of this version. A new database needs nothing else, so later migrations skip it."""

from typing import Any

from embed.db.models import MODELS


def up(_: Any, db: Any) -> None:
    with db.bind_ctx(MODELS):
        db.create_tables(MODELS, safe=False)
