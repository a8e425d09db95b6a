"""The background work."""

from peewee import CharField, IntegerField, TextField

from embed.db.fields import ChoiceField, InstantField, Table
from embed.domain.identifiers import ID_LENGTH


class Lease(Table):
    """The process that does the background work: at most one row."""

    name = CharField(max_length=20, primary_key=True)
    holder = CharField(max_length=ID_LENGTH)
    kind = ChoiceField("gunicorn", "worker")
    host = TextField()
    process_id = IntegerField()
    started_at = InstantField()
    seen_at = InstantField()  # renewed while it works


class Job(Table):
    """A recurring job and its last result."""

    name = CharField(max_length=60, primary_key=True)
    due_at = InstantField(null=True)  # null: at once
    started_at = InstantField(null=True)
    finished_at = InstantField(null=True)  # the last time it succeeded
    summary = TextField(null=True)  # what it did then
    failed_at = InstantField(null=True)
    failure = TextField(null=True)  # null: the last run succeeded
