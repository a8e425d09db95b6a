"""Checks run at the same time, and neither a crash nor a hang of one hides the others."""

import threading

import pytest

from embed.doctor.examination import Check, run_together
from embed.doctor.findings import SEVERITY_BY_CODE, Finding, NotChecked, quote

pytestmark = pytest.mark.slow

FINE = Check("what is fine", lambda: ())
WRONG = Finding("no_worker", "It is wrong.", "Mend it.")


def test_findings_keep_the_order_of_the_checks():
    first = Finding("database_missing", "First.", "Mend it.")

    total = run_together([Check("one", lambda: [first]), FINE, Check("two", lambda: [WRONG])])

    assert total.findings == [first, WRONG]
    assert total.checked == ["one", "what is fine", "two"]
    assert total.has_errors


def test_checks_run_at_the_same_time():
    together = threading.Barrier(2, timeout=30)

    def wait_for_the_other():
        together.wait()
        return ()

    waits = Check("a wait", wait_for_the_other)

    assert run_together([waits, waits]).findings == []


def test_check_that_crashes_says_so_without_the_text_of_its_error():
    def crash():
        yield WRONG
        raise ValueError("hush")

    total = run_together([Check("this and that", crash), FINE])

    assert [each.code for each in total.findings] == ["no_worker", "check_failed"]
    assert (
        "this and that failed: ValueError in test_examination.py, line" in total.findings[1].problem
    )
    assert "hush" not in total.findings[1].problem
    assert total.checked == ["what is fine"]


def test_check_that_takes_too_long_is_left_behind():
    is_over = threading.Event()

    def hang():
        is_over.wait(60)
        return ()

    total = run_together([Check("a wait", hang), FINE], 3)
    is_over.set()

    assert [each.problem for each in total.findings] == [
        "The check of a wait took longer than 3 seconds."
    ]
    assert total.checked == ["what is fine"]


def test_what_cannot_be_checked_is_told_with_what_was_found_before():
    def give_up():
        yield WRONG
        raise NotChecked("There is no way to tell.")

    total = run_together([Check("something", give_up)])

    assert total.findings == [WRONG]
    assert (total.checked, total.not_checked) == ([], ["There is no way to tell."])


def test_warnings_are_no_errors():
    warning = Finding("certificate_expiring", "Soon.", "Renew it.")

    assert SEVERITY_BY_CODE["certificate_expiring"] == "warning"
    assert not run_together([Check("it", lambda: [warning])]).has_errors


def test_what_others_sent_is_printed_in_short_and_without_control_characters():
    assert quote("a\x1b[31m\nb") == "a [31m b"
    assert len(quote("x" * 1000)) == 201
