"""The tests that docs/ name as proof are there."""

import ast
import re

import pytest
from support.servers import PROJECT_DIR
from test_docs import PAGES, read_rows

_CITED = re.compile(r"\b(tests/[\w/.-]+)(?:::(\w+))?")
SECURITY = (PROJECT_DIR / "docs/security.md").read_text()


def list_missing(text: str) -> list[str]:
    """Return what a text cites and the project does not have."""
    return [
        f"{path}::{name}" if name else path
        for path, name in _CITED.findall(text)
        if not (PROJECT_DIR / path).exists() or (name and name not in list_tests(path))
    ]


def list_tests(path: str) -> set[str]:
    tree = ast.parse((PROJECT_DIR / path).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_cited_tests_exist(page):
    assert list_missing(page.read_text()) == []


def test_missing_tests_would_be_found():
    text = (
        "`tests/test_cited_tests.py::test_cited_tests_exist`, `tests/test_docs.py`, "
        "`tests/test_docs.py::test_of_nothing`, `tests/test_nothing.py::test_cited_tests_exist`"
    )

    assert list_missing(text) == [
        "tests/test_docs.py::test_of_nothing",
        "tests/test_nothing.py::test_cited_tests_exist",
    ]


def test_every_cannot_of_the_security_page_is_shown_by_a_test():
    rows = read_rows(SECURITY, "in their hands", "they can", "they cannot", "what to do")
    claims = [claim for _, _, claims, *_ in rows for claim in claims.split("; ") if claim != "–"]
    numbers = {re.fullmatch(r".+ \[(\d+)\]", claim)[1] for claim in claims}
    shown_by = dict(re.findall(r"^(\d+)\. (.+)$", SECURITY.split("## What shows it")[1], re.M))

    assert len(claims) > 40
    assert len(set(claims)) == len({claim.rpartition(" ")[0] for claim in claims})
    assert numbers == set(shown_by) == {str(1 + index) for index in range(len(shown_by))}
    assert [number for number, tests in shown_by.items() if "::test_" not in tests] == []
