"""The account page: the owner's language, in which the dashboard is from then on."""

import html
import re

import pytest

from embed.db.models import Person
from embed.translations import LANGUAGES, SOURCE_LANGUAGE, load_catalog

pytestmark = pytest.mark.slow

WISH = {"Accept-Language": "fr-CA,fr;q=0.9"}


def language_of(answer):
    return re.search(r'<html lang="(\w+)" dir="(\w+)"', answer.text).groups()


def heading_of(answer):
    return html.unescape(re.search("<h1>(.*?)</h1>", answer.text, re.DOTALL)[1])


def test_owner_chooses_the_language_of_the_dashboard_and_notifications(owner):
    def read_pressed() -> list[str]:
        text = owner.get("/dashboard/account").text
        return re.findall(r'value="(\w+)" aria-pressed="true"', text)

    assert read_pressed() == ["en", "auto"]  # language, and colors beside it

    answer = owner.post("/dashboard/account/language", language="de")

    assert answer.status_code == 303
    assert Person.get_by_id(owner.owner.id).language == "de"
    page = owner.get("/dashboard/account")
    assert language_of(page) == ("de", "ltr")
    assert "Deine Sprache ist gespeichert." in page.text
    owner.post("/dashboard/account/theme", theme="dark")
    assert read_pressed() == ["de", "dark"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_dashboard_is_in_every_language_and_arabic_from_right_to_left(owner, language):
    owner.post("/dashboard/account/language", language=language)

    answer = owner.get("/dashboard/account", headers=WISH)

    assert language_of(answer) == (language, "rtl" if language == "ar" else "ltr")
    english = "Account"
    assert (heading_of(answer) == english) == (language == SOURCE_LANGUAGE)
    assert heading_of(answer) == load_catalog(language).gettext(english)


def test_before_sign_in_and_before_a_choice_the_browser_decides(owner, world):
    visitor = world.app.test_client()

    for client in (visitor, owner.client):
        assert language_of(client.get("/dashboard/account", headers=WISH, follow_redirects=True))[
            0
        ] == ("fr")
    assert heading_of(visitor.get("/dashboard/sign-in", headers=WISH)) == "Se connecter"
    assert language_of(owner.get("/dashboard/account?lang=de"))[0] == "en"


def test_mistakes_are_in_the_owners_language(owner):
    owner.post("/dashboard/account/language", language="de")

    refused = owner.post("/dashboard/account", current="wrong", password="short")
    unknown = owner.get("/dashboard/pages/unknown/queue")

    assert "Wähle ein Passwort mit 10 bis 200 Zeichen." in refused.text
    assert "Dieses Feld wird benötigt." in owner.post("/dashboard/account").text  # of WTForms
    assert heading_of(unknown) == "Seite nicht gefunden"


def test_language_that_there_is_none_of_is_refused_and_nothing_is_lost(owner, stranger):
    owner.post("/dashboard/account/language", language="fr")

    for language in ("xx", "", "de; DROP TABLE owner"):
        answer = owner.post("/dashboard/account/language", language=language)
        assert answer.status_code == 409
    assert Person.get_by_id(owner.owner.id).language == "fr"
    assert Person.get_by_id(stranger.owner.id).language is None
