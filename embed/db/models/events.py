"""What happened on a page, and whom it is told."""

from peewee import (
    AutoField,
    BooleanField,
    CharField,
    Check,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from embed.db.fields import BaseModel, ChoiceField, InstantField, LinesField, Table
from embed.db.models.pages import Page
from embed.db.models.people import Person
from embed.domain.identifiers import ID_LENGTH, make_id


class Activity(BaseModel):
    """The activity log: who did what when.

    Rows are only added; a withdrawal erases the facts of those about its wallet.
    """

    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    actor = TextField()
    action = CharField(max_length=30)  # see domain/activity.py, which makes sentences of these
    data = TextField()  # JSON
    address = CharField(max_length=44, null=True)  # of the wallet that it is about

    class Meta:
        indexes = ((("page", "created_at"), False), (("page", "address"), False))


class Receiver(BaseModel):
    """Where an owner wants to hear of a page's events: a webhook, or a channel.

    With a person, it is the mail that they asked for themselves, which is nobody else's.
    """

    page = ForeignKeyField(Page, on_delete="CASCADE")
    page_id: str
    kind = ChoiceField("webhook", "channel")
    # An address, or a channel's fields (notifications/channels.py); empty with a person. It holds
    # secrets: show only its masked form.
    target = TextField()
    event_types = LinesField(default=())  # none: all
    secret = TextField(null=True)  # of a webhook, for HMAC: whsec_...
    previous_secret = TextField(null=True)  # signs as well until it expires
    previous_secret_expires_at = InstantField(null=True)
    signing_key = TextField(null=True)  # of a webhook, for Ed25519: whsk_...
    next_attempt_at = InstantField(null=True)  # null: at once
    failed_attempts = IntegerField(default=0)  # in a row
    first_failed_at = InstantField(null=True)  # of these; null: the last attempt did not fail
    person = ForeignKeyField(Person, on_delete="CASCADE", null=True, index=False)
    person_id: str | None
    may_decide = BooleanField(
        default=False
    )  # everyone who reads its messages may, with their links
    claimed_until = InstantField(null=True)  # by the process that sends, or when that had sent

    class Meta:
        indexes = ((("person", "page"), True),)
        constraints = (Check("(kind = 'webhook') = (secret IS NOT NULL)"),)


class Message(Table):
    """Something that happened on a page, for its receivers (transactional outbox)."""

    number = AutoField()  # the order in which receivers get them
    id = CharField(max_length=ID_LENGTH, unique=True, default=make_id)  # webhook-id
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    page_id: str
    type = CharField(max_length=30)
    data = TextField()  # JSON
    created_at = InstantField()
    address = CharField(max_length=44, null=True)  # of the wallet that it is about

    class Meta:
        indexes = (
            (("page", "type"), False),
            (("page", "number"), False),
            (("page", "address"), False),
        )


class Delivery(Table):
    """A message on its way to a receiver."""

    id = AutoField()
    message = ForeignKeyField(Message, on_delete="CASCADE", index=False)
    receiver = ForeignKeyField(Receiver, on_delete="CASCADE", index=False)
    receiver_id: str
    state = ChoiceField("waiting", "delivered", "given_up")
    attempts = IntegerField(default=0)
    attempted_at = InstantField(null=True)
    answer = TextField(null=True)  # to the last attempt, in words for the owner

    class Meta:
        indexes = (
            (("receiver", "state", "message"), False),
            (("receiver", "attempted_at"), False),
            (("message", "receiver"), True),
        )
