"""Commands, run in this process as the ``flask`` command would."""

import json
import re
from typing import Any

from embed.db.models import MODELS

CAMEL_CASE = re.compile(r"[a-z]+(?:[A-Z][a-z]+)*")


class Operator:
    def __init__(self, app) -> None:
        self._runner = app.test_cli_runner()

    def run(self, *arguments: str, **how: Any):
        return self._runner.invoke(args=arguments, **how)

    def tell(self, *arguments: str, **how: Any) -> str:
        """Run a command and return the text that it prints."""
        result = self.run(*arguments, **how)
        assert (result.exit_code, result.stderr) == (0, ""), result.output
        assert "Traceback" not in result.stdout
        return result.stdout

    def show(self, *arguments: str) -> Any:
        """Run a command with ``--json`` and return its one document."""
        shown = json.loads(self.tell(*arguments, "--json"))
        for thing in shown if isinstance(shown, list) else [shown]:
            assert all(CAMEL_CASE.fullmatch(name) for name in thing)
        return shown

    def refuse(self, *arguments: str) -> str:
        """Run a command that must fail without changing anything; return its error line."""
        before = dump()
        result = self.run(*arguments)
        assert result.exit_code in (1, 2), result.output
        assert isinstance(result.exception, SystemExit), repr(result.exception)
        assert result.stdout == ""
        (line,) = result.stderr.splitlines()
        assert line.startswith("Error: ")
        assert dump() == before
        return line


def dump() -> dict[str, list[tuple]]:
    """Return all rows of the database."""
    return {model.__name__: sorted(model.select().tuples(), key=repr) for model in MODELS}
