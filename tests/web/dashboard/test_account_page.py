"""The account page: the language of notifications."""

import pytest

from embed.db.models import Owner

pytestmark = pytest.mark.slow


def test_owner_chooses_the_language_of_notifications(owner):
    assert '<option selected value="en">English</option>' in owner.get("/dashboard/account").text

    answer = owner.post("/dashboard/account/language", language="de")

    assert answer.status_code == 303
    assert Owner.get_by_id(owner.owner.id).language == "de"
    assert '<option selected value="de">Deutsch</option>' in owner.get("/dashboard/account").text


def test_language_that_there_is_none_of_is_refused_and_nothing_is_lost(owner, stranger):
    owner.post("/dashboard/account/language", language="fr")

    for language in ("xx", "", "de; DROP TABLE owner"):
        answer = owner.post("/dashboard/account/language", language=language)
        assert answer.status_code == 422
        assert "Not a valid choice" in answer.text
    assert Owner.get_by_id(owner.owner.id).language == "fr"
    assert Owner.get_by_id(stranger.owner.id).language is None


def test_choosing_a_language_does_not_check_the_password_form(owner):
    answer = owner.post("/dashboard/account/language", language="xx")

    assert "This field is required" not in answer.text
