"""Requests to the dashboard's forms that no browser would send."""

import io

import pytest
from world import one_database

from embed.keys import access, management, preview

SIGN_IN = "/dashboard/sign-in"


def paths_of(world) -> list[str]:
    base = f"/dashboard/pages/{world.page_id}"
    inside = ("settings", "policy", "tags", "wallets/new", "wallets/import", "queue/decide")
    return [SIGN_IN, "/dashboard/account", "/dashboard/pages/new", f"{base}/keys/new/public"] + [
        f"{base}/{path}" for path in inside
    ]


@one_database
@pytest.mark.parametrize("body", [{"email": 5}, {"token_name": {"a": 1}}, [1], "text", 5])
def test_json_is_no_form(world, owner, body):
    headers = {"X-CSRFToken": owner.token}
    statuses = {
        path: owner.client.post(path, json=body, headers=headers).status_code
        for path in paths_of(world)
    }

    assert statuses == dict.fromkeys(statuses, 415)


def test_file_in_place_of_a_text_is_a_missing_text(world, owner):
    names = (
        "email",
        "password",
        "token_name",
        "name",
        "address",
        "origins",
        "alias",
        "min_balance",
    )
    statuses = {}
    for path in paths_of(world):
        files = {name: (io.BytesIO(b"zz"), "f.txt") for name in names}
        statuses[path] = owner.post(path, **files).status_code

    assert {path for path, status in statuses.items() if status >= 500} == set()


@one_database
@pytest.mark.parametrize(
    "target",
    ["//[", "http://[", "//evil.example", "/dashboard/\r\nX: y", "/dashboard\\\\evil", "/embed/"],
)
def test_only_addresses_inside_the_dashboard_are_gone_on_to(world, owner, target):
    owner.post("/dashboard/sign-out")
    answer = owner.sign_in_again(target=target)

    assert (answer.status_code, answer.location) == (303, "/dashboard/")


def test_attempts_count_for_the_account_however_its_address_is_written(world, owner):
    owner.post("/dashboard/sign-out")
    written = [owner.email[:3] + "\0" * count + owner.email[3:].upper() for count in range(11)]
    answers = [owner.sign_in_again(email=email, password="wrong") for email in written]

    assert answers[-1].status_code == 429


def test_long_message_fits_into_the_cookie(world, owner):
    kept, _ = management.create_key(world.page_id, "public", now=world.clock())
    path = f"/dashboard/pages/{world.page_id}/keys/{kept.id}/allow"
    answer = owner.post(path, origin="https://q.example/" + "a1" * 4000)

    assert len(answer.headers.get("Set-Cookie", "")) < 4000


def test_preview_key_ends_when_the_secret_changes(world):
    before = preview.get_preview_key(world.page_id, "one secret", world.clock())
    after = preview.get_preview_key(world.page_id, "another secret", world.clock())

    assert access.find_access(before).is_revoked
    assert not access.find_access(after).is_revoked


def test_back_leads_to_our_own_pages_only(owner):
    answer = owner.get("/dashboard/pages/nothing/queue", headers={"Referer": "javascript:alert(1)"})

    assert answer.status_code == 404
    assert "javascript:" not in answer.text
