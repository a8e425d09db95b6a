"""Create all tables of this version.

Later migrations skip a new database. Databases of version 0.7.0 skip this one.
"""

from typing import Any

from embed.db.models import MODELS


def up(_: Any, db: Any) -> None:
    with db.bind_ctx(MODELS):
        db.create_tables(MODELS, safe=False)
