"""What a page's file holds, as it follows from the models.

A line is a row of a table. It has every column but those that LEFT_OUT names, and every table
that belongs to a page is there: so what is added to the models is in the file without a word here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct
from peewee import (
    AutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    CharField,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from embed.db import models, schema_version
from embed.db.fields import AmountField, ChoiceField, InstantField, LinesField, LookField
from embed.domain.activity import find_address, read_facts
from embed.domain.addresses import is_address
from embed.domain.identifiers import ID_LENGTH
from embed.domain.look import Look
from embed.domain.policy import REJECT_REASON_BY_CODE
from embed.domain.reasons import CODES, MAX_LENGTH
from embed.domain.times import count_days, format_instant
from embed.events.messages import DATA_BY_TYPE
from embed.keys.refused_origins import MAX_PER_KEY

FORMAT: Final = "tracking-embed-page"
# The number of the newest migration, which made the columns. Version 0.5, which had 7, wrote 1.
VERSION: Final = int(schema_version.list_migrations()[-1][:4])

Columns = dict[str, Any]  # the values of a row by the names of the model's fields


def _find_address(row: Columns) -> str | None:
    try:
        facts = read_facts(row["data"])
    except (ValueError, RecursionError):
        raise ValueError("The data is no JSON object.") from None
    # How deep one is read depends on what called the reader: here, or where the log is shown.
    if any(isinstance(value, dict | list) for value in facts.values()):
        raise ValueError("The data is no JSON object of texts, numbers and the like only.")
    return find_address(facts)


# Columns that follow from others of their row.
_DERIVED: dict[Any, Callable[[Columns], Any]] = {
    models.Activity.address: _find_address,
    models.Message.address: _find_address,
    models.DailyBalance.day: lambda row: count_days(row["observed_at"]),
    models.ImportedDay.day: lambda row: count_days(row["observed_at"]),
}
LEFT_OUT: set[Any] = {
    *_DERIVED,
    # What belongs to the whole installation.
    models.Job,
    models.WorkerProcess,
    models.Session,
    models.Passkey,
    models.AccountEvent,
    # They are read again, and whoever wrote the file may have made them up.
    models.DomainName,
    # Members have their accounts here, so they are invited anew elsewhere.
    models.Member,
    models.Invitation,
    # An owner is known by the e-mail address, and chooses a password on each installation.
    models.Person.id,
    models.Person.created_at,
    models.Person.password_hash,
    models.Person.is_guest,
    # Those with a person are left out as a whole.
    models.Receiver.person,
    # Whoever imports a page allows it anew: a file may come from somebody else.
    models.Receiver.may_decide,
    models.Block.person,
    # Undoing a rejection needs it for ten minutes.
    models.Block.submission,
}
# Columns that are the same in all rows of a page, as list_page_columns says. Neither they, nor
# numbers that a database counts up, nor the row in whose line a part is written are in the file.
_OF_PAGE = ("page", "owner", "mint")
# Tables of which rows may be here already, as pages share them or the file says it twice, with the
# column that names a row in a file.
SHARED: dict[Any, Any] = {
    models.UsedNonce: models.UsedNonce.token,
    models.Token: models.Token.mint,
    models.Balance: models.Balance.address,
    models.ChainBalance: models.ChainBalance.address,
    models.ImportedBalance: models.ImportedBalance.address,
}
# Tables whose rows are written in the lines of others: the column that names the row in whose line
# they are, with their name there.
_PARTS: dict[Any, str] = {
    models.DailyBalance.balance: "days",
    models.ImportedDay.balance: "days",
    models.Delivery.message: "deliveries",
    models.Proof.submission: "proof",
    models.RefusedOrigin.api_key: "refusedOrigins",
    models.WalletTag.wallet: "tagIds",
}

# Names that are others than in the models.
_NAMES: dict[Any, str] = {
    models.Person: "owner",
    models.ApiKey: "key",
    models.Submission.api_key: "key",
    models.Balance: "enteredBalance",
    models.ChainBalance: "observedBalance",
    models.Message.type: "message_type",  # `type` is that of the line
    models.Page.is_embeddable: "embed",
    models.Wallet.is_hidden: "hide_from_public",
}

# The forms of values. JSON Schema and Python differ in what $ means; this is the end for both.
_END = r"(?![\s\S])"
_NO_CONTROLS = r"^(?![\s\S]*[\u0000-\u001f\u007f-\u009f])"
_NO_CONTROLS_BUT_LINES = r"^(?![\s\S]*[\u0000-\u0009\u000b-\u001f\u007f-\u009f])"


def _text(pattern: str, max_length: int | None = None) -> Any:
    return Annotated[str, Meta(pattern=f"^{pattern}{_END}", max_length=max_length)]


def _lines(max_length: int) -> Any:
    return Annotated[str, Meta(max_length=max_length, pattern=_NO_CONTROLS_BUT_LINES)]


def _line(max_length: int, min_length: int = 0) -> Any:
    meta = Meta(min_length=min_length, max_length=max_length, pattern=_NO_CONTROLS)
    return Annotated[str, meta]


_ID, _NAME, _LINE = _text(f"[0-9A-Za-z]{{{ID_LENGTH}}}"), _line(100, 1), _line(2000)
_ADDRESS = _text("[1-9A-HJ-NP-Za-km-z]{32,44}")
_WORD: Any = _text("[!-~]{1,300}")
_COUNT = Annotated[int, Meta(ge=0, le=2**30)]  # with room for what is counted later
_SECRET = _text("whsec_[A-Za-z0-9+/]{43}=")

_FORM_BY_TYPE: dict[Any, Any] = {
    InstantField: _text(
        r"[12][0-9]{3}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
    ),
    AmountField: _text(r"(?:0|[1-9][0-9]{0,39})(?:\.[0-9]{0,39}[1-9])?"),
    LinesField: Annotated[list[_WORD], Meta(max_length=100)],
    LookField: Look,
    BlobField: Annotated[bytes, Meta(max_length=6000)],
    BooleanField: bool,
    BigIntegerField: Annotated[int, Meta(ge=0, le=2**63 - 1)],
    IntegerField: Annotated[int, Meta(ge=0, le=2**31 - 1)],
    TextField: _lines(100_000),
    ForeignKeyField: _ID,
}
_ADDRESS_LENGTH = 44
_FORM_BY_LENGTH = {ID_LENGTH: _ID, _ADDRESS_LENGTH: _ADDRESS}

# Columns whose values have a narrower form than their type.
_FORMS: dict[Any, Any] = {
    models.Person.email: _text(r"[^\s@]{1,64}@[^\s@]+", max_length=254),
    models.Page.token_name: _NAME,
    models.Page.token_symbol: _NAME,
    models.Page.public_title: _LINE,
    models.Page.public_comments: _lines(2000),
    models.Page.version: _COUNT,
    models.Page.listed_version: _COUNT,
    models.ApiKey.key_hash: _text("[0-9a-f]{64}"),
    models.ApiKey.display_prefix: _text("svc_(?:pub|sec)_[0-9A-Za-z]{4}"),
    models.ApiKey.label: _LINE,
    models.RefusedOrigin.origin: _WORD,
    models.RefusedOrigin.count: _COUNT,
    models.Tag.name: _NAME,
    models.Tag.color: _text("[a-z][a-z0-9-]{0,29}"),
    models.Wallet.public_alias: _NAME,
    models.Wallet.low_count: _COUNT,
    models.Submission.nickname: _LINE,  # empty once it was withdrawn
    models.Submission.status: Literal[models.STATUSES],
    models.Submission.reject_reason: Literal[tuple(REJECT_REASON_BY_CODE.values())],
    models.Submission.reason_code: Literal[CODES],
    models.Submission.reason_text: _line(MAX_LENGTH, 1),
    models.RefusalCount.reason: Literal[tuple(REJECT_REASON_BY_CODE.values())],
    models.RefusalCount.count: _COUNT,
    models.Proof.message: Annotated[str, Meta(max_length=2000)],
    models.Proof.signature: Annotated[bytes, Meta(min_length=64, max_length=64)],
    models.Activity.actor: _line(254),
    models.Block.created_by: _line(254),
    models.Listing.name: _NAME,
    models.Receiver.target: _line(2000, 1),
    models.Receiver.secret: _SECRET,
    models.Receiver.previous_secret: _SECRET,
    models.Receiver.signing_key: _text("whsk_[A-Za-z0-9+/]{86}=="),
    models.Receiver.failed_attempts: _COUNT,
    models.Message.type: Literal[tuple(DATA_BY_TYPE)],
    models.Message.data: _LINE,
    models.Delivery.state: Literal["delivered", "given_up"],
    models.Delivery.attempts: _COUNT,
    models.Delivery.answer: _LINE,
    models.Token.decimals: Annotated[int, Meta(ge=0, le=255)],
    models.Token.name: _LINE,
    models.Token.symbol: _LINE,
    models.Token.problem: _LINE,
}


def _find_form(field: Any) -> Any:
    """Return the type of a column's values in JSON."""
    if field in _FORMS:
        return _FORMS[field]
    if not isinstance(field, CharField):
        return next(form for kind, form in _FORM_BY_TYPE.items() if isinstance(field, kind))
    if isinstance(field, ChoiceField):
        return Literal[field.words]
    return _FORM_BY_LENGTH.get(field.max_length) or _line(field.max_length)


