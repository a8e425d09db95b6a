"""What visitors sent, and what proves it."""

from peewee import (
    BigAutoField,
    BlobField,
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
    # The random part of the nonce that was used: unique, so that no nonce is used twice.
    nonce = CharField(max_length=ID_LENGTH, null=True, unique=True)
    decided_at = InstantField(null=True)
    # Why the owner rejected it, if the owner said so; see embed.domain.reasons.
    reason_code = CharField(max_length=20, null=True)
    reason_text = TextField(null=True)

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
# One row per session, wallet and reason, updated in place, so that nobody can fill the table.
Submission.add_index(
    Submission.page,
    Submission.session_id,
    Submission.wallet_address,
    Submission.reject_reason,
    unique=True,
    where=Submission.status == "soft_rejected",
    name="submission_soft_rejected",
)
Submission.add_index(
    Submission.session_id, Submission.page, Submission.created_at, name="submission_session"
)


class Block(BaseModel):
    """An entry of a deny list: of one page, or of all pages that a person owns."""

    page = ForeignKeyField(Page, on_delete="CASCADE", null=True, index=False)
    page_id: str | None
    person = ForeignKeyField(Person, on_delete="CASCADE", null=True, index=False)
    person_id: str | None
    kind = ChoiceField("wallet", "name", "network")
    pattern = CharField(max_length=64)  # as domain/deny_list.py writes it
    created_by = TextField()  # the actor of the activity log
    # With whose rejection it was made; undoing that removes it.
    submission = ForeignKeyField(Submission, on_delete="SET NULL", null=True)
    submission_id: str | None

    class Meta:
        constraints = (Check("(page_id IS NULL) <> (person_id IS NULL)"),)
        # Rows that lack the first of these columns are no duplicates of each other.
        indexes = ((("page", "kind", "pattern"), True), (("person", "kind", "pattern"), True))


class RefusalCount(Table):
    """How many submissions without a session policy refused on a day, for one reason."""

    id = BigAutoField()
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    day = IntegerField()  # since 1970, UTC
    reason = CharField(max_length=12)
    count = IntegerField()

    class Meta:
        indexes = ((("page", "day", "reason"), True),)


class Proof(Table):
    """What a wallet's holder signed for a submission; those from before have none."""

    submission = ForeignKeyField(Submission, primary_key=True, on_delete="CASCADE")
    submission_id: str
    message = TextField()
    signature = BlobField(constraints=[Check("length(signature) = 64")])
    form = ChoiceField("raw", "legacy-v0", "v0", "v1-early", "v1")
    signed_bytes = BlobField()  # exactly what the signature covers


class Withdrawal(Table):
    """A submission that its wallet's holder withdrew, without anything that tells of the wallet."""

    submission_id = CharField(max_length=ID_LENGTH, primary_key=True)
    page = ForeignKeyField(Page, on_delete="CASCADE")
    page_id: str
    withdrawn_at = InstantField()


class UsedNonce(Table):
    """A nonce that was used, where no submission says so; deleted once the nonce has expired."""

    token = CharField(max_length=ID_LENGTH, primary_key=True)
    expires_at = InstantField(index=True)
