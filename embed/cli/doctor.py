"""flask doctor"""

import os
from collections.abc import Iterator
from typing import Any

import click

from embed.doctor.examination import Examination, describe_installation, examine
from embed.doctor.findings import Finding
from embed.domain import times
from embed.terminal import Command, JsonObject, print_answer, wants_json


@click.command("doctor", cls=Command, needs_settings=False)
@click.option(
    "--support",
    is_flag=True,
    help="Print what a report of a fault needs, without a secret, an address, a key or a wallet.",
)
@click.pass_context
def doctor(context: click.Context, support: bool) -> None:
    """Say what is wrong with this installation, and what to do; changes nothing.

    The exit status is 1 if an error was found, and 0 if there are only warnings or nothing.
    """
    examination = examine(os.environ, times.now)
    if support:
        # Codes only: the sentences name addresses and files.
        found = {each.code: each.severity for each in examination.findings}
        described = {**describe_installation(os.environ), "findings": found}
        print_answer(described, "\n".join(_list_lines(described)))
        return
    print_answer([_describe(each) for each in examination.findings], _explain(examination))
    for sentence in examination.not_checked:
        click.echo(sentence, err=wants_json())
    context.exit(int(examination.has_errors))


def _list_lines(described: dict[str, Any]) -> Iterator[str]:
    for name, value in described.items():
        if isinstance(value, dict):
            value = ", ".join(f"{part} {each}" for part, each in value.items()) or "none"
        yield f"{name}: {value}"


def _describe(finding: Finding) -> JsonObject:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "problem": finding.problem,
        "remedy": finding.remedy,
    }


def _explain(examination: Examination) -> str:
    lines = [
        f"{each.severity.upper()} {each.code}: {each.problem}\n  What to do: {each.remedy}\n"
        for each in examination.findings
    ]
    lines = lines or ["Nothing is wrong."]
    return "\n".join([*lines, f"Checked: {', '.join(examination.checked)}."])
