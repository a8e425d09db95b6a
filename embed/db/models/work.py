"""The background work."""

from peewee import CharField, IntegerField, TextField

from embed.db.fields import ChoiceField, InstantField, Table
from embed.domain.identifiers import ID_LENGTH, make_id


class Job(Table):
    """A task of the background work that is done again and again, and how it went."""

    name = CharField(max_length=60, primary_key=True)
    due_at = InstantField(null=True)
    # The process that does it now; after `leased_until` another may.
    leased_by = TextField(null=True)
    leased_until = InstantField(null=True)
    started_at = InstantField(null=True)
    finished_at = InstantField(null=True)
    summary = TextField(null=True)  # what it did last
    failed_at = InstantField(null=True)
    failure = TextField(null=True)


class WorkerProcess(Table):
    """A process that does background work."""

    id = CharField(max_length=ID_LENGTH, primary_key=True, default=make_id)
    kind = ChoiceField("gunicorn", "worker")
    host = TextField()
    process_id = IntegerField()
    started_at = InstantField()
    seen_at = InstantField()
