"""docs/privacy.md lists all that is kept."""

import re

import pytest
from peewee import BlobField, CharField, TextField
from support.servers import PROJECT_DIR
from test_docs import read_rows

from embed.db.models import MODELS

PRIVACY = (PROJECT_DIR / "docs/privacy.md").read_text()
ROWS = {row[0].strip("`"): row for row in read_rows(PRIVACY, "table", "columns of text")}


def test_every_table_is_listed_and_no_other():
    assert list(ROWS) == [model._meta.table_name for model in MODELS]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.table_name)
def test_every_column_that_can_hold_a_text_is_listed(model):
    columns = {
        field.column_name
        for field in model._meta.sorted_fields
        if isinstance(field, CharField | TextField | BlobField)
    }

    assert set(re.findall(r"`(\w+)`", ROWS[model._meta.table_name][1])) == columns


@pytest.mark.parametrize("table", ROWS)
def test_every_table_says_what_for_how_long_and_who_is_told(table):
    assert len(ROWS[table]) == 5
    assert all(ROWS[table])
