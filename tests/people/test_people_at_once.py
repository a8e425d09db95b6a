"""Everything that may happen with one person at once, while they are removed or not."""

import random
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from support.passkey_device import Device
from support.remote import race
from support.world import SECRET_KEY

from embed import pages
from embed.db.models import Passkey, Person, Session
from embed.domain import passkeys as ceremonies
from embed.domain.clients import Client
from embed.domain.passkeys import ADD, CONFIRM, SIGN_IN, RelyingParty, issue_challenge
from embed.domain.signing import Signer
from embed.events import account_log
from embed.events.editing import COMMAND_LINE, Change
from embed.maintenance.owner_removal import remove_owner
from embed.notifications import own_mail
from embed.people import (
    accounts,
    invitations,
    members,
    passkeys,
    passwords,
    sessions,
)
from embed.people.passkeys import Ceremony
from embed.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

ANN = "ann@example.com"
HERE = Client("Firefox", "Linux", "192.0.2.0/24")
HOST, ORIGIN = "embed.example", "https://embed.example"
PASSWORD = "four words that nobody says"
MAILING = {"SMTP_URL": "smtp://mail.example", "PUBLIC_URL": ORIGIN}


class Life:
    """A person on a page, with a passkey, and all that may be done with them."""

    def __init__(self, world) -> None:
        self.world, self.now = world, world.clock()
        self.settings = Settings.from_environ({"SECRET_KEY": SECRET_KEY} | MAILING)
        self.ceremony = Ceremony(
            party=RelyingParty.find(ORIGIN),
            signer=Signer([SECRET_KEY], world.clock),
            change=self.change(),
        )
        self.ann = accounts.create_person(ANN, self.now)
        self.session = sessions.begin(self.ann, self.change())[0]
        self.join("editor")
        self.device = Device(ORIGIN, HOST, count=1)
        self.passkey = self.add_passkey(self.device)()
        own_mail.start(world.page_id, self.ann, self.change())

    def change(self, actor: str = COMMAND_LINE) -> Change:
        return Change(actor, self.now, self.settings, HERE)

    def join(self, role: str) -> None:
        invitations.accept(self.invite(role)()[1], self.ann, self.change())

    def invite(self, role: str, email: str = ANN) -> Callable[[], tuple]:
        return partial(invitations.invite, self.world.page_id, email, role, self.change())

    def add_passkey(self, device: Device) -> Callable[[], Passkey]:
        asked = ceremonies.describe_creation(
            self.ceremony.party,
            issue_challenge(self.ceremony.signer, ADD, self.session.id),
            person_id=self.ann.id,
            email=ANN,
            known_ids=[],
        )
        return partial(passkeys.add, self.session, "Key", device.create(asked), self.ceremony)

    def answer(self, purpose: str, session_id: str = "") -> str:
        challenge = issue_challenge(self.ceremony.signer, purpose, session_id)
        return self.device.get(ceremonies.describe_request(self.ceremony.party, challenge))

    def list_acts(self) -> list[Callable[[], object]]:
        page_id, now = self.world.page_id, self.now
        answers = [self.answer(SIGN_IN), self.answer(CONFIRM, self.session.id)]
        token = self.invite("reviewer", "bob@example.com")()[1]
        return [
            self.add_passkey(Device(ORIGIN, HOST)),
            partial(passkeys.remove, self.session, self.passkey.id, self.change()),
            partial(passkeys.sign_in, answers[0], self.ceremony),
            partial(passkeys.confirm, self.session, answers[1], self.ceremony),
            partial(passwords.choose_password, self.ann, PASSWORD, self.change(), host=HOST),
            partial(sessions.begin, self.ann, self.change()),
            partial(sessions.confirm, self.session, now),
            partial(sessions.store_visit, self.session, now + timedelta(hours=2)),
            partial(sessions.end_others, self.session, self.change()),
            partial(sessions.end_all, self.ann, self.change()),
            partial(account_log.store_failure, ANN, now, HERE, "sign-in failed"),
            partial(accounts.choose_language, self.ann.id, "de"),
            partial(members.change_role, page_id, ANN, "viewer", self.change()),
            partial(members.remove_person, page_id, ANN, self.change()),
            partial(own_mail.start, page_id, self.ann, self.change()),
            partial(own_mail.stop, page_id, self.ann.id),
            self.invite("owner"),
            partial(invitations.accept, token, self.ann, self.change()),
            partial(invitations.sign_up, token, PASSWORD, self.change(), host=HOST),
            partial(pages.delete_page, page_id, self.change()),
        ]


@pytest.mark.parametrize("is_removed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_all_that_happens_with_a_person_at_once_is_done_or_refused(world, is_removed, seed):
    """Nothing deadlocks or breaks a constraint, in whatever order."""
    life = Life(world)
    acts = life.list_acts()
    if seed:  # someone new on the page, and someone who takes it over
        role = ("viewer", "owner")[seed - 1]
        if role == "viewer":
            members.remove_person(world.page_id, ANN, life.change())
        acts.append(partial(invitations.accept, life.invite(role)()[1], life.ann, life.change()))
    if is_removed:
        acts.append(partial(remove_owner, ANN, life.change(), delete_pages=True))
    random.Random(seed).shuffle(acts)

    race(*acts)

    if is_removed:
        # It is refused if Ann takes the page over at that moment.
        race(partial(remove_owner, ANN, life.change(), delete_pages=True))
        assert not Person.select().where(Person.email == ANN).exists()
        for model in (Passkey, Session):
            assert not model.select().where(model.person == life.ann.id).exists()
