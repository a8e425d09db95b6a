"""The owner's keys: creating, allowlists, the embed doctor and revoking."""

import json
import re

import pytest
from support.world import SITE

from embed.db.models import ApiKey
from embed.keys import access, management
from embed.web.assets import STATIC_DIR

pytestmark = pytest.mark.slow

KEY = re.compile(r"svc_(?:pub|sec)_[0-9A-Za-z]{32}")


def path_of(world, *more: str) -> str:
    return "/".join([f"/dashboard/pages/{world.page_id}/settings/keys", *more])


def get_key(world, tier="public") -> ApiKey:
    return ApiKey.get(ApiKey.page == world.page_id, ApiKey.tier == tier)


def make(owner, origins="https://new.example", **fields):
    return owner.post(path_of(owner.world, "new/public"), origins=origins, **fields)


@pytest.mark.parametrize("tier", ["public", "secret"])
def test_new_key_is_shown_on_the_answer_and_nowhere_again(world, owner, tier):
    sites = "https://New.example/blog\r\n\r\nhttps://new.example:443\nhttp://b.example "
    answer = owner.post(path_of(world, f"new/{tier}"), origins=sites)

    assert answer.status_code == 201
    (key,) = set(KEY.findall(answer.text))
    made = access.find_access(key)
    assert made.tier == tier
    if tier == "public":
        assert made.origins == ("https://new.example", "http://b.example")
        assert "https://New.example/blog was saved as https://new.example." in answer.text
        address = f"src=&#34;http://localhost/embed/tracking/{world.page_id}?key={key}&#34;"
        assert address in answer.text
    assert "Location" not in answer.headers
    assert key not in str(answer.headers)
    assert answer.headers["Cache-Control"] == "no-store"
    assert not KEY.search(owner.get(path_of(world)).text)
    assert key not in repr(world.dump())


def test_advice_on_sites_has_a_sentence_for_every_case_in_the_owners_language(world, owner):
    rules, advice = (
        (STATIC_DIR / f"dashboard/{name}.js").read_text() for name in ("origin-rules", "origins")
    )
    owner.post("/dashboard/account/language", language="de")

    page = owner.get(path_of(world, "new/public")).text
    words = json.loads(re.search('id="words">(.*?)</script>', page)[1])

    refusals = set(re.findall(r'refused: "(\w+)"', rules))
    assert words.keys() == refusals | {"kept", "kept_site", "write"}
    assert all(f'"{name}"' in advice for name in words.keys() - refusals)
    assert words["kept"] == "{entry}: wird als {origin} gespeichert"


def test_sites_without_a_scheme_are_corrected_by_one_press_and_other_lines_stay(world, owner):
    typed = "www.example.com\nhttps://fine.example\nlocalhost:8080"

    refused = make(owner, typed)
    assert ">Use https://www.example.com, http://localhost:8080</button>" in refused.text
    (key,) = set(KEY.findall(make(owner, typed, meant="").text))

    assert access.find_access(key).origins == (
        "https://www.example.com",
        "https://fine.example",
        "http://localhost:8080",
    )


@pytest.mark.parametrize("tier", ["public", "secret"])
def test_label_and_the_sites_of_a_public_key_are_edited_later(world, owner, tier):
    edit = path_of(world, get_key(world, tier).id, "edit")
    assert (SITE in owner.get(edit).text) == ("Sites" in owner.see(edit)) == (tier == "public")
    sites = {"public": ("https://other.example",), "secret": ()}[tier]

    for label in ("Server", ""):
        answer = owner.post(edit, origins="https://other.example/", label=label)
        assert answer.status_code == 303
        key = get_key(world, tier)
        assert (key.origins, key.label or "") == (sites, label)
    status = world.read(headers={"Origin": "https://other.example"}).status_code
    assert status == (200 if tier == "public" else 403)


def test_revoked_key_cannot_be_edited_and_the_refusal_names_it(world, owner):
    key = get_key(world)
    edit = path_of(world, key.id, "edit")
    owner.post(edit, origins=SITE, label="Blog")
    management.revoke_key(key.id, world.change())

    answer = owner.post(edit, origins="https://other.example", label="Shop")

    assert answer.status_code == 409
    assert f"The key Blog ({key.display_prefix}…) has been revoked" in answer.text
    assert (get_key(world).origins, get_key(world).label) == ((SITE,), "Blog")


def test_revoking_says_first_what_stops_working_and_then_does_it(world, owner):
    key = get_key(world)
    owner.get(f"/dashboard/pages/{world.page_id}/embed/preview")
    preview = ApiKey.get(ApiKey.purpose == "preview")
    assert preview.display_prefix not in owner.get(path_of(world)).text
    assert owner.post(path_of(world, preview.id, "revoke")).status_code == 404

    said = owner.see(path_of(world, key.id, "revoke"))
    assert SITE in said
    assert "It stops working at once" in said
    assert world.read().status_code == 200

    assert owner.post(path_of(world, key.id, "revoke")).status_code == 303
    assert world.read().json == {"error": "revoked_key"}
    assert "It was revoked" in owner.see(path_of(world, key.id, "revoke"))
    world.revoke_all_keys()
    assert "Create a public key" in owner.see(path_of(world))


# Labels


def test_doctor_shows_what_was_kept_out_and_one_press_lets_it_in(world, owner):
    strange, key = "https://strange.example", get_key(world)
    world.read(headers={"Origin": strange})
    assert f"{strange} 1 time" in owner.see(path_of(world))

    answer = owner.post(path_of(world, key.id, "allow"), origin=strange)

    assert f"{strange} can now use the key {key.display_prefix}…." in owner.see(answer.location)
    assert world.read(headers={"Origin": strange}).status_code == 200
    assert "Refused sites" not in owner.see(path_of(world))


def test_doctor_has_no_button_for_the_null_origin(world, owner):
    world.read(headers={"Origin": "null"})
    key = get_key(world)

    assert make(owner, "", allow_null_origin="y").status_code == 201
    assert "About the null origin" in owner.see(path_of(world))
    assert owner.post(path_of(world, key.id, "allow"), origin="null").status_code == 409
    assert owner.post(path_of(world, key.id, "forget"), origin="null").status_code == 303
    assert "Refused sites" not in owner.see(path_of(world))
