"""The JSON Schema of a page's file.

python -m tests.maintenance.page_file.page_schema > docs/page-file.schema.json
"""

import json
import sys
from typing import Any

import msgspec

from embed.maintenance.page_file.tables import LINE, Header


def build_schema() -> dict[str, Any]:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a page's file",
        **msgspec.json.schema(Header | LINE),
    }
    return json.loads(json.dumps(schema))  # a default that is a tuple becomes a list


if __name__ == "__main__":
    sys.stdout.write(json.dumps(build_schema(), indent=2) + "\n")
