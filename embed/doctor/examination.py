"""The examination of an installation: every check, in the order in which people read them."""

import os
from collections.abc import Mapping
from functools import partial

from embed.doctor import (
    background,
    database,
    files,
    mail,
    public_address,
    redis_servers,
    rpc,
    variables,
    webhooks,
)
from embed.doctor.checks import Check, Examination, run_together
from embed.doctor.database import Unusable, open_checked
from embed.doctor.findings import Finding
from embed.doctor.installation import Installation
from embed.domain.times import Clock

_DATABASE_S = 8.0  # how long it may take to connect


def examine(environ: Mapping[str, str], clock: Clock) -> Examination:
    """Look at everything, without changing anything; takes about a minute at most."""
    installation = Installation.from_environ(environ)
    settings = installation.settings
    paths = files.list_files(installation)
    total = run_together(
        [
            Check("settings", partial(variables.check_variables, installation)),
            Check("processes", partial(variables.check_process_count, settings)),
            Check("files", partial(files.check_files, paths, os.geteuid())),
            Check("disks", partial(files.check_disks, [path.parent for path in paths])),
            Check("open files", files.check_open_files),
        ]
    )
    is_usable = _open_database(installation, total)
    checks = _list_database_checks(installation, clock) if is_usable else []
    checks += [
        Check("limits", partial(redis_servers.check_limits, settings)),
        Check("RPC endpoints", partial(rpc.check_rpc, settings)),
        Check("mail server", partial(mail.check_mail, settings)),
        Check("public address", partial(public_address.check_public_address, installation, clock)),
    ]
    total.add(run_together(checks))
    return total


def _open_database(installation: Installation, total: Examination) -> bool:
    """Add what is wrong, and tell whether the database can be read."""
    if "DATABASE_URL" in installation.invalid:
        total.not_checked.append("Not checked: the database, as DATABASE_URL is not valid.")
        return False
    found = run_together([Check("database", partial(_open, installation))], _DATABASE_S)
    total.findings += found.findings
    if found.findings:
        total.not_checked.append("Not checked: background work, deliveries and webhooks.")
    return not found.findings


def _open(installation: Installation) -> list[Finding]:
    try:
        open_checked(installation.settings)
    except Unusable as reason:
        return [reason.finding]
    return []


def _list_database_checks(installation: Installation, clock: Clock) -> list[Check]:
    settings = installation.settings
    return [
        Check("database", partial(database.check_database, clock)),
        Check("background work", lambda: background.check_background(settings, clock())),
        Check("deliveries", background.check_deliveries),
        Check("webhooks", partial(webhooks.check_webhooks, settings)),
    ]
