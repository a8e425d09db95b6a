"""The JSON Schema of a line of a page's file: docs/page-file.schema.json."""

from typing import Any

import msgspec

from embed.maintenance.page_file.records import ANY_RECORD, FORMAT, Header, Trailer


def build_schema() -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a page's file, {FORMAT}",
        **msgspec.json.schema(Header | ANY_RECORD | Trailer),
    }
