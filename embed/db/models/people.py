"""The people who sign in, and their sessions."""

from peewee import BigIntegerField, BooleanField, CharField, ForeignKeyField, TextField

from embed.db.fields import BaseModel, InstantField


class Person(BaseModel):
    email = CharField(max_length=254, unique=True)
    password_hash = TextField(null=True)  # null: none yet
    language = CharField(
        max_length=10, null=True
    )  # null: notifications in English, pages as the browser asks
    is_guest = BooleanField(default=False)  # was invited to a page, and can't create pages

    def __str__(self) -> str:
        return str(self.email)


class Session(BaseModel):
    """A browser where a person is signed in; its cookie has the id and the secret."""

    person = ForeignKeyField(Person, on_delete="CASCADE")
    person_id: str
    secret_hash = CharField(max_length=64)
    seen_at = InstantField()  # to the hour
    browser = TextField(null=True)  # its name, null if unknown
    system = TextField(null=True)  # its operating system, null if unknown
    network = TextField(null=True)  # as in logs; null: the client had no address
    confirmed_at = InstantField()  # when the person last confirmed their identity


class Passkey(BaseModel):
    """A key pair for this service only, kept by a person's device or password manager."""

    person = ForeignKeyField(Person, on_delete="CASCADE")
    person_id: str
    name = CharField(max_length=50)
    credential_id = TextField(unique=True)  # base64url, without padding
    credential = TextField()  # base64url of it with the public key, as WebAuthn 3 (6.5.1) has them
    host = TextField()  # browsers sign with it for this host only
    sign_count = BigIntegerField()  # how often it was used; 0: it doesn't count
    used_at = InstantField(null=True)


class AccountEvent(BaseModel):
    """An entry in an account's log, which its person can read; rows are only added."""

    person = ForeignKeyField(Person, on_delete="CASCADE", index=False)
    kind = CharField(max_length=30)  # events/account_log.py has the sentences
    data = TextField()  # JSON; has "browser" and "system", as in a session
    network = TextField(null=True)  # where it was done from, as in logs; null: by a command

    class Meta:
        indexes = ((("person", "created_at"), False),)
