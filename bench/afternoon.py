"""The tracking read as an afternoon's work: each library used as its documentation shows it.

Two limits by Flask-Limiter, CORS by Flask-CORS, and a key by Peewee; the body is ready bytes.
"""

import hashlib
import os
from pathlib import Path

from flask import Flask, Response, abort, request
from flask_cors import CORS
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from peewee import CharField, Model, SqliteDatabase

_folder = Path(os.environ["BENCH_FOLDER"])
_body = (_folder / "body").read_bytes()
_key = os.environ["BENCH_KEY"]
_NEVER_REACHED = "1000000/minute"

app = Flask(__name__)
CORS(app, supports_credentials=True)
limiter = Limiter(
    get_remote_address,
    app=app,
    application_limits=[_NEVER_REACHED],
    storage_uri="memory://",
)
database = SqliteDatabase(_folder / "afternoon.db", pragmas={"journal_mode": "wal"})


class Key(Model):
    hashed = CharField(unique=True)

    class Meta:
        database = database


with database:
    database.create_tables([Key])
    Key.create(hashed=hashlib.sha256(_key.encode()).hexdigest())


@app.before_request
def connect() -> None:
    database.connect()


@app.teardown_request
def close(_: BaseException | None) -> None:
    if not database.is_closed():
        database.close()


@app.get("/api/embed/tracking/<_page_id>")
@limiter.limit(_NEVER_REACHED, key_func=lambda: request.headers.get("Authorization", "-"))
def read(_page_id: str) -> Response:
    raw = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if Key.get_or_none(Key.hashed == hashlib.sha256(raw.encode()).hexdigest()) is None:
        abort(401)
    return Response(_body, content_type="application/json")
