"""What happens while something else is under way."""

from collections.abc import Callable
from threading import Thread

import pytest

from embed.db import connection
from embed.people import sessions


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
