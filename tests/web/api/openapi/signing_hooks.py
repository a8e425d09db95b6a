"""Schemathesis hooks: wallets that ask for nonces are real, and sign what they get.

What is done with a wallet's records takes a nonce that was asked for it, whichever was drawn.
Values that are meant to be invalid stay as they are.
"""

import json
import os
from pathlib import Path

import schemathesis
from nacl.signing import SigningKey
from schemathesis.generation import GenerationMode
from support.world import Visitor

PAGE, ANSWERS = os.environ["PAGE"], Path(os.environ["ANSWERS"])

visitor_by_address: dict[str, Visitor] = {}
signature_by_nonce: dict[str, str] = {}
name_by_nonce: dict[str, str] = {}  # of those that name somebody
OPERATION_BY_ACTION = {"show": "showWalletRecords", "withdraw": "withdrawWallet"}
# What each may still be sent.
proofs_by_operation: dict[str, list[dict[str, str]]] = {
    name: [] for name in OPERATION_BY_ACTION.values()
}


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
    elif proofs := proofs_by_operation.get(operation_of(case)):
        body.update(proofs.pop())
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
            signature = signature_by_nonce[answer["nonceId"]] = visitor.sign(answer["message"])
            if operation_of(case) == "createRecordNonce":
                proofs_by_operation[OPERATION_BY_ACTION[case.body["action"]]].append(
                    {
                        "walletAddress": visitor.address,
                        "nonceId": answer["nonceId"],
                        "signature": signature,
                    }
                )
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
