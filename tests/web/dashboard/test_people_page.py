"""The people of a page, and accepting an invitation in a browser."""

import re

import pytest
from support.owner_browser import OwnerBrowser, find_token, read_text, submit
from support.receivers import run_mail_server

from embed.db.models import Invitation, Member, Person
from embed.people import passwords
from embed.web.dashboard import people as people_page

pytestmark = pytest.mark.slow

ANN = "ann@example.com"
PASSWORD = "four words that nobody says"


@pytest.fixture
def people(world) -> str:
    return f"/dashboard/pages/{world.page_id}/settings/people"


@pytest.fixture
def invite(owner, people):
    """Invite someone by the form, and return the path of the link."""

    def make(email: str = ANN, role: str = "reviewer") -> str:
        answer = owner.post(people, email=email, role=role)
        assert answer.status_code == 201, answer.text
        return re.search(r"http://localhost(/dashboard/invitations/[\w-]+)", answer.text)[1]

    return make


def test_somebody_new_chooses_a_password_and_is_on_the_page(world, invite):
    client, link = world.app.test_client(), invite()
    weak = submit(client, link, password="qwertyuiop[]")
    assert (weak.status_code, "easy to guess" in weak.text) == (422, True)

    answer = submit(client, link, password=PASSWORD)

    assert answer.headers["Location"] == f"/dashboard/pages/{world.page_id}/"
    assert client.get(f"/dashboard/pages/{world.page_id}/queue").status_code == 200
    assert world.app.test_client().get(link).status_code == 404


def test_somebody_signed_in_accepts_by_one_button(world, owner, people, invite):
    ann, link = OwnerBrowser(world, ANN), invite()
    page = owner.get(people).text
    assert ANN in page
    assert "invited; the link expires" in page
    assert link not in page
    # Nor in the link's own page, but as where its form goes.
    assert link.rpartition("/")[2] not in ann.get(link).text.replace(f'"{link}"', "")

    assert ann.post(link).status_code == 303
    assert ann.get(f"/dashboard/pages/{world.page_id}/queue").status_code == 200


def test_somebody_with_an_account_signs_in_first_and_comes_back(world, invite):
    ann, link = OwnerBrowser(world, ANN), invite()
    ann.post("/dashboard/sign-out")
    page = ann.get(link).text
    assert "There's already an account with this address" in page
    assert ann.post(link).status_code == 400  # the form of before, whose session has ended

    target = re.search(r'href="(/dashboard/sign-in[^"]+)"', page)[1]
    answer = ann.sign_in_again(target=target.partition("next=")[2])

    assert answer.headers["Location"] == link
    assert submit(ann.client, link).status_code == 303


def test_link_does_not_set_the_password_of_an_account_that_is_there(world, invite):
    thief, link = world.app.test_client(), invite()
    token = find_token(thief.get(link).text)
    person = OwnerBrowser(world, ANN)  # while the form is open

    answer = thief.post(link, data={"csrf_token": token, "password": PASSWORD})

    assert "There's already an account with this address" in answer.text
    assert Member.select().count() == 0
    assert passwords.find_by_password(ANN, PASSWORD) is None
    assert Person.get_by_id(person.owner.id).password_hash == person.owner.password_hash
    assert thief.get("/dashboard/").status_code == 302


def test_somebody_else_who_is_signed_in_is_told_so(world, stranger, invite):
    link = invite()

    assert "You're signed in as other@example.com." in stranger.see(link)
    assert stranger.post(link).status_code == 409
    assert Member.select().count() == 0
    assert Invitation.select().count() == 1


def test_owner_makes_twenty_invitations_a_day(owner, people):
    for number in range(20):
        assert owner.post(people, email=f"{number}@example.com", role="viewer").status_code == 201

    answer = owner.post(people, email=ANN, role="viewer")

    assert answer.status_code == 429
    assert "Please wait" in answer.text
    assert not Invitation.select().where(Invitation.email == ANN).exists()


def test_role_is_changed_and_member_removed_after_a_question(world, owner, people, make_member):
    make_member("viewer", ANN)
    assert owner.post(f"{people}/role", email=ANN, role="editor").status_code == 303
    assert Member.get().role == "editor"
    assert owner.post(f"{people}/role", email=ANN, role="owner").status_code == 409

    asked = owner.post(f"{people}/remove", email=ANN)
    assert f"Remove \u2068{ANN}\u2069?" in read_text(asked)
    assert Member.select().count() == 1
    fields = dict(re.findall(r'name="(email|sure)" value="([^"]+)"', asked.text))
    assert owner.post(f"{people}/remove", **fields).status_code == 303
    assert Member.select().count() == 0
    gone = owner.post(f"{people}/remove", **fields)
    assert gone.status_code == 409
    assert "isn't a member of this page" in read_text(gone)


def test_member_leaves_after_a_question_and_the_owner_cannot(world, owner, make_member):
    ann, page = make_member("viewer", ANN), f"/dashboard/pages/{world.page_id}"

    asked = read_text(ann.post(f"{page}/leave"))
    assert re.search(r"Leave .\$.*You need a new invitation to come back", asked)
    assert ann.get(f"{page}/queue").status_code == 200
    assert ann.post(f"{page}/leave", sure="yes").status_code == 303
    assert ann.get(f"{page}/queue").status_code == 404
    assert owner.post(f"{page}/leave", sure="yes").status_code == 409
    assert owner.get(f"{page}/queue").status_code == 200


def test_link_is_mailed_where_there_is_a_mail_server(world_with):
    with run_mail_server() as server:
        owner = OwnerBrowser(world_with(SMTP_URL=f"smtp://127.0.0.1:{server.port}"))
        owner.take(owner.world.page_id)
        page = f"/dashboard/pages/{owner.world.page_id}"
        answer = owner.post(f"{page}/settings/people", email=ANN, role="editor")

    (message,) = server.messages
    link = re.search(r"http://localhost/dashboard/invitations/[\w-]+", answer.text)[0]
    assert message["To"] == ANN
    assert link in message.get_content()
    assert "has been emailed to ann@example.com" in read_text(answer)
    stop = message["List-Unsubscribe"].strip("<>")
    assert f"To stop them, open this link: {stop}" in message.get_content()
    owner.world.clock.forward(seconds=1)
    anybody = owner.world.app.test_client()
    assert anybody.post(stop, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    assert anybody.get(link).status_code == 404
    assert f"{ANN} revoked the invitation of {ANN}" in owner.see(f"{page}/activity")
    with people_page._mailing, people_page._mailing:  # while others wait for their mails
        shown = owner.post(f"{page}/settings/people", email=ANN, role="editor")
    assert "couldn't be emailed" in read_text(shown)
    assert "/dashboard/invitations/" in shown.text
