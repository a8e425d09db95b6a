"""Small pictures of addresses: the same ones from Python and from the browser's script."""

import json
from pathlib import Path

import pytest

from embed.web.avatar import draw_avatar

CASES = json.loads((Path(__file__).parents[1] / "support/avatar_cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["address"][:4])
def test_avatar_is_the_one_of_the_shared_case(case):
    assert draw_avatar(case["address"]) == (case["path"], case["fill"])
