"""Names of tables and columns in statements."""

from collections.abc import Iterable


def quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def join_names(names: Iterable[str]) -> str:
    return ", ".join(quote_name(name) for name in names)
