"""Creating, changing and revoking the bearer keys that owners see."""

from collections.abc import Iterable, Sequence

from embed.db.models import ApiKey
from embed.domain.identifiers import Tier, hash_key, make_key, shorten_key
from embed.domain.origins import parse_allowlist_entry
from embed.domain.texts import gettext_noop, parse_optional_text
from embed.errors import InvalidInput
from embed.events.editing import Change, Edit, editing, editing_row
from embed.events.kinds import KeyFacts
from embed.keys.refused_origins import forget_refused_origin
from embed.pages import get_page

MAX_ORIGINS = 100  # the widget lists them all in one header
MAX_LABEL_LENGTH = 64


def create_key(
    page_id: str,
    tier: Tier,
    change: Change,
    *,
    raw_origins: Sequence[str] = (),
    allow_null_origin: bool = False,
    raw_label: str | None = None,
) -> tuple[ApiKey, str]:
    """Create a key; the second value is the whole key, which is not stored.

    The label is for owners only; an empty one counts as none. Raises NotFound, InvalidInput.
    """
    if tier == "secret" and (raw_origins or allow_null_origin):
        raise InvalidInput(
            "A secret key has no sites: any server that has it can use it.", field="origins"
        )
    key = make_key(tier)
    label = parse_label(raw_label)
    origins = parse_allowlist(raw_origins)
    with editing(page_id, change) as edit:
        api_key = ApiKey.create(
            page=edit.page,
            tier=tier,
            key_hash=hash_key(key),
            display_prefix=shorten_key(key),
            label=label,
            origins=origins,
            allow_null_origin=allow_null_origin,
            created_at=change.now,
        )
        edit.log("create key", KeyFacts(tier, api_key.display_prefix, label))
    return api_key, key


def renew_key(key: ApiKey, change: Change) -> tuple[ApiKey, str]:
    """Create another public key for the same sites; the existing one keeps working."""
    return create_key(
        key.page_id,
        "public",
        change,
        raw_origins=key.origins,
        allow_null_origin=key.allow_null_origin,
        raw_label=key.label,
    )


def parse_label(raw: str | None) -> str | None:
    """Return a trimmed label, None for an empty one. Raises InvalidInput."""
    return parse_optional_text(
        raw, gettext_noop("label"), field="label", max_length=MAX_LABEL_LENGTH
    )


def parse_allowlist(raw_origins: Iterable[str]) -> tuple[str, ...]:
    """Return normalized entries without duplicates. Raises InvalidInput with advice."""
    origins = tuple(dict.fromkeys(parse_allowlist_entry(raw) for raw in raw_origins))
    if len(origins) > MAX_ORIGINS:
        raise InvalidInput(
            "A key can have at most %(max)s sites.", field="origins", max=MAX_ORIGINS
        )
    return origins


def list_keys(page_id: str) -> list[ApiKey]:
    """Return the page's keys without the derived ones, oldest first. Raises NotFound."""
    page = get_page(page_id)
    keys = ApiKey.select().where(ApiKey.page == page, ApiKey.purpose == "sites")
    return list(keys.order_by(ApiKey.created_at, ApiKey.id))


def find_last_used(key: ApiKey) -> ApiKey:
    """Return whichever live key of the sites of a public `key` was used last; itself if none was.

    A key for several sites counts for each of them, since the stored use doesn't name the site.
    """
    used = [
        other
        for other in list_keys(key.page_id)
        if other.tier == "public" and other.revoked_at is None and other.last_used_at
        if set(key.origins).intersection(other.origins)
        or (key.origins, key.allow_null_origin) == (other.origins, other.allow_null_origin)
    ]
    return max(used, key=lambda other: other.last_used_at, default=key)


def change_key(
    key_id: str,
    change: Change,
    *,
    raw_label: str | None,
    raw_origins: Iterable[str] = (),
    allow_null_origin: bool = False,
) -> ApiKey:
    """Set the label of a key, and the allowlist if it is public. Raises NotFound, InvalidInput."""
    label = parse_label(raw_label)
    origins = parse_allowlist(raw_origins)
    with editing_row(ApiKey, key_id, change) as (edit, key):
        if key.label != label:
            previous, key.label = key.label, label
            key.save(only=[ApiKey.label])
            edit.log("change label", KeyFacts(key.tier, key.display_prefix, label, previous))
        _set_origins(edit, key, origins, allow_null_origin)
    return key


def allow_origin(key_id: str, raw_origin: str, change: Change) -> ApiKey:
    """Add a refused site to a key's allowlist. Raises NotFound, InvalidInput."""
    with editing_row(ApiKey, key_id, change) as (edit, key):
        origins = parse_allowlist((*key.origins, raw_origin))
        _set_origins(edit, key, origins, key.allow_null_origin)
        forget_refused_origin(key_id, raw_origin)
    return key


def revoke_key(key_id: str, change: Change) -> ApiKey:
    """Refuse a key from now on; does nothing if it's already revoked. Raises NotFound."""
    with editing_row(ApiKey, key_id, change) as (edit, key):
        if key.revoked_at is None:
            key.revoked_at = change.now
            key.save(only=[ApiKey.revoked_at])
            edit.log("revoke key", KeyFacts(key.tier, key.display_prefix, key.label))
    return key


def _set_origins(edit: Edit, key: ApiKey, origins: tuple[str, ...], allow_null: bool) -> None:
    if (key.origins, key.allow_null_origin) == (origins, allow_null):
        return
    if key.tier != "public":
        raise InvalidInput("A secret key has no sites.", field="origins")
    key.origins = origins
    key.allow_null_origin = allow_null
    key.save(only=[ApiKey.origins, ApiKey.allow_null_origin])
    edit.log("change origins", KeyFacts(key.tier, key.display_prefix, key.label))
