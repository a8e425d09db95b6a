"""Visitors' submissions and their proofs."""

from peewee import (
    BigAutoField,
    BlobField,
    BooleanField,
    CharField,
    Check,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from embed.db.fields import BaseModel, ChoiceField, InstantField, Table
from embed.db.models.pages import ApiKey, Page
from embed.db.models.people import Person
from embed.domain.identifiers import ID_LENGTH

STATUSES = ("pending", "approved", "auto_approved", "rejected", "soft_rejected")
APPROVED = ("approved", "auto_approved")
LIVE = ("pending", *APPROVED)


class Submission(BaseModel):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    page_id: str
    api_key = ForeignKeyField(ApiKey, on_delete="CASCADE")
    wallet_address = CharField(max_length=44, index=True)
    nickname = TextField()
    status = CharField(max_length=13)
    reject_reason = CharField(max_length=12, null=True)
    session_id = CharField(max_length=ID_LENGTH, null=True)
    # The random part of its nonce; unique, so no nonce can be used twice.
    nonce = CharField(max_length=ID_LENGTH, null=True, unique=True)
    decided_at = InstantField(null=True)
    # The owner's reason for rejecting it, if given; see embed.domain.reasons.
    reason_code = CharField(max_length=20, null=True)
    reason_text = TextField(null=True)
    folded = TextField(null=True)  # for searches, see embed/db/folded.py; null in backups only
    # True once a later rejection of the same session was erased (submissions/erasure.py).
    is_outweighed = BooleanField(null=True)

    class Meta:
        constraints = (
            Check(
                "(status = 'pending' AND reject_reason IS NULL AND decided_at IS NULL)"
                " OR (status IN ('approved', 'auto_approved')"
                " AND reject_reason IS NULL AND decided_at IS NOT NULL)"
                " OR (status IN ('rejected', 'soft_rejected')"
                " AND reject_reason IS NOT NULL AND decided_at IS NOT NULL)"
            ),
            Check(
                "(reason_code IS NULL AND reason_text IS NULL) OR (status = 'rejected'"
                " AND (reason_code IS NULL OR reason_text IS NULL))"
            ),
        )
        indexes = ((("page", "status", "created_at"), False),)


# Of two racing posts the database lets one win; the other answers 409 duplicate.
Submission.add_index(
    Submission.page,
    Submission.wallet_address,
    unique=True,
    where=Submission.status.in_(LIVE),
    name="submission_live_wallet",
)
# One row per session, wallet and reason, updated in place, so nobody can fill the table.
Submission.add_index(
    Submission.page,
    Submission.session_id,
    Submission.wallet_address,
    Submission.reject_reason,
    unique=True,
    where=Submission.status == "soft_rejected",
    name="submission_soft_rejected",
)
# Who joined lately (wallets/joined.py).
Submission.add_index(
    Submission.page,
    Submission.decided_at,
    where=Submission.status.in_(APPROVED),
    name="submission_approved",
)
Submission.add_index(
    Submission.session_id, Submission.page, Submission.created_at, name="submission_session"
)


class Block(BaseModel):
    """An entry of a deny list, for one page or for all pages that a person owns."""

    page = ForeignKeyField(Page, on_delete="CASCADE", null=True, index=False)
    page_id: str | None
    person = ForeignKeyField(Person, on_delete="CASCADE", null=True, index=False)
    person_id: str | None
    kind = ChoiceField("wallet", "name", "network")
    pattern = CharField(max_length=64)  # as written by domain/deny_list.py
    created_by = TextField()  # the actor in the activity log
    # The submission whose rejection added it; undoing the rejection removes it.
    submission = ForeignKeyField(Submission, on_delete="SET NULL", null=True)
    submission_id: str | None

    class Meta:
        constraints = (Check("(page_id IS NULL) <> (person_id IS NULL)"),)
        # Rows where the first of these columns is null never count as duplicates.
        indexes = ((("page", "kind", "pattern"), True), (("person", "kind", "pattern"), True))


class RefusalCount(Table):
    """How many submissions without a session the rules refused on a day, for one reason."""

    id = BigAutoField()
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    day = IntegerField()  # since 1970, UTC
    reason = CharField(max_length=12)
    count = IntegerField()

    class Meta:
        indexes = ((("page", "day", "reason"), True),)


class Proof(Table):
    """What a wallet's holder signed for a submission; the oldest submissions have none."""

    submission = ForeignKeyField(Submission, primary_key=True, on_delete="CASCADE")
    submission_id: str
    message = TextField()
    signature = BlobField(constraints=[Check("length(signature) = 64")])
    form = ChoiceField("raw", "legacy-v0", "v0", "v1-early", "v1")
    # The bytes that the signature covers; empty for the form "raw", where they are the message's.
    envelope = BlobField(column_name="signed_bytes")

    @property
    def signed_bytes(self) -> bytes:
        return bytes(self.envelope) or self.message.encode()


class Withdrawal(Table):
    """A submission that the wallet's holder withdrew, without anything about the wallet."""

    submission_id = CharField(max_length=ID_LENGTH, primary_key=True)
    page = ForeignKeyField(Page, on_delete="CASCADE")
    page_id: str
    withdrawn_at = InstantField()


class UsedNonce(Table):
    """A used nonce that has no submission; deleted after the nonce has expired."""

    token = CharField(max_length=ID_LENGTH, primary_key=True)
    expires_at = InstantField(index=True)