def to_json(field: Any, stored: Any) -> Any:
    """Return what a database stores in a column as JSON."""
    value = field.python_value(stored)
    if isinstance(value, datetime):
        return format_instant(value)
    return stored if isinstance(field, AmountField) else value


def _from_json(field: Any, value: Any) -> Any:
    """Return a column's value, whose form has been checked. Raises ValueError with a sentence."""
    if value is None:
        return None
    if isinstance(field, AmountField):
        return Decimal(value)
    if isinstance(field, InstantField):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{value} is not a date and time.") from None
    if getattr(field, "max_length", None) == _ADDRESS_LENGTH and not is_address(value):
        raise ValueError(f"{value} is not an address (base58 of 32 bytes).")
    return value


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    model: Any
    name: str  # the type of its lines, or the name of a part
    columns: dict[str, Any]  # fields by their names in JSON
    parent: Any  # of a part: the column that names the row in whose line it is written
    parts: list["Table"]

    @property
    def key(self) -> Any:
        """The column that names a row in a file."""
        return SHARED.get(self.model) or self.model.id

    def read_columns(self, row: Any) -> Columns:
        """Return the columns of a decoded line or part. Raises ValueError with a sentence."""
        columns = {
            field.name: _from_json(field, getattr(row, name) if isinstance(row, Struct) else row)
            for name, field in self.columns.items()
        }
        for field, derive in _DERIVED.items():
            if field.model is self.model:
                columns[field.name] = derive(columns)
        return columns

    def pack(self, rows: list[dict[str, Any]]) -> Any:
        """Return a part's rows as its parent's line has them: as values if it has one column."""
        if len(self.columns) == 1:
            return [value for row in rows for value in row.values()]
        return next(iter(rows), None) if self.parent.primary_key else rows

    def unpack(self, line: Struct) -> list[Columns]:
        """Return a part's rows from its parent's line. Raises ValueError with a sentence."""
        packed = getattr(line, self.name)
        if self.parent.primary_key:
            packed = [packed] if packed else []
        return [self.read_columns(row) for row in packed]

    def make_type(self) -> Any:
        """Return the type of its lines, or of a part in the lines of its parent."""
        fields = [
            (name, _find_form(field) | None if field.null else _find_form(field))
            for name, field in self.columns.items()
        ]
        fields += [(part.name, part.make_type()) for part in self.parts]
        if self.parent and len(fields) == 1:
            return list[fields[0][1]]  # type: ignore[misc]  # made while the program runs
        tag: Any = {} if self.parent else {"tag_field": "type", "tag": self.name}
        row: Any = msgspec.defstruct(
            self.model.__name__, fields, kw_only=True, forbid_unknown_fields=True, **tag
        )
        if self.parent is None:
            return row
        if self.parent.primary_key:
            return row | None
        most = MAX_PER_KEY if self.model is models.RefusedOrigin else None
        return Annotated[list[row], Meta(max_length=most)]


