"""The least that Flask can do: the same bytes for everybody, unchecked and unlimited."""

import os
from pathlib import Path

from flask import Flask, Response

app = Flask(__name__)
body = Path(os.environ["BENCH_BODY_FILE"]).read_bytes()


@app.get("/api/embed/tracking/<page_id>")
def read_tracking_page(page_id: str) -> Response:
    return Response(body, content_type="application/json")
