"""The owner of a page and someone else, and what happens while something else is under way."""

from collections.abc import Callable
from threading import Thread

import pytest

from embed import pages
from embed.db import connection
from embed.db.models import Person
from embed.people import accounts, sessions


@pytest.fixture
def owner(world) -> Person:
    owner = accounts.create_person("owner@example.com", world.clock())
    pages.update_page(world.page_id, {"owner": owner}, world.change())
    return owner


@pytest.fixture
def ann(world) -> Person:
    return accounts.create_person("ann@example.com", world.clock())


@pytest.fixture
def while_it_begins(monkeypatch) -> Callable[[Callable[[], None], Callable[[], object]], None]:
    """Do something in another thread while a sign-in begins its session.

    ``while_it_begins(do, sign_in)``
    """

    def act(do: Callable[[], None], sign_in: Callable[[], object]) -> None:
        begin, threads = sessions.begin, []

        def do_and_close() -> None:
            do()
            connection.db.close()

        def begin_meanwhile(*arguments, **named):
            threads.append(Thread(target=do_and_close))
            threads[0].start()
            threads[0].join(0.3)  # it waits for the person
            return begin(*arguments, **named)

        with monkeypatch.context() as changed:
            changed.setattr(sessions, "begin", begin_meanwhile)
            sign_in()
        threads[0].join()

    return act
