"""Schemathesis hooks: wallets that ask for nonces are real, and sign what they get.

Values that are meant to be invalid stay as they are.
"""

import json
import os
from pathlib import Path

import schemathesis
from nacl.signing import SigningKey
from schemathesis.generation import GenerationMode
from world import Visitor

PAGE, ANSWERS = os.environ["PAGE"], Path(os.environ["ANSWERS"])

visitor_by_address: dict[str, Visitor] = {}
signature_by_nonce: dict[str, str] = {}
name_by_nonce: dict[str, str] = {}  # of those that name somebody


def operation_of(case) -> str:
    return case.operation.definition.raw["operationId"]


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    body = case.body
    if not isinstance(body, dict):
        return
    if isinstance(body.get("trackingPageId"), str):
        body["trackingPageId"] = PAGE
    if case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    if operation_of(case) in ("createNonce", "createRecordNonce"):
        visitor = Visitor(SigningKey(len(visitor_by_address).to_bytes(32, "big")))
        visitor_by_address[visitor.address] = visitor
        body["walletAddress"] = visitor.address
    elif body.get("nonceId") in signature_by_nonce:
        body["signature"] = signature_by_nonce[body["nonceId"]]
        if body["nonceId"] in name_by_nonce:  # never so for the nonce of a wallet's records
            body["nickname"] = name_by_nonce[body["nonceId"]]


@schemathesis.hook
def after_call(context, case, response) -> None:
    """Sign a nonce's message, and log every answer."""
    answer = response.json() if response.content else {}
    if "nonceId" in answer:
        visitor = visitor_by_address.get(case.body["walletAddress"])
        if visitor is not None:
            signature_by_nonce[answer["nonceId"]] = visitor.sign(answer["message"])
            if isinstance(nickname := case.body.get("nickname"), str):
                name_by_nonce[answer["nonceId"]] = nickname
    seen = {
        "operation": operation_of(case),
        "phase": case.meta.phase.name.value,
        "status": response.status_code,
        "error": answer.get("error"),
        "submissions": len(answer.get("submissions", ())),
    }
    with ANSWERS.open("a") as file:
        file.write(json.dumps(seen) + "\n")
