"""Which thread runs the worker's loop."""

import threading
import time
from collections.abc import Callable

# CPython itself lets another thread run after 5 ms if one waits for it.
_LONG_S = 0.001
_LOOKS = 10


class Turns:
    """Threads of which one at a time runs a loop, and does itself what the loop brings.

    To hand each request from the loop to another thread would take longer than most requests do.
    But when one takes long, as it waits for the database, another thread goes on with the loop.
    """

    def __init__(self, take_turn: Callable[[], bool]) -> None:
        """`take_turn` is one turn of the loop, and returns whether its thread still runs the loop.

        It calls begin_task and end_task around what may take long.
        """
        self._take_turn = take_turn
        self._running_loop = threading.Lock()  # released in the name of a thread that is busy
        self._task: object | None = None  # of the thread that runs the loop
        self._task_changes = threading.Lock()
        self._has_tasks = threading.Event()
        self._failure: BaseException | None = None

    def start(self, threads: int) -> None:
        for number in range(threads):
            threading.Thread(target=self._run, name=f"request-{number}", daemon=True).start()

    def begin_task(self) -> object:
        self._task = task = object()
        if not self._has_tasks.is_set():
            self._has_tasks.set()
        return task

    def end_task(self, task: object) -> bool:
        """Return whether this thread still runs the loop."""
        with self._task_changes:
            runs_loop = self._task is task
            if runs_loop:
                self._task = None
        return runs_loop

    def watch(self) -> None:
        """Let another thread run the loop if a task takes long; to be called again and again.

        It returns after some milliseconds while there are tasks, else after a second at most.
        Raises what the loop has raised.
        """
        if self._has_tasks.wait(1.0):
            self._has_tasks.clear()
            for _ in range(_LOOKS):
                task = self._task
                time.sleep(_LONG_S)
                if task is not None and self.end_task(task):
                    self._running_loop.release()
        if self._failure is not None:
            raise self._failure

    def wake(self) -> None:
        """Let `watch` return soon."""
        self._has_tasks.set()

    def _run(self) -> None:
        try:
            while True:
                self._running_loop.acquire()
                while self._take_turn():
                    pass
        except BaseException as error:
            self._failure = error
            self.wake()
