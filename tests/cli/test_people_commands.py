"""``flask people``, and accounts that came by an invitation."""

import json

import pytest

from embed.people import invitations

pytestmark = pytest.mark.slow

ANN = "ann@example.com"


def test_people_of_a_page_are_invited_listed_changed_and_removed(world):
    def run(*arguments: str):
        result = world.app.test_cli_runner().invoke(args=["people", *arguments, "--json"])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    made = run("invite", world.page_id, "Ann@Example.com", "--role", "reviewer")
    assert set(made) == {"id", "email", "role", "url"}
    assert run("list", world.page_id) == [
        {"email": "owner@localhost", "role": "owner", "status": "member"},
        {"email": ANN, "role": "reviewer", "status": "invited"},
    ]

    token = made["url"].rpartition("/")[2]
    invitations.sign_up(token, "four words that nobody says", world.clock(), host="localhost")
    assert run("list", world.page_id)[1] == {"email": ANN, "role": "reviewer", "status": "member"}
    assert run("role", world.page_id, ANN, "viewer") == {"email": ANN, "role": "viewer"}
    assert run("remove", world.page_id, ANN) == {"email": ANN}
    assert len(run("list", world.page_id)) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("invite", "PAGE", "no address", "--role", "viewer"), "is not an e-mail address"),
        (("invite", "PAGE", "owner@localhost", "--role", "viewer"), "is no address"),
        (("invite", "nowhere", ANN, "--role", "viewer"), "no tracking page"),
        (("invite", "PAGE", ANN), "--role"),
        (("invite", "PAGE", ANN, "--role", "admin"), "admin"),
        (("role", "PAGE", ANN, "viewer"), "is not on this page"),
        (("role", "PAGE", "owner@localhost", "viewer"), "owns this page"),
        (("remove", "PAGE", ANN), "is not on this page"),
        (("remove", "PAGE", "owner@localhost"), "owns this page"),
    ],
)
def test_mistake_is_one_line(world, arguments, said):
    arguments = [world.page_id if one == "PAGE" else one for one in arguments]

    result = world.app.test_cli_runner().invoke(args=["people", *arguments])

    assert result.exit_code in (1, 2)
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_operator_lets_a_guest_create_pages(world):
    _, token = invitations.invite(world.page_id, ANN, "viewer", world.clock())
    invitations.sign_up(token, "four words that nobody says", world.clock(), host="localhost")

    def run(*arguments: str):
        result = world.app.test_cli_runner().invoke(args=["owners", *arguments, "--json"])
        return json.loads(result.stdout)

    assert [one["mayCreatePages"] for one in run("list") if one["email"] == ANN] == [False]
    assert run("create", ANN)["mayCreatePages"]
    assert [one["mayCreatePages"] for one in run("list") if one["email"] == ANN] == [True]
