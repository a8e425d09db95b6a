"""Which functions run before and after each kind of request: a hook of all costs every read.

Limits are for every request, so these are hooks of all; headers of every answer are added around
Flask. Whatever one kind of request needs is its blueprint's.
"""

from inspect import iscoroutinefunction

import pytest

BEFORE_ALL = ["check_client_and_host", "make_missing", "csrf_protect"]
AFTER_ALL = ["_finish_unknown"]

# By the path: its blueprint's hooks, before the request and after it.
OF_BLUEPRINTS = {
    "/api/embed/tracking/{}": (["authenticate"], ["share_answer"]),
    "/embed/api/tracking/{}": (["authenticate"], ["share_answer"]),
    "/api/embed/openapi.json": ([], ["share_answer"]),
    "/embed/tracking/{}": ([], []),
    "/dashboard/": (["guard_request", "ask_who_it_is"], ["add_security_headers"]),
    "/static/x/embed.js": ([], []),
    "/embed.js": ([], []),
    "/healthz": ([], []),
    "/readyz": ([], []),
    "/": ([], []),
    "/api/embed/nothing": ([], []),
    "/dashboard/nothing": ([], []),
    "/nothing": ([], []),
}


def list_hooks(app, path: str) -> tuple[list[str], list[str]]:
    """Return the names in the order in which Flask calls them."""
    with app.test_request_context(path) as context:
        blueprints = context.request.blueprints
    before = [
        each for name in (None, *reversed(blueprints)) for each in app.before_request_funcs[name]
    ]
    after = [
        each for name in (*blueprints, None) for each in reversed(app.after_request_funcs[name])
    ]
    return [each.__name__ for each in before], [each.__name__ for each in after]


@pytest.mark.parametrize("path", OF_BLUEPRINTS)
def test_each_kind_of_request_has_its_own_hooks_besides_those_of_all(world, path):
    before, after = OF_BLUEPRINTS[path]

    assert list_hooks(world.app, path.format(world.page_id)) == (
        BEFORE_ALL + before,
        after + AFTER_ALL,
    )


def test_metrics_come_around_all_others(world_with):
    before, after = list_hooks(world_with(METRICS_BIND="127.0.0.1:9100").app, "/nothing")

    assert before == ["_begin", *BEFORE_ALL]
    assert after == [*AFTER_ALL, "_count"]


def test_no_hook_and_no_view_is_a_coroutine(world):
    """App.ensure_sync relies on it."""
    app = world.app
    kinds = (app.before_request_funcs, app.after_request_funcs)
    functions = list(app.view_functions.values())
    functions += [each for kind in kinds for some in kind.values() for each in some]
    functions += [
        handler
        for by_code in app.error_handler_spec.values()
        for by_class in by_code.values()
        for handler in by_class.values()
    ]

    assert len(functions) > 80
    assert not any(map(iscoroutinefunction, functions))
