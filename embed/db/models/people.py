"""The people who sign in."""

from peewee import CharField, TextField

from embed.db.fields import BaseModel


class Person(BaseModel):
    email = CharField(max_length=254, unique=True)
    password_hash = TextField(null=True)  # null: cannot sign in yet
    language = CharField(
        max_length=10, null=True
    )  # null: notifications in English, pages as the browser asks

    def __str__(self) -> str:
        return str(self.email)
