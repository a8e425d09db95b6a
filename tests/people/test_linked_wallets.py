"""Linked wallets: what links one, what it opens, and what it does not."""

import base64
from functools import partial
from threading import Thread

import base58
import pytest
from support.remote import name_outcome, race
from support.world import Visitor

from embed.db.models import AccountEvent, LinkedWallet, Person, Session, UsedNonce
from embed.domain.account_nonces import NONCE_LIFETIME, PURPOSES, AccountNonceSigner
from embed.domain.activity import read_facts
from embed.domain.addresses import shorten_address
from embed.domain.clients import Client
from embed.domain.nonces import ACTIONS, Nonce, NonceSigner, RecordNonce
from embed.domain.passwords import fingerprint
from embed.domain.wallet_signatures import FORMS, list_signable_forms
from embed.errors import ApiError, InvalidInput, NotFound
from embed.people import accounts, linked_wallets, passwords, sessions
from embed.people.linked_wallets import MAX_WALLETS, SignedText, Signing

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("app"),
    pytest.mark.databases("sqlite", "postgres"),
]

HOST = "embed.example"
HERE = Client("Firefox", "Linux", "192.0.2.0/24")
PASSWORD = "a long enough password"
# A point of small order, as which libraries that do not look accept forgeries.
ZERO_KEY = "1" * 32
FORGED = "A" * 86 + "=="
OFF_CURVE = base58.b58encode(bytes([2] + [0] * 31)).decode()


@pytest.fixture
def nonces(clock) -> AccountNonceSigner:
    return AccountNonceSigner(["secret"], clock)


@pytest.fixture
def signing(nonces, clock):
    def make(host: str = HOST) -> Signing:
        return Signing(nonces=nonces, host=host, now=clock(), client=HERE)

    return make


@pytest.fixture
def begin(clock):
    """Begin a session of a person of this name."""

    def begin_one(name: str = "ann") -> Session:
        email = f"{name}@example.com"
        found = Person.get_or_none(Person.email == email)
        return sessions.begin(found or accounts.create_person(email, clock()), clock())[0]

    return begin_one


@pytest.fixture
def sign(signing):
    """Ask for a text, and sign it."""

    def sign_one(purpose, wallet: Visitor, session: Session | None = None) -> SignedText:
        nonce_id, nonce = linked_wallets.issue_nonce(purpose, wallet.address, signing(), session)
        return SignedText(
            raw_nonce_id=nonce_id,
            raw_address=wallet.address,
            raw_signature=wallet.sign(nonce.build_message()),
        )

    return sign_one


@pytest.fixture
def link(sign, signing):
    def link_one(session: Session, wallet: Visitor) -> LinkedWallet:
        return linked_wallets.link(session, sign("link", wallet, session), signing())

    return link_one


def change(signed: SignedText, **changes: str) -> SignedText:
    fields = ("raw_nonce_id", "raw_address", "raw_signature")
    return SignedText(**({name: getattr(signed, name) for name in fields} | changes))


def list_linked() -> set[tuple[str, str]]:
    query = LinkedWallet.select(LinkedWallet, Person).join(Person)
    return {(one.person.email, one.address) for one in query}


def read_log(kind: str) -> list[dict[str, object]]:
    events = AccountEvent.select().where(AccountEvent.kind == kind)
    return [read_facts(event.data) for event in events]


# Linking


def test_wallet_that_was_linked_signs_its_person_in(begin, link, sign, signing, clock):
    wallet, session = Visitor(), begin()
    linked = link(session, wallet)
    assert (linked.address, linked.used_at, linked.created_at) == (wallet.address, None, clock())
    clock.forward(hours=1)

    begun, credential = linked_wallets.sign_in(sign("sign in", wallet), signing())

    assert begun.person == session.person
    assert sessions.find(credential, clock()).id == begun.id != session.id
    assert sessions.is_confirmed(begun, clock())
    assert LinkedWallet.get().used_at == clock()


def test_log_of_the_account_has_it_by_the_ends_of_the_address(begin, link, sign, signing, clock):
    wallet, session = Visitor(), begin()
    linked = link(session, wallet)
    linked_wallets.sign_in(sign("sign in", wallet), signing())
    linked_wallets.unlink(session, linked.id, clock(), HERE)

    shown = {"wallet": shorten_address(wallet.address), "browser": "Firefox", "system": "Linux"}
    assert shorten_address(wallet.address) == f"{wallet.address[:4]}…{wallet.address[-4:]}"
    for kind in ("wallet linked", "signed in with wallet", "wallet unlinked"):
        assert read_log(kind) == [shown]


