"""Wallets that are linked to accounts: whoever holds the key of one can sign in to the account."""

from dataclasses import dataclass
from datetime import datetime

from embed.db.connection import db
from embed.db.constraints import translate_unique_violations
from embed.db.models import LinkedWallet, Person, Session
from embed.db.used_nonces import use_nonce
from embed.domain.account_nonces import AccountNonce, AccountNonceSigner, Purpose
from embed.domain.addresses import parse_address, shorten_address
from embed.domain.clients import Client
from embed.domain.wallet_signatures import verify_signature
from embed.errors import ApiError, InvalidInput, NotFound
from embed.events import account_log
from embed.people import sessions, ways_in

MAX_WALLETS = 10  # of a person


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedText:
    """A text that a wallet signed, as a browser sends it."""

    raw_nonce_id: str
    raw_address: str
    raw_signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """Where, when and from which browser a wallet signs."""

    nonces: AccountNonceSigner
    host: str  # the service's own
    now: datetime
    client: Client


def list_wallets(person: Person) -> list[LinkedWallet]:
    """Return a person's linked wallets, oldest first."""
    query = LinkedWallet.select().where(LinkedWallet.person == person)
    return list(query.order_by(LinkedWallet.created_at, LinkedWallet.id))


def has_wallet(person: Person) -> bool:
    return LinkedWallet.select().where(LinkedWallet.person == person).exists()


def issue_nonce(
    purpose: Purpose, raw_address: str, signing: Signing, session: Session | None = None
) -> tuple[str, AccountNonce]:
    """Return a ``nonceId`` and its nonce; `session` is that of the person, None for signing in.

    Raises ApiError `invalid_wallet_address`.
    """
    return signing.nonces.issue(
        purpose,
        wallet_address=parse_address(raw_address),
        host=signing.host,
        email="" if session is None else session.person.email,
        session_id="" if session is None else session.id,
    )


def link(session: Session, signed: SignedText, signing: Signing) -> LinkedWallet:
    """Link a wallet to the account of a session.

    Raises ApiError as `_check_signed` does, InvalidInput, and NotFound if the session has ended.
    """
    nonce = _check_signed("link", signed, signing, session)
    # Not whose: that an account exists is for its person to tell.
    taken = InvalidInput("This wallet is linked to an account already.")
    with translate_unique_violations({"linked_wallet_address": taken}), db.atomic():
        use_nonce(nonce.token, nonce.expires_at)
        person = ways_in.lock_person(session)
        if LinkedWallet.select().where(LinkedWallet.person == person).count() >= MAX_WALLETS:
            raise InvalidInput("You can link up to %(max)s wallets.", max=MAX_WALLETS)
        shown = shorten_address(nonce.wallet_address)
        account_log.store(person, "wallet linked", signing.now, signing.client, wallet=shown)
        return LinkedWallet.create(
            person=person, address=nonce.wallet_address, created_at=signing.now
        )


def unlink(session: Session, wallet_id: str, now: datetime, client: Client) -> None:
    """Raises NotFound unless it is linked to the account of the session."""
    with db.atomic():
        person = ways_in.lock_person(session)
        found = LinkedWallet.get_or_none(
            LinkedWallet.id == wallet_id, LinkedWallet.person == person
        )
        if found is None:
            raise NotFound(wallet_id)
        shown = shorten_address(found.address)
        account_log.store(person, "wallet unlinked", now, client, wallet=shown)
        found.delete_instance()


def sign_in(signed: SignedText, signing: Signing) -> tuple[Session, str]:
    """Begin a session of the person whose wallet it is, as sessions.begin does.

    Raises ApiError as `_check_signed` does, InvalidInput if the wallet is not linked, and NotFound
    if its person is being removed.
    """
    nonce = _check_signed("sign in", signed, signing, None)
    with db.atomic():
        use_nonce(nonce.token, nonce.expires_at)
        found = LinkedWallet.get_or_none(LinkedWallet.address == nonce.wallet_address)
        if found is None:
            raise InvalidInput("No account is linked to this wallet.")
        person = ways_in.lock_person_by_id(found.person_id)
        _count_use(found.person_id, nonce, signing.now)  # it may have been unlinked meanwhile
        begun = sessions.begin(
            person,
            signing.now,
            signing.client,
            kind="signed in with wallet",
            wallet=shorten_address(nonce.wallet_address),
        )
        if begun is None:  # never: the person is locked
            raise NotFound(found.person_id)
    return begun


def confirm(session: Session, signed: SignedText, signing: Signing) -> str | None:
    """Confirm a session by a wallet of its person, as sessions.confirm does.

    Raises ApiError as `_check_signed` does, InvalidInput if the wallet is not theirs, and NotFound
    if the session has ended.
    """
    nonce = _check_signed("confirm", signed, signing, session)
    with db.atomic():
        use_nonce(nonce.token, nonce.expires_at)
        person = ways_in.lock_person(session)
        _count_use(person.id, nonce, signing.now)
        return sessions.confirm(session, signing.now)


def _check_signed(
    purpose: Purpose, signed: SignedText, signing: Signing, session: Session | None
) -> AccountNonce:
    """Return the nonce of a text that a wallet signed; it is still to be used.

    Raises ApiError `invalid_wallet_address`, `invalid_nonce`, `nonce_binding_mismatch`,
    `invalid_signature`.
    """
    address = parse_address(signed.raw_address)
    nonce = signing.nonces.unsign(signed.raw_nonce_id)
    session_id = "" if session is None else session.id
    nonce.check_binding(purpose=purpose, wallet_address=address, session_id=session_id)
    if nonce.host != signing.host:
        raise ApiError("nonce_binding_mismatch")
    verify_signature(address, nonce.build_message(), signed.raw_signature, host=nonce.host)
    return nonce


def _count_use(person_id: str, nonce: AccountNonce, now: datetime) -> None:
    """Store when a wallet was last used. Raises InvalidInput unless it is linked to the person."""
    is_it = (LinkedWallet.person == person_id) & (LinkedWallet.address == nonce.wallet_address)
    if not LinkedWallet.update(used_at=now).where(is_it).execute():
        raise InvalidInput("This wallet is not linked to your account.")
