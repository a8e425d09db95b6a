"""The lines of a page's file: header, rows of tables, trailer."""

from typing import Annotated, Any, ClassVar, Final, Literal

from msgspec import UNSET, Meta, Struct
from peewee import Model

from embed.domain.addresses import is_address
from embed.maintenance.page_file.values import Count, name_in_json, to_column

FORMAT: Final = "tracking-embed-page/1"

_ADDRESSES = {"address", "wallet_address", "token_mint", "token_account", "program"}


class Row(Struct, forbid_unknown_fields=True, rename=name_in_json, kw_only=True):
    """What a table keeps of the page; `model` is that table.

    Attributes that the model has are its columns; others are rows that belong to this one.
    """

    model: ClassVar[type[Model]]

    def read_columns(self) -> dict[str, Any]:
        """Return the values of the model's columns. Raises ValueError with a sentence."""
        known = self.model._meta.fields
        values = {name: getattr(self, name) for name in self.__struct_fields__ if name in known}
        return {
            name: to_column(known[name], value)
            for name, value in values.items()
            if value is not UNSET
        }

    def check(self) -> None:
        """Raises ValueError for what no type can say."""
        for name in _ADDRESSES & set(self.__struct_fields__):
            address = getattr(self, name)
            if address is not None and not is_address(address):
                raise ValueError(f"{address} is not an address (base58 of 32 bytes).")


class Header(Struct, tag_field="type", tag="header", forbid_unknown_fields=True):
    """The first line."""

    format: Literal["tracking-embed-page/1"]


class Trailer(Struct, tag_field="type", tag="trailer", forbid_unknown_fields=True):
    """The last line: by it, a file that was cut off or changed is noticed."""

    records: Annotated[dict[str, Count], Meta(description="how many lines there are by type")]
    sha256: Annotated[
        str,
        Meta(pattern=r"^[0-9a-f]{64}(?![\s\S])", description="of all bytes before this line"),
    ]