def test_several_wallets_are_linked_up_to_a_limit_and_each_signs_in(begin, link, sign, signing):
    session, wallets = begin(), [Visitor() for _ in range(MAX_WALLETS)]
    for wallet in wallets:
        link(session, wallet)

    with pytest.raises(InvalidInput, match="up to 10 wallets"):
        link(session, Visitor())
    for wallet in wallets:
        assert linked_wallets.sign_in(sign("sign in", wallet), signing())[0].person
    listed = linked_wallets.list_wallets(session.person)
    assert {one.address for one in listed} == {wallet.address for wallet in wallets}


def test_limit_holds_for_two_at_once(begin, sign, signing):
    session = begin()
    signed = [sign("link", Visitor(), session) for _ in range(MAX_WALLETS + 4)]

    outcomes = race(*[partial(linked_wallets.link, session, one, signing()) for one in signed])

    assert outcomes.count("InvalidInput") == 4
    assert len(list_linked()) == MAX_WALLETS


def test_wallet_is_linked_to_one_account_and_the_other_does_not_learn_to_which(begin, link):
    wallet, first, second = Visitor(), begin("ann"), begin("bob")
    link(first, wallet)

    for session in (second, first):
        with pytest.raises(InvalidInput) as refusal:
            link(session, wallet)
        assert str(refusal.value) == "This wallet is linked to an account already."
    assert list_linked() == {("ann@example.com", wallet.address)}


def test_two_accounts_that_link_one_wallet_at_once_share_it_not(begin, sign, signing):
    wallet, people = Visitor(), [begin(name) for name in ("ann", "bob", "cat", "dan")]
    signed = [sign("link", wallet, session) for session in people]

    outcomes = race(
        *[
            partial(linked_wallets.link, session, one, signing())
            for session, one in zip(people, signed, strict=True)
        ]
    )

    assert outcomes.count("InvalidInput") == 3
    assert len(list_linked()) == 1


def test_session_that_has_ended_links_nothing(begin, sign, signing, clock):
    wallet, session = Visitor(), begin()
    signed = sign("link", wallet, session)
    sessions.end_all(session.person, clock())

    with pytest.raises(NotFound):
        linked_wallets.link(session, signed, signing())
    assert list_linked() == set()


def test_session_that_a_new_password_ends_at_that_moment_links_nothing_afterwards(
    begin, sign, signing, clock, monkeypatch
):
    """Whoever has a copied cookie keeps no way in when the person changes the password."""
    wallet, session = Visitor(), begin()
    signed = sign("link", wallet, session)
    outcomes, end_all = [], sessions.end_all

    def end_all_while_somebody_links(*arguments, **more) -> int:
        ended = end_all(*arguments, **more)
        late.start()
        late.join(0.5)  # it waits for the end of this transaction, or would be done by then
        return ended

    late = Thread(
        target=lambda: outcomes.append(
            name_outcome(partial(linked_wallets.link, session, signed, signing()))
        )
    )
    monkeypatch.setattr(sessions, "end_all", end_all_while_somebody_links)
    passwords.choose_password(session.person_id, fingerprint(None), PASSWORD, clock(), host=HOST)
    late.join()

    assert outcomes == ["NotFound"]
    assert list_linked() == set()


# Unlinking


def test_wallet_that_was_unlinked_signs_nobody_in_and_can_be_linked_again(
    begin, link, sign, signing, clock
):
    wallet, session = Visitor(), begin("ann")
    linked_wallets.unlink(session, link(session, wallet).id, clock(), HERE)

    with pytest.raises(InvalidInput, match="No account is linked to this wallet"):
        linked_wallets.sign_in(sign("sign in", wallet), signing())
    link(begin("bob"), wallet)
    assert list_linked() == {("bob@example.com", wallet.address)}


def test_nobody_unlinks_the_wallet_of_somebody_else(begin, link, clock):
    wallet = Visitor()
    linked = link(begin("ann"), wallet)

    for wallet_id in (linked.id, "x" * 20):
        with pytest.raises(NotFound):
            linked_wallets.unlink(begin("bob"), wallet_id, clock(), HERE)
    assert list_linked() == {("ann@example.com", wallet.address)}


