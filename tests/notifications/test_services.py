"""Which services of Apprise a channel may use: every one of them was looked at."""

import ast
import inspect
import sys

import pytest
from apprise.plugins import N_MGR

from embed.notifications.services import ALLOWED, FILE_ARGUMENTS, REFUSED

SERVICES = {
    plugin.__name__.removeprefix("Notify"): plugin
    for plugin in N_MGR.plugins(include_disabled=True)
}
# Modules with which a plugin would connect, start programs or read files past our checks.
UNCHECKED = {
    "asyncio", "concurrent", "ctypes", "dbus", "multiprocessing", "pathlib", "selectors",
    "shutil", "socket", "socketserver", "subprocess", "syslog", "tempfile",
}  # fmt: skip
UNCHECKED_CALLS = {"Popen", "Thread", "ThreadPoolExecutor", "fork", "popen", "sleep", "system"}


def list_imports(module) -> set[str]:
    """Return the packages that a plugin's own module imports, and `from ..utils import pgp`."""
    nodes = list(ast.walk(ast.parse(inspect.getsource(module))))
    plain = {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    absolute = {node.module for node in froms if node.level == 0}
    own = {
        f".{node.module or ''}.{each.name}" for node in froms if node.level for each in node.names
    }
    return {name.partition(".")[0] for name in plain | absolute} | own


def list_calls(module) -> set[str]:
    nodes = ast.walk(ast.parse(inspect.getsource(module)))
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return {getattr(call, "id", getattr(call, "attr", "")) for call in calls}


def reads_files(plugin) -> bool:
    """Tell whether a plugin opens what one of its arguments names."""
    source = inspect.getsource(sys.modules[plugin.__module__])
    return "AppriseAttachment(asset=" in source or "pgp" in source or "keyfile" in source


def test_every_service_of_this_apprise_is_allowed_or_refused():
    """When this fails, read the source of the new ones first: services.py says what matters."""
    listed = ALLOWED | REFUSED.keys()

    assert listed == SERVICES.keys()
    assert ALLOWED.isdisjoint(REFUSED)
    assert len(ALLOWED) > 100


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_allowed_service_connects_only_where_the_guard_sees_it(name):
    module = sys.modules[SERVICES[name].__module__]
    imported = list_imports(module)

    # Guilded and Jellyfin are made of the modules of two others.
    assert imported & {"requests", "smtplib", "...discord", "..discord", "..emby"}
    assert imported & UNCHECKED == set()
    assert list_calls(module) & UNCHECKED_CALLS == set()


def test_arguments_that_name_files_are_known():
    found = {name for name in ALLOWED if reads_files(SERVICES[name])}

    assert found | {"Guilded"} == FILE_ARGUMENTS.keys()
