"""Every finding is documented, and made true by a test."""

import re

import pytest
from support.servers import PROJECT_DIR
from test_docs import read_rows

from embed.doctor.findings import SEVERITY_BY_CODE

pytestmark = pytest.mark.slow


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


def test_every_finding_is_expected_by_a_test():
    tests = [*(PROJECT_DIR / "tests/doctor").glob("test_*.py")]
    text = "".join(path.read_text() for path in tests)

    assert len(tests) >= 6
    assert [code for code in SEVERITY_BY_CODE if f'"{code}"' not in text] == []