def is_carried(field: Any) -> bool:
    return not (field in LEFT_OUT or field.name in _OF_PAGE or isinstance(field, AutoField))


def list_page_columns(model: Any, page: models.Page) -> dict[str, Any]:
    values = zip(_OF_PAGE, (page.id, page.owner_id, page.token_mint), strict=True)
    return {name: value for name, value in values if name in model._meta.fields}


def _describe(model: Any, name: str, parent: Any = None) -> Table:
    columns = {
        _name_column(field): field
        for field in model._meta.sorted_fields
        if is_carried(field) and field is not parent
    }
    parts = [
        _describe(above.model, part, above)
        for above, part in _PARTS.items()
        if above.rel_model is model
    ]
    return Table(model, name, columns, parent, parts)


def _name_column(field: Any) -> str:
    """Return the name in JSON: camelCase, without unit; references with Id, instants with Iso."""
    name = str(_NAMES.get(field, field.name)).removeprefix("is_").removesuffix("_s")
    if isinstance(field, ForeignKeyField):
        name += "_id"
    elif isinstance(field, InstantField):
        name += "_iso"
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


# In the order of a file's lines: what others refer to comes before them, as in MODELS, and what
# pages share comes last.
TABLES = {
    name: _describe(model, name)
    for model in sorted(models.MODELS, key=lambda each: each in SHARED)
    if model not in LEFT_OUT
    if model in (models.Person, models.Page, *SHARED) or "page" in model._meta.fields
    for name in [_NAMES.get(model) or f"{model.__name__[0].lower()}{model.__name__[1:]}"]
}


class Header(Struct, tag_field="type", tag="header", forbid_unknown_fields=True):
    """The first line."""

    format: _text(f"{FORMAT}/[1-9][0-9]{{0,8}}")  # type: ignore[valid-type]  # made as others are


class Trailer(Struct, tag_field="type", tag="trailer", forbid_unknown_fields=True):
    """The last line: by it, a file that was cut off or changed is noticed."""

    records: Annotated[dict[str, int], Meta(description="how many lines there are by type")]
    sha256: Annotated[str, Meta(description="of all bytes before this line")]


LINE = reduce(or_, (table.make_type() for table in TABLES.values()), Trailer)
