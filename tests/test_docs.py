"""What the README and docs/ promise is what the program does."""

import ast
import json
import re
from pathlib import Path

import click
import pytest

from docs import write_commands
from embed import settings
from embed.commands import COMMANDS
from embed.errors import STATUS_BY_CODE
from embed.settings import PROJECT_DIR, VARIABLES
from embed.translations import load_catalog
from embed.web import documents
from embed.web.api.endpoints import OPENAPI_FILE
from embed.web.dashboard.routes import ROUTES

README = PROJECT_DIR / "README.md"
CONTRIBUTING = PROJECT_DIR / "CONTRIBUTING.md"
SETTINGS = PROJECT_DIR / "docs" / "settings.md"
PAGES = (
    README,
    CONTRIBUTING,
    PROJECT_DIR / "SECURITY.md",
    *sorted((PROJECT_DIR / "docs").glob("*.md")),
)

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_COMMAND = re.compile(r"\bflask ([a-z-]+)(?: ([a-z]+(?:-[a-z]+)*))?")


def read_rows(text: str, *columns: str) -> list[list[str]]:
    """Return the cells of every row of the one table whose head begins with `columns`."""
    head = "| " + " | ".join(columns) + " |"
    _, found, rest = text.partition(head)
    assert found, f"there is no table {head}"
    rows = [line for line in rest.split("\n\n")[0].splitlines()[2:] if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def unquote(cell: str) -> str:
    return cell.strip().strip("`")


# Settings


@pytest.fixture(scope="module")
def default_by_variable() -> dict[str, str]:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.*?) \|", SETTINGS.read_text(), re.MULTILINE)
    return dict(rows)


def read_variables_in_code() -> set[str]:
    """Return every text in embed/settings that looks like the name of a variable.

    Most are read by the names of the settings, and so are in VARIABLES; others are read by name.
    """
    trees = [ast.parse(file.read_text()) for file in Path(settings.__file__).parent.glob("*.py")]
    nodes = (node for tree in trees for node in ast.walk(tree))
    constants = (node.value for node in nodes if type(node) is ast.Constant)
    names = {one for one in constants if isinstance(one, str) and re.fullmatch(r"[A-Z_]{4,}", one)}
    return names - set(settings.__all__)


def test_every_variable_that_is_read_is_documented_and_no_other(default_by_variable):
    assert set(default_by_variable) == set(VARIABLES)
    systems = {"XDG_STATE_HOME"}
    assert read_variables_in_code() <= set(VARIABLES) | systems


def test_defaults_are_told(default_by_variable):
    # An empty one is described in words.
    told = {name: unquote(default_by_variable[name]) for name, value in VARIABLES.items() if value}

    assert told == {name: value for name, value in VARIABLES.items() if value}


# Errors


def test_api_reference_lists_every_error_with_its_status_as_the_openapi_document_does():
    rows = read_rows((PROJECT_DIR / "docs/api.md").read_text(), "status", "error")

    assert {unquote(code): int(status) for status, code, *_ in rows} == STATUS_BY_CODE
    codes = json.loads(OPENAPI_FILE.read_text())["components"]["schemas"]["ErrorCode"]
    described = [(unquote(code), when) for _, code, when in rows]
    assert described == list(codes["x-enumDescriptions"].items())
    assert [code for code, _ in described] == codes["enum"]


# Commands


@pytest.fixture(scope="module")
def commands() -> dict[str, click.Command]:
    return {command.name: command for command in COMMANDS}


def test_commands_are_documented_as_their_help_has_them():
    assert write_commands.FILE.read_text() == write_commands.write_document()


@pytest.mark.parametrize(
    "page", sorted(set(PAGES) - {write_commands.FILE}), ids=lambda page: page.name
)
def test_every_command_that_is_mentioned_exists(page, commands):
    unknown = []
    for group, part in _COMMAND.findall(page.read_text()):
        command = commands.get(group)
        if command is None or not is_complete(command, part):
            unknown.append(f"flask {group} {part}".rstrip())

    assert unknown == []


def is_complete(command: click.Command, part: str) -> bool:
    if not isinstance(command, click.Group):
        return True
    return part in command.commands or (part == "" and command.invoke_without_command)


# Links


def slugify(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def list_anchors(page: Path) -> set[str]:
    return {slugify(heading) for heading in _HEADING.findall(_FENCE.sub("", page.read_text()))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page):
    links = [link for link in _LINK.findall(_FENCE.sub("", page.read_text())) if "://" not in link]
    broken = []
    for link in links:
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in list_anchors(target)):
            broken.append(link)

    assert broken == []


@pytest.mark.parametrize("place", sorted({route.help for route in ROUTES.values()}))
def test_help_of_the_dashboard_leads_to_a_section(place):
    document, _, section = place.partition("#")
    assert not section or section in documents.read_document(document).anchors


def test_readme_leads_to_every_page_in_docs():
    links = {(PROJECT_DIR / link).resolve() for link in _LINK.findall(README.read_text())}

    assert set(PAGES) - links == {README}


def test_buttons_to_press_are_called_as_on_the_screen():
    text = " ".join(
        " ".join(page.read_text() for page in PAGES if page.parent != PROJECT_DIR).split()
    )
    named = set(re.findall(r"\b[Pp]ress(?:es)? \*\*(.+?)\*\*", text))

    assert named
    assert [name for name in named if load_catalog("ja").gettext(name) == name] == []


# The map of the code


@pytest.mark.parametrize(
    "path",
    sorted(
        set(
            re.findall(
                r"`((?:embed|tests|static|templates|bench|docs)/[\w/.]*)`", CONTRIBUTING.read_text()
            )
        )
    ),
)
def test_path_in_the_map_is_there(path):
    assert (PROJECT_DIR / path).exists()
