"""The JSON Schema of a line of a page's file: docs/page-file.schema.json."""

import json
import sys
from typing import Any

import msgspec

from embed.maintenance.page_file.lines import FORMAT, Header, Trailer
from embed.maintenance.page_file.records import ANY_RECORD


def build_schema() -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a page's file, {FORMAT}",
        **msgspec.json.schema(Header | ANY_RECORD | Trailer),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(build_schema(), indent=2) + "\n")
