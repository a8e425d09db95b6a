"""The JSON Schema in docs/ describes every line of a file."""

import json

import pytest
from jsonschema import Draft202012Validator
from page_files import export, find, read_lines
from page_schema import build_schema
from support.servers import PROJECT_DIR

pytestmark = pytest.mark.slow

SCHEMA = json.loads((PROJECT_DIR / "docs/page-file.schema.json").read_text())


def test_schema_in_the_docs_is_the_one_that_files_are_read_with():
    """To renew it, run tests/maintenance/page_file/page_schema.py as it says."""
    assert build_schema() == SCHEMA
    Draft202012Validator.check_schema(SCHEMA)


def test_every_line_of_a_file_is_valid(filled):
    validator = Draft202012Validator(SCHEMA)

    for line in read_lines(export(filled.page_id)):
        validator.validate(line)


def test_what_is_refused_is_not_valid(filled):
    tag, validator = find(read_lines(export(filled.page_id)), "tag"), Draft202012Validator(SCHEMA)

    for wrong in (
        *({"color": "Not a color"}, {"name": None}, {"name": "two\nlines"}, {"more": 1}),
        *({"createdAtIso": "2026-01-31"}, {"id": "short"}, {"type": "surprise"}),
    ):
        assert not validator.is_valid(tag | wrong), wrong
