"""Neither a crash nor an end of one check hides what the others find."""

import re

import pytest
from support.servers import PROJECT_DIR
from test_docs import read_rows

from embed.doctor.examination import Examination
from embed.doctor.findings import SEVERITY_BY_CODE, Finding, NotChecked

pytestmark = pytest.mark.slow

WRONG = Finding("database_behind", "It is wrong.", "Mend it.")


def test_check_that_crashes_says_so_without_the_text_of_its_error():
    def crash():
        yield WRONG
        raise ValueError("hush")

    examination = Examination()
    examination.add("this and that", crash())
    examination.add("what is fine", [])

    assert [each.code for each in examination.findings] == ["database_behind", "check_failed"]
    problem = examination.findings[1].problem
    assert "this and that failed: ValueError in test_examination.py, line" in problem
    assert "hush" not in problem
    assert examination.checked == ["what is fine"]


def test_what_cannot_be_checked_is_told_with_what_was_found_before():
    def give_up():
        yield WRONG
        raise NotChecked("There is no way to tell.")

    examination = Examination()
    examination.add("something", give_up())

    assert examination.findings == [WRONG]
    assert (examination.checked, examination.not_checked) == ([], ["There is no way to tell."])


def test_documentation_lists_every_finding_with_its_severity():
    rows = read_rows(
        (PROJECT_DIR / "docs/monitoring.md").read_text(), "about", "errors", "warnings"
    )
    told = [
        (code, severity)
        for row in rows
        for severity, cell in zip(("error", "warning"), row[1:], strict=True)
        for code in re.findall(r"`([a-z]+_[a-z_]+)`", cell)
    ]

    assert len(told) == len(SEVERITY_BY_CODE)
    assert dict(told) == SEVERITY_BY_CODE
