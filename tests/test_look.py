"""The tokens of the style sheets."""

import re

import pytest
from support.servers import PROJECT_DIR

STATIC_DIR = PROJECT_DIR / "static"
TOKENS = STATIC_DIR / "look/look.css"
SHEETS = sorted(STATIC_DIR.rglob("*.css"))
CHECKER = STATIC_DIR / "check-receipts.html"  # one file, which has the tokens that it needs


def read_tokens(text):
    """Return the tokens with their first values, which are those of the default look."""
    return dict(reversed(re.findall(r"(--[\w-]+): ([^;]+);", text)))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_token_that_is_used_exists(sheet):
    loaded_with_it = [*TOKENS.parent.glob("*.css"), *sheet.parent.glob("*.css")]
    known = {name for each in loaded_with_it for name in read_tokens(each.read_text())}

    assert set(re.findall(r"var\((--[\w-]+)", sheet.read_text())) - known == set()


def test_checker_of_receipts_has_the_same_tokens():
    text = CHECKER.read_text()
    own = read_tokens(text)

    assert len(own) > 10
    assert own.items() <= read_tokens(TOKENS.read_text()).items()
    assert set(re.findall(r"var\((--[\w-]+)", text)) <= set(own)
