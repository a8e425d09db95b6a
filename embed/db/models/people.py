"""The people who sign in."""

from peewee import BooleanField, CharField, TextField

from embed.db.fields import BaseModel


class Person(BaseModel):
    email = CharField(max_length=254, unique=True)
    password_hash = TextField(null=True)  # null: cannot sign in yet
    language = CharField(
        max_length=10, null=True
    )  # null: notifications in English, pages as the browser asks
    is_guest = BooleanField(default=False)  # came by an invitation, and may create no pages

    def __str__(self) -> str:
        return str(self.email)
