"""What goes wrong with JSON-RPC endpoints, for RpcServer.fail()."""

import copy
import json
from collections.abc import Callable
from typing import Any

from chain.rpc_server import HANG_LIMIT_S, Fault

HUNG_S = HANG_LIMIT_S / 2  # whoever is done before did not wait for an endpoint that hangs


def answer_status(status: int, **headers: str) -> Fault:
    """Answer an HTTP status with a JSON error; underscores in headers' names are hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error = {"jsonrpc": "2.0", "error": {"code": status, "message": "see ?api-key=a-secret"}}
    return lambda handler, _: handler.send_json(error, status, named)


def answer_error(code: int) -> Fault:
    """Answer a JSON-RPC error in an HTTP answer that is fine."""

    def fault(handler: Any, right: dict[str, Any]) -> None:
        error = {"code": code, "message": "see ?api-key=a-secret"}
        handler.send_json({"jsonrpc": "2.0", "error": error, "id": right["id"]})

    return fault


def answer_body(body: bytes, **headers: str) -> Fault:
    """Answer any bytes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, _: handler.send(body, headers=named)


def redirect(to: str) -> Fault:
    return lambda handler, _: handler.send(b"", 307, {"Location": to})


def change(edit: Callable[[dict[str, Any]], object]) -> Fault:
    """Answer what is right, but for an edit in place."""

    def fault(handler: Any, right: dict[str, Any]) -> None:
        wrong = copy.deepcopy(right)
        edit(wrong)
        handler.send_json(wrong)

    return fault


def info_of(account: Any) -> Any:
    return account["data"]["parsed"]["info"]


def amount_of(account: Any) -> Any:
    return info_of(account)["tokenAmount"]


def change_first(edit: Callable[[Any], object]) -> Fault:
    """Answer what is right, but for the first account, in the answer of either method."""

    def edit_answer(answer: dict[str, Any]) -> None:
        row = answer["result"]["value"][0]
        edit(row.get("account", row))

    return change(edit_answer)


def cut(handler: Any, _: dict[str, Any]) -> None:
    """Close the connection without an answer."""
    handler.close_connection = True


def cut_body(handler: Any, right: dict[str, Any]) -> None:
    """Announce a whole body, and send half of it."""
    handler.close_connection = True
    body = json.dumps(right).encode()
    handler.send(body[: len(body) // 2], headers={"Content-Length": str(len(body))})


def hang(handler: Any, _: dict[str, Any]) -> None:
    handler.hang()


HTML = answer_body(b"<!doctype html><title>Bad gateway</title>", Content_Type="text/html")
NOT_JSON = answer_body(b'{"jsonrpc": "2.0", "result":')
DEEP = answer_body(b"[" * 200_000 + b"]" * 200_000)
HUGE = answer_body(b'{"result": "' + b"x" * 50_000_000 + b'"}')
WRONG_ID = change(lambda answer: answer.update(id="another's"))

# Results that no method has.
WRONG_RESULTS = {
    "no slot": change(lambda answer: answer["result"].update(context={})),
    "negative slot": change(lambda answer: answer["result"]["context"].update(slot=-5)),
    "slot as text": change(lambda answer: answer["result"]["context"].update(slot="5")),
    "slot beyond bounds": change(lambda answer: answer["result"]["context"].update(slot=2**63)),
    "null": change(lambda answer: answer.update(result=None)),
    "list": change(lambda answer: answer.update(result=[])),
    "text": change(lambda answer: answer.update(result="ok")),
    "no value": change(lambda answer: answer["result"].pop("value")),
    "value of another type": change(lambda answer: answer["result"].update(value={})),
    "texts for accounts": change(lambda answer: answer["result"].update(value=["a"])),
}
