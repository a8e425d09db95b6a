"""What the service reads of a request is what the document says of it."""

import sys
from collections import defaultdict
from decimal import Decimal

import pytest
from contract import DOCUMENT, OPERATIONS, resolve
from support.fake_chain import FakeChain
from support.world import SITE, Visitor, code_of
from werkzeug.datastructures import EnvironHeaders, ImmutableMultiDict

from embed.db.models import Wallet
from embed.events.editing import editing
from embed.events.kinds import Event
from embed.schemas import Json
from embed.web.api import operations

pytestmark = pytest.mark.slow

ACTIONS = {"showWalletRecords": "show", "withdrawWallet": "withdraw"}
PLACES = ("header", "cookie", "query", "body")


@pytest.fixture
def chain(operation):
    """What only one operation asks."""
    return FakeChain() if operation == "refreshBalance" else None


def prepare(world, operation: str) -> dict:
    """Return the arguments of a valid call, by a visitor with a session."""
    visitor = Visitor()
    world.open_widget(visitor)
    arguments = {"cookie": visitor.cookie}
    if operation == "refreshBalance":
        world.track(visitor.address)
        arguments["key"] = world.secret_key
    described = OPERATIONS[operation][2]
    if "requestBody" in described:
        draft = make_draft(world, visitor, operation)
        fields = read_body_schema(described)["properties"]
        arguments["json"] = {name: draft[name] for name in fields}
    if any(one["name"] == "trackingPageId" for one in described["parameters"]):
        arguments["query_string"] = {"trackingPageId": world.page_id}
    return arguments


def make_draft(world, visitor, operation: str) -> dict:
    """Return every field that the bodies of the API have, with a nonce that fits the operation."""
    if operation == "showWalletRecords":
        flag(world, visitor)
    if operation in ACTIONS:
        return world.sign_for_records(visitor, ACTIONS[operation])
    return world.draft(visitor) | {"action": "show"}


def flag(world, visitor) -> None:
    """Let the log say of the visitor's wallet what is said in the language of its reader."""
    wallet = Wallet.get_by_id(world.track(visitor.address).id)
    with editing(world.page_id, "holding watch", world.clock()) as edit:
        edit.log(Event.of_holding(wallet, Decimal("0.5"), Decimal(2), is_flagged=True))


def call(world, operation: str, arguments: dict):
    method, path, _ = OPERATIONS[operation]
    return world.call(method, world.root + path.format(trackingPageId=world.page_id), **arguments)


@pytest.fixture
def reads(world, monkeypatch) -> dict[str, set[str]]:
    """The names that our own code, not Flask's, looks up in a request, by their place."""
    names = defaultdict(set)

    def record(place: str, base: type) -> type:
        class Recorder(base):
            def get(self, name, *arguments, **options):
                caller = sys._getframe(1).f_globals["__name__"]
                # Werkzeug reads this one only when our code asks for `request.if_none_match`.
                if caller.startswith("embed.") or name == "If-None-Match":
                    names[place].add(name)
                return super().get(name, *arguments, **options)

        return Recorder

    class RecordingRequest(world.app.request_class):
        parameter_storage_class = record("query", ImmutableMultiDict)
        dict_storage_class = record("cookie", ImmutableMultiDict)

        def __init__(self, environ, *arguments, **options) -> None:
            super().__init__(environ, *arguments, **options)
            self.headers = record("header", EnvironHeaders)(environ)

    monkeypatch.setattr(world.app, "request_class", RecordingRequest)
    read_body = operations.read_body
    monkeypatch.setattr(
        operations, "read_body", lambda struct: RecordingBody(read_body(struct), names["body"])
    )
    return names


class RecordingBody:
    """A body, of which it is recorded which fields are looked at."""

    def __init__(self, body: Json, names: set[str]) -> None:
        self._body, self._names = body, names
        self._json_names = dict(
            zip(body.__struct_fields__, body.__struct_encode_fields__, strict=True)
        )

    def __getattr__(self, name: str) -> object:
        self._names.add(self._json_names[name])
        return getattr(self._body, name)


def list_described(operation: str) -> dict[str, set[str]]:
    described = OPERATIONS[operation][2]
    names = {place: set() for place in PLACES}
    for parameter in described["parameters"]:
        names[parameter["in"]].add(parameter["name"])
    if described.get("security") != []:
        names["header"].add("Authorization")
    if "requestBody" in described:
        names["body"] |= read_body_schema(described)["properties"].keys()
    return names


def read_body_schema(described: dict) -> dict:
    media_type = described["requestBody"]["content"]["application/json"]
    return resolve(DOCUMENT, media_type["schema"])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_document_has_everything_that_is_read_and_nothing_else(world, reads, operation):
    world.root = "/embed/api"  # which reads all that /api does, and conditions
    arguments = prepare(world, operation)
    if not operation.startswith("preflight"):
        # Without an Origin, all that may stand in for it is read.
        arguments["headers"] = {"Origin": None, "Referer": SITE}
    reads.clear()

    answer = call(world, operation, arguments)

    assert code_of(answer) is None
    assert {place: reads[place] for place in PLACES} == list_described(operation)


@pytest.mark.parametrize(
    "operation",
    ["createNonce", "createSubmission", "createRecordNonce", "refreshBalance", *ACTIONS],
)
def test_body_needs_the_required_fields_and_no_other(world, operation):
    schema = read_body_schema(OPERATIONS[operation][2])
    arguments = prepare(world, operation)

    def is_refused_without(name: str) -> bool:
        incomplete = {field: arguments["json"][field] for field in schema["properties"]}
        del incomplete[name]
        return code_of(call(world, operation, arguments | {"json": incomplete})) == "missing_fields"

    assert {name for name in schema["properties"] if is_refused_without(name)} == set(
        schema["required"]
    )


@pytest.mark.parametrize("operation", ["listSessionSubmissions"])
def test_query_needs_the_required_parameter(world, operation):
    described = OPERATIONS[operation][2]
    required = [one["name"] for one in described["parameters"] if one["required"]]

    answer = call(world, operation, {})

    assert required == ["trackingPageId"]
    assert code_of(answer) == "missing_tracking_page_id"