def test_session_that_has_ended_unlinks_nothing(begin, link, clock):
    session = begin()
    linked = link(session, Visitor())
    sessions.end_all(session.person, clock())

    with pytest.raises(NotFound):
        linked_wallets.unlink(session, linked.id, clock(), HERE)
    assert len(list_linked()) == 1


def test_signing_in_while_the_wallet_is_unlinked_is_before_it_or_refused(
    begin, link, sign, signing, clock
):
    session = begin()
    for _ in range(4):
        wallet = Visitor()
        linked = link(session, wallet)
        signed = sign("sign in", wallet)

        _, *outcomes = race(
            partial(linked_wallets.unlink, session, linked.id, clock(), HERE),
            partial(linked_wallets.sign_in, signed, signing()),
            partial(linked_wallets.sign_in, sign("sign in", wallet), signing()),
        )

        assert all(one == "InvalidInput" or isinstance(one, tuple) for one in outcomes), outcomes
        assert list_linked() == set()


def test_wallets_of_a_removed_person_are_gone(begin, link, sign, signing):
    wallet, session = Visitor(), begin()
    link(session, wallet)
    session.person.delete_instance()

    assert list_linked() == set()
    with pytest.raises(InvalidInput, match="No account is linked"):
        linked_wallets.sign_in(sign("sign in", wallet), signing())


# Is it you?


def test_linked_wallet_confirms_its_persons_session(begin, link, sign, signing, clock):
    wallet, session = Visitor(), begin()
    link(session, wallet)
    clock.forward(hours=1)
    assert not sessions.is_confirmed(session, clock())

    credential = linked_wallets.confirm(session, sign("confirm", wallet, session), signing())

    found = sessions.find(credential, clock())
    assert found.id == session.id
    assert sessions.is_confirmed(found, clock())
    assert LinkedWallet.get().used_at == clock()


def test_neither_a_strange_wallet_nor_somebody_elses_confirms(begin, link, sign, signing, clock):
    wallet, session = Visitor(), begin("ann")
    link(begin("bob"), wallet)
    clock.forward(hours=1)

    for other in (wallet, Visitor()):
        with pytest.raises(InvalidInput, match="not linked to your account"):
            linked_wallets.confirm(session, sign("confirm", other, session), signing())
    assert not sessions.is_confirmed(Session.get_by_id(session.id), clock())


def test_session_that_has_ended_is_not_confirmed(begin, link, sign, signing, clock):
    wallet, session = Visitor(), begin()
    link(session, wallet)
    signed = sign("confirm", wallet, session)
    sessions.end_all(session.person, clock())

    with pytest.raises(NotFound):
        linked_wallets.confirm(session, signed, signing())


# Replays, and texts for something else


@pytest.fixture
def uses(begin, link, signing):
    """By purpose, a wallet, the session if any, and what uses a text that was signed for it."""
    ann = begin("ann")
    linked, fresh = Visitor(), Visitor()
    link(ann, linked)
    return {
        "sign in": (linked, None, lambda signed: linked_wallets.sign_in(signed, signing())),
        "link": (fresh, ann, lambda signed: linked_wallets.link(ann, signed, signing())),
        "confirm": (linked, ann, lambda signed: linked_wallets.confirm(ann, signed, signing())),
    }


@pytest.mark.parametrize("purpose", PURPOSES)
def test_text_is_used_once(uses, sign, purpose):
    wallet, session, use = uses[purpose]
    signed = sign(purpose, wallet, session)
    use(signed)
    LinkedWallet.delete().where(LinkedWallet.address == uses["link"][0].address).execute()

    with pytest.raises(ApiError, match=r"^invalid_nonce$"):
        use(signed)


@pytest.mark.parametrize("purpose", PURPOSES)
def test_of_several_uses_at_once_one_counts(uses, sign, purpose):
    wallet, session, use = uses[purpose]
    signed = sign(purpose, wallet, session)
    before = UsedNonce.select().count()

    outcomes = race(*[partial(use, signed)] * 6)

    assert outcomes.count("invalid_nonce") == 5
    assert UsedNonce.select().count() == before + 1


@pytest.mark.parametrize("purpose", PURPOSES)
def test_text_is_of_no_use_after_ten_minutes(uses, sign, clock, purpose):
    wallet, session, use = uses[purpose]
    signed = sign(purpose, wallet, session)
    clock.forward(minutes=10)

    with pytest.raises(ApiError, match=r"^invalid_nonce$"):
        use(signed)


