"""The account page: the owner's language, in which the dashboard is from then on."""

import html
import re

import pytest

from embed.db.models import Person
from embed.translations import load_catalog

pytestmark = pytest.mark.slow

WISH = {"Accept-Language": "fr-CA,fr;q=0.9"}


def language_of(answer):
    return re.search(r'<html lang="(\w+)" dir="(\w+)"', answer.text).groups()


def heading_of(answer):
    return html.unescape(re.search("<h1>(.*?)</h1>", answer.text, re.DOTALL)[1])


def test_owner_chooses_the_language_of_the_dashboard_and_notifications(world, owner):
    def read_pressed() -> list[str]:
        text = owner.get("/dashboard/account").text
        return re.findall(r'value="(\w+)" aria-pressed="true"', text)

    assert read_pressed() == ["en", "auto"]  # language, and colors beside it
    before = owner.get("/dashboard/account", headers=WISH)
    assert language_of(before) == ("fr", "ltr")  # as the browser wishes

    answer = owner.post("/dashboard/account/language", language="de")

    assert answer.status_code == 303
    assert Person.get_by_id(owner.owner.id).language == "de"
    page = owner.get("/dashboard/account", headers=WISH)
    assert language_of(page) == ("de", "ltr")
    assert "Deine Sprache ist gespeichert." in page.text
    owner.post("/dashboard/account/theme", theme="dark")
    assert read_pressed() == ["de", "dark"]
    world.clock.forward(minutes=1)
    world.add_tag("team")
    assert "hat einen Tag hinzugefügt: team" in owner.see(
        f"/dashboard/pages/{world.page_id}/activity"
    )


def test_arabic_is_from_right_to_left(owner):
    owner.post("/dashboard/account/language", language="ar")

    answer = owner.get("/dashboard/account", headers=WISH)

    assert language_of(answer) == ("ar", "rtl")
    assert heading_of(answer) == load_catalog("ar").gettext("Account") != "Account"


def test_mistakes_are_in_the_owners_language(owner):
    owner.post("/dashboard/account/language", language="de")

    refused = owner.post("/dashboard/account", current="wrong", password="short")
    unknown = owner.get("/dashboard/pages/unknown/queue")

    assert "Wähle ein Passwort mit 10 bis 200 Zeichen." in refused.text
    assert "Dieses Feld wird benötigt." in owner.post("/dashboard/account").text  # of WTForms
    assert heading_of(unknown) == "Seite nicht gefunden"


def test_language_that_there_is_none_of_is_refused_and_nothing_is_lost(owner, stranger):
    owner.post("/dashboard/account/language", language="fr")

    assert owner.post("/dashboard/account/language", language="xx").status_code == 409
    assert Person.get_by_id(owner.owner.id).language == "fr"
    assert Person.get_by_id(stranger.owner.id).language is None
