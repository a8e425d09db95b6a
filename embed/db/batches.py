"""Deleting many rows without holding locks for long."""

from typing import Any

_BATCH = 1000  # rows of one transaction


def delete_in_batches(key: Any, condition: Any) -> int:
    """Delete the rows of a table that meet a condition; return how many.

    `key` is the field of the primary key. Others can write between two batches, so the condition
    is one that no row stops meeting unnoticed, such as an age.
    """
    model, deleted = key.model, 0
    while keys := list(model.select(key).where(condition).limit(_BATCH).tuples()):
        of_batch = key.in_([each for (each,) in keys])
        deleted += model.delete().where(of_batch, condition).execute()
    return deleted
