"""The least that Flask can do: send ready bytes to everyone, and store a signed POST.

There are no limits, and no checks of keys, origins, nonces or policies.
"""

import base64
import os
import sqlite3
import threading
from pathlib import Path

import base58
from flask import Flask, Response, request
from flask.typing import ResponseReturnValue
from nacl.signing import VerifyKey

from embed.domain.identifiers import make_id

MESSAGE = "A text to sign, about as long as that of the service.\n" * 12

app = Flask(__name__)
_folder = Path(os.environ["BENCH_FOLDER"])
_body = (_folder / "body").read_bytes()
_local = threading.local()


def _connect() -> sqlite3.Connection:
    """Return the thread's connection, with the service's durability."""
    if not hasattr(_local, "connection"):
        _local.connection = sqlite3.connect(_folder / "bare.db")
        _local.connection.execute("PRAGMA synchronous = full")
    return _local.connection


_connect().executescript(
    "PRAGMA journal_mode = wal;"
    "CREATE TABLE submission (id TEXT PRIMARY KEY, address TEXT, nickname TEXT, signature TEXT)"
)


@app.get("/api/embed/tracking/<_page_id>")
def read(_page_id: str) -> Response:
    return Response(_body, content_type="application/json")


@app.post("/embed/api/siws/nonce")
def issue_nonce() -> ResponseReturnValue:
    request.get_json()
    return {"nonceId": make_id(), "message": MESSAGE}


@app.post("/embed/api/submissions")
def submit() -> ResponseReturnValue:
    sent = request.get_json()
    key = VerifyKey(base58.b58decode(sent["walletAddress"]))
    key.verify(MESSAGE.encode(), base64.b64decode(sent["signature"]))
    submission_id = make_id()
    row = (submission_id, sent["walletAddress"], sent["nickname"], sent["signature"])
    with _connect() as connection:
        connection.execute("INSERT INTO submission VALUES (?, ?, ?, ?)", row)
    return {"submissionId": submission_id, "status": "pending"}, 201
