"""What happened on a page, and who is notified."""

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

    Rows are only added; a withdrawal erases the details of entries about its wallet.
    """

    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    actor = TextField()
    action = CharField(max_length=30)  # events/kinds.py has the sentences
    data = TextField()  # JSON
    address = CharField(max_length=44, null=True)  # of the wallet that it is about

    class Meta:
        indexes = ((("page", "created_at"), False), (("page", "address"), False))


class Receiver(BaseModel):
    """Where a page's events are sent: a webhook, or another channel.

    If it has a person, it's the private mail that they asked for.
    """

    page = ForeignKeyField(Page, on_delete="CASCADE")
    page_id: str
    kind = ChoiceField("webhook", "channel")
    # An address, or a channel's fields (notifications/channels.py); empty if it has a person. It
    # contains secrets: show only the masked form.
    target = TextField()
    event_types = LinesField(default=())  # empty: all
    secret = TextField(null=True)  # webhooks only, for HMAC: whsec_...
    previous_secret = TextField(null=True)  # also signs until it expires
    previous_secret_expires_at = InstantField(null=True)
    signing_key = TextField(null=True)  # webhooks only, for Ed25519: whsk_...
    next_attempt_at = InstantField(null=True)  # null: at once
    failed_attempts = IntegerField(default=0)  # in a row
    first_failed_at = InstantField(null=True)  # of these; null: the last attempt succeeded
    person = ForeignKeyField(Person, on_delete="CASCADE", null=True, index=False)
    person_id: str | None
    may_decide = BooleanField(
        default=False
    )  # everyone who reads its messages can decide, by the links in them
    claimed_until = InstantField(null=True)  # by the sending process, or when that finished

    class Meta:
        indexes = ((("person", "page"), True),)
        constraints = (Check("(kind = 'webhook') = (secret IS NOT NULL)"),)


class Message(Table):
    """An event of a page, to be sent to its receivers (transactional outbox)."""

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
    answer = TextField(null=True)  # the result of the last attempt, in words for the owner

    class Meta:
        indexes = (
            (("receiver", "state", "message"), False),
            (("receiver", "attempted_at"), False),
            (("message", "receiver"), True),
        )
