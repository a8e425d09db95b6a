"""Runs a command that kills its own process at some point of filling the database.

    python restore_killed_at.py TABLE|COMMIT COMMAND...

That is after copying a table, or right before it commits.
"""

import os
import signal
import sys

from embed.maintenance import backups, restoring

point, *command = sys.argv[1:]
fill, copy_table = restoring._fill, backups._copy_table


def die_at(reached):
    if point == reached:
        os.kill(os.getpid(), signal.SIGKILL)


def copy_and_die(source, target, table, columns):
    copied = copy_table(source, target, table, columns)
    die_at(table)
    return copied


def fill_and_die(*arguments):
    backups._copy_table = copy_and_die  # not before, when rows are copied into files
    filled = fill(*arguments)
    die_at("COMMIT")
    return filled


restoring._fill = fill_and_die

from app import app  # noqa: E402 -- with the change above

sys.exit(app.cli.main(command, prog_name="flask"))
