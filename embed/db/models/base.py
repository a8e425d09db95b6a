"""What the tables have in common."""

from peewee import CharField, Model

from embed.db.connection import db
from embed.db.fields import InstantField
from embed.domain.identifiers import ID_LENGTH, make_id


class BaseModel(Model):
    id = CharField(max_length=ID_LENGTH, primary_key=True, default=make_id)
    created_at = InstantField()

    class Meta:
        database = db
        legacy_table_names = False