@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize("made_for", PURPOSES)
def test_text_for_one_purpose_is_of_no_use_for_another(uses, sign, purpose, made_for):
    wallet, session, _ = uses[made_for]
    signed = sign(made_for, wallet, session)
    if purpose != made_for:
        with pytest.raises(ApiError, match=r"^nonce_binding_mismatch$"):
            uses[purpose][2](signed)


@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize("made_for", ["submission", *ACTIONS])
def test_visitors_signature_opens_no_account(uses, sign, clock, purpose, made_for):
    wallet, session, use = uses[purpose]
    kind = Nonce if made_for == "submission" else RecordNonce
    visitors = NonceSigner(kind, ["secret"], clock)
    nonce_id, nonce = visitors.issue(
        page_id="p" * 20,
        wallet_address=wallet.address,
        key_id="k" * 20,
        host=HOST,
        lifetime=NONCE_LIFETIME,
        detail="" if made_for == "submission" else made_for,
    )
    signature = wallet.sign(nonce.build_message())

    with pytest.raises(ApiError, match=r"^invalid_nonce$"):
        use(SignedText(raw_nonce_id=nonce_id, raw_address=wallet.address, raw_signature=signature))
    with pytest.raises(ApiError, match=r"^invalid_signature$"):
        use(change(sign(purpose, wallet, session), raw_signature=signature))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("purpose", PURPOSES)
def test_each_form_in_which_wallets_sign_counts(uses, signing, purpose, form):
    """Hardware wallets and the command line sign an envelope around the text."""
    wallet, session, use = uses[purpose]
    nonce_id, nonce = linked_wallets.issue_nonce(purpose, wallet.address, signing(), session)
    forms = list_signable_forms(nonce.build_message(), bytes(wallet.key.verify_key), host=HOST)
    signature = base64.b64encode(wallet.key.sign(dict(forms)[form]).signature).decode()

    use(SignedText(raw_nonce_id=nonce_id, raw_address=wallet.address, raw_signature=signature))


@pytest.mark.parametrize("purpose", ["link", "confirm"])
def test_text_of_another_session_is_of_no_use(uses, begin, sign, purpose):
    wallet, _, use = uses[purpose]

    for other in (begin("ann"), begin("bob")):
        with pytest.raises(ApiError, match=r"^nonce_binding_mismatch$"):
            use(sign(purpose, wallet, other))


@pytest.mark.parametrize("purpose", PURPOSES)
def test_only_the_wallets_own_signature_of_this_text_counts(uses, sign, purpose):
    wallet, session, use = uses[purpose]
    signed = sign(purpose, wallet, session)

    for raw in ("", "A", FORGED, signed.raw_signature[:-4], sign(purpose, wallet).raw_signature):
        with pytest.raises(ApiError, match=r"^invalid_signature$"):
            use(change(signed, raw_signature=raw))
    with pytest.raises(ApiError, match=r"^nonce_binding_mismatch$"):
        use(change(signed, raw_address=Visitor().address))
    with pytest.raises(ApiError, match=r"^invalid_wallet_address$"):
        use(change(signed, raw_address="no address"))


@pytest.mark.parametrize("address", [ZERO_KEY, OFF_CURVE], ids=["small order", "off the curve"])
@pytest.mark.parametrize("purpose", PURPOSES)
def test_address_for_which_nobody_can_sign_opens_nothing(uses, signing, purpose, address):
    _, session, use = uses[purpose]
    nonce_id, _ = linked_wallets.issue_nonce(purpose, address, signing(), session)

    with pytest.raises(ApiError, match=r"^invalid_signature$"):
        use(SignedText(raw_nonce_id=nonce_id, raw_address=address, raw_signature=FORGED))


def test_text_for_another_host_is_of_no_use(begin, link, signing):
    """Where the service has several, a text that named one is not for the other."""
    wallet = Visitor()
    link(begin(), wallet)
    nonce_id, nonce = linked_wallets.issue_nonce(
        "sign in", wallet.address, signing("other.example")
    )
    signature = wallet.sign(nonce.build_message())

    with pytest.raises(ApiError, match=r"^nonce_binding_mismatch$"):
        linked_wallets.sign_in(
            SignedText(raw_nonce_id=nonce_id, raw_address=wallet.address, raw_signature=signature),
            signing(),
        )
