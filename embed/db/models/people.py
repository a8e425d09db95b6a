"""The people who sign in, and where they are signed in."""

from peewee import BigIntegerField, BooleanField, CharField, ForeignKeyField, TextField

from embed.db.fields import BaseModel, InstantField


class Person(BaseModel):
    email = CharField(max_length=254, unique=True)
    password_hash = TextField(null=True)  # null: none yet
    language = CharField(
        max_length=10, null=True
    )  # null: notifications in English, pages as the browser asks
    is_guest = BooleanField(default=False)  # came by an invitation, and may create no pages

    def __str__(self) -> str:
        return str(self.email)


class Session(BaseModel):
    """A browser in which a person is signed in: its cookie has the id and the secret."""

    person = ForeignKeyField(Person, on_delete="CASCADE")
    person_id: str
    secret_hash = CharField(max_length=64)
    seen_at = InstantField()  # to the hour
    browser = TextField(null=True)  # its name, null if that is unknown
    system = TextField(null=True)  # the same of the operating system
    network = TextField(null=True)  # as in logs; null: the client had no address
    confirmed_at = InstantField()  # when the person last showed that it is them


class Passkey(BaseModel):
    """A key pair that a person's device or password manager keeps, for this service alone."""

    person = ForeignKeyField(Person, on_delete="CASCADE")
    person_id: str
    name = CharField(max_length=50)
    credential_id = TextField(unique=True)  # base64url, without padding
    credential = TextField()  # base64url of it with the public key, as WebAuthn 3 (6.5.1) has them
    host = TextField()  # its browsers sign for this host alone
    sign_count = BigIntegerField()  # how often it signed; 0: it does not count
    used_at = InstantField(null=True)


class AccountEvent(BaseModel):
    """What happened with an account, for its person; rows are only added."""

    person = ForeignKeyField(Person, on_delete="CASCADE", index=False)
    kind = CharField(max_length=30)  # see events/account_log.py, which makes sentences of these
    data = TextField()  # JSON; with "browser" and "system" as a session has them
    network = TextField(null=True)  # as in logs, from which it was done; null: by a command

    class Meta:
        indexes = ((("person", "created_at"), False),)
