"""The document's requests are sent to a running service, with a page and keys that exist."""

import pytest
import requests
from contract import DOCUMENT_PATH, list_operations
from support.remote import RemotePage, make_environ
from support.servers import run_gunicorn
from support.world import Visitor, code_of

pytestmark = pytest.mark.slow

ENDPOINTS = (
    "readTrackingPage",
    "createNonce",
    "createSubmission",
    "listSessionSubmissions",
    "createRecordNonce",
    "showWalletRecords",
    "withdrawWallet",
)
# Which action a record's nonce is asked for; others use the nonce of a submission.
ACTIONS = {"showWalletRecords": "show", "withdrawWallet": "withdraw"}


@pytest.fixture(scope="module")
def page(shared_database_url):
    environ = make_environ(shared_database_url)
    with run_gunicorn(environ) as server:
        yield RemotePage(server.url, environ)


@pytest.fixture(scope="module")
def operations(page) -> dict[str, tuple[str, str, dict]]:
    """The operations of the document that the service serves."""
    return list_operations(requests.get(page.server_url + DOCUMENT_PATH, timeout=60).json())


def read_examples(operation: dict, place: str) -> dict[str, str]:
    return {
        one["name"]: one["example"]
        for one in operation["parameters"]
        if one["in"] == place and "example" in one
    }


def read_body(operation: dict) -> dict:
    return operation["requestBody"]["content"]["application/json"]["example"]


def send_example(page, operations, name: str, origin_headers: dict[str, str], values: dict):
    """Send an example with `values` in place of what is made up in it."""
    method, path, operation = operations[name]
    arguments = {}
    if "requestBody" in operation:
        arguments["json"] = replace(read_body(operation), values)
    if query := read_examples(operation, "query"):
        arguments["params"] = replace(query, values)
    path = page.root + path.format_map(values)
    headers = {"Origin": None} | origin_headers
    return page.call(method, path, headers=headers, key=values["key"], **arguments)


def replace(example: dict, values: dict) -> dict:
    return {name: values.get(name, value) for name, value in example.items()}


@pytest.fixture
def values(page, operations, name) -> dict[str, str]:
    """A key for the example's origin, the page's id, and a wallet with its signed nonce."""
    origin = read_examples(operations["readTrackingPage"][2], "header")["Origin"]
    key = page.make_key("--tier", "public", "--origin", origin)["key"]
    visitor = Visitor()
    values = {"key": key, "trackingPageId": page.page_id, "walletAddress": visitor.address}
    asked = "createRecordNonce" if name in ACTIONS else "createNonce"
    if name in ACTIONS:
        values["action"] = ACTIONS[name]
    nonce = send_example(page, operations, asked, {"Origin": origin}, values).json
    return values | {"nonceId": nonce["nonceId"], "signature": visitor.sign(nonce["message"])}


@pytest.mark.parametrize("header", ["Origin", "Referer", "Sec-Fetch-Site"])
@pytest.mark.parametrize("root", ["/api/embed", "/embed/api"])
@pytest.mark.parametrize("name", ENDPOINTS)
def test_example_succeeds_with_any_one_of_its_headers(page, operations, values, name, root, header):
    page.root = root
    headers = read_examples(operations[name][2], "header")

    answer = send_example(page, operations, name, {header: headers[header]}, values)

    assert code_of(answer) is None
    assert str(answer.status_code) in operations[name][2]["responses"]


@pytest.mark.parametrize("name", ENDPOINTS)
def test_every_header_of_the_examples_is_sent(operations, name):
    assert set(read_examples(operations[name][2], "header")) == {
        "Origin",
        "Referer",
        "Sec-Fetch-Site",
    }
