"""Every finding is documented, and made true by a test."""

import pytest
from servers import PROJECT_DIR
from test_docs import read_rows, unquote

from embed.doctor.findings import SEVERITY_BY_CODE

pytestmark = pytest.mark.slow


def test_documentation_lists_every_finding_with_its_severity():
    rows = read_rows((PROJECT_DIR / "docs/monitoring.md").read_text(), "code", "severity")

    assert [(unquote(code), severity) for code, severity, _ in rows] == [*SEVERITY_BY_CODE.items()]


def test_every_finding_is_expected_by_a_test():
    tests = [*(PROJECT_DIR / "tests/doctor").glob("test_*.py")]
    text = "".join(path.read_text() for path in tests)

    assert len(tests) >= 6
    assert [code for code in SEVERITY_BY_CODE if f'"{code}"' not in text] == []
