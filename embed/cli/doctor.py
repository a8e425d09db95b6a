"""flask doctor"""

import os

import click

from embed.doctor.examination import Examination, examine
from embed.doctor.findings import Finding
from embed.domain import times
from embed.serializers import write_json
from embed.terminal import Command, JsonObject, json_option


@click.command("doctor", cls=Command)
@json_option
@click.pass_context
def doctor(context: click.Context, as_json: bool) -> None:
    """Say what is wrong with this installation, and what to do; changes nothing.

    The exit status is 1 if an error was found, and 0 if there are only warnings or nothing.
    """
    examination = examine(os.environ, times.now)
    if as_json:
        click.echo(write_json([_describe(finding) for finding in examination.findings]))
    else:
        _print(examination)
    for sentence in examination.not_checked:
        click.echo(sentence, err=as_json)
    context.exit(int(examination.has_errors))


def _describe(finding: Finding) -> JsonObject:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "problem": finding.problem,
        "remedy": finding.remedy,
    }


def _print(examination: Examination) -> None:
    for finding in examination.findings:
        click.echo(f"{finding.severity.upper()} {finding.code}: {finding.problem}")
        click.echo(f"  What to do: {finding.remedy}\n")
    if not examination.findings:
        click.echo("Nothing is wrong.")
    click.echo(f"Checked: {', '.join(examination.checked)}.")
