"""What the service's own code never does, read from its source."""

import ast
import re
from pathlib import Path

from support.servers import PROJECT_DIR

# The demo acts as a visitor over HTTP, and as an owner by a command.
MODULES = [
    path for path in sorted((PROJECT_DIR / "embed").rglob("*.py")) if path.parent.name != "demo"
]
SCRIPTS = sorted((PROJECT_DIR / "static").rglob("*.js"))
TEMPLATES = sorted(path for path in (PROJECT_DIR / "templates").rglob("*.*") if path.is_file())

# Commands of the system, connections to others, and formats that can hold code.
UNSAFE_IMPORTS = re.compile(
    r"(subprocess|socket|http\.client|urllib\.request|requests|httpx|httpcore|urllib3|smtplib|ftplib"
    r"|ldap\w*|pickle|marshal|shelve|yaml|xml|lxml)(\..*)?"
)
ALLOWED = {
    "server": {"socket"},  # clients connect to it
    "outbound.py": {"socket", "httpcore"},  # checks addresses
    "notifications": {"smtplib"},  # to the operator's own mail server
}
UNSAFE_NAMES = {"eval", "exec", "compile", "system", "popen", "Markup", "render_template_string"}
# What the Markdown library makes of the service's own documents, with HTML in them escaped; texts
# of our catalogs, with escaped values.
RENDERED = {
    "documents.py: Markup",
    "filters.py: Markup",  # with escaped values
    "languages.py: Markup",
    "rows.py: Markup",  # by Jinja
}
MARKUP_FROM_TEXT = re.compile(
    r"\b(eval|innerHTML|outerHTML(?=\s*[+?|&]*=(?!=))|insertAdjacentHTML|srcdoc"
    r"|document\.write(ln)?|new Function|setTimeout\(\s*[\"'`]|setHTMLUnsafe"
    r"|createContextualFragment)\b"
)
UNESCAPED = re.compile(r"\|\s*safe\b|autoescape\s+false|\bMarkup\b")


def list_imports(source: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(source)))
    whole = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return whole | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def is_allowed(path: Path, name: str) -> bool:
    return name in ALLOWED.get(path.relative_to(PROJECT_DIR / "embed").parts[0], ())


def list_calls(source: str) -> set[str]:
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    plain = {call.id for call in calls if isinstance(call, ast.Name)}
    # re.compile is no compile of Python.
    return plain | {call.attr for call in calls if isinstance(call, ast.Attribute)} - {"compile"}


def find(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    return [
        f"{path.name}: {hit[0]}" for path in paths for hit in pattern.finditer(path.read_text())
    ]


def test_service_starts_no_program_and_calls_others_only_through_outbound():
    found = {
        f"{path.name} imports {name}"
        for path in MODULES
        for name in list_imports(path.read_text())
        if UNSAFE_IMPORTS.fullmatch(name) and not is_allowed(path, name)
    }

    assert len(MODULES) > 80
    assert found == set()


def test_service_runs_no_text_as_code_or_template():
    found = {f"{path.name}: {name}" for path in MODULES for name in list_calls(path.read_text())}

    assert {each for each in found if each.partition(": ")[2] in UNSAFE_NAMES} == RENDERED


def test_scripts_make_no_markup_of_text():
    assert MARKUP_FROM_TEXT.search("row.outerHTML = text")
    assert len(SCRIPTS) > 20
    assert find(MARKUP_FROM_TEXT, SCRIPTS) == []


def test_templates_escape_everything():
    assert len(TEMPLATES) > 30
    assert find(UNESCAPED, TEMPLATES) == []


def test_caches_that_threads_share_have_a_lock():
    cache = re.compile(r"(?:(SharedCache)(?:\[.*?\])?\(|@(cached)\()?\s*\bL[RF]UCache\([^\n]*")
    made = [hit for path in MODULES for hit in cache.finditer(path.read_text())]

    assert len(made) > 6
    for hit in made:
        assert hit[1] or (hit[2] and re.search(r"\b(?:lock|condition)=", hit[0])), hit[0]


def test_browsers_keep_nothing_but_settings_of_the_queue_and_of_the_list():
    storage = re.compile(r"\b(localStorage|sessionStorage|indexedDB|caches|document\.cookie)\b")

    assert {hit.partition(":")[0] for hit in find(storage, SCRIPTS)} == {
        "queue.js",
        "api.js",  # for the list's order, hidden own rows, and a cookie that is deleted at once
        "wallet.js",  # the key of the demo's test wallet
    }


def test_scripts_set_no_property_by_a_computed_name():
    assignment = re.compile(r"[\w)\]]\[[^\]\"'`]+\]\s*=(?![=>])")

    assert assignment.search("target[name] = value")
    assert find(assignment, SCRIPTS) == []


# Translators in the browser
