"""Compression, chosen route by route: under /api it would change headers that callers rely on."""

from flask import Flask, Response, g
from flask_compress import Compress

from embed.byte_cache import ByteCache

MAX_CACHED_BYTES = 32 * 1024 * 1024  # in each process; a page of 50,000 wallets takes about 4 MB

# Brotli at this level makes the widget a tenth smaller than zstd at its usual one, as fast.
BROTLI_LEVEL = 5
_ALGORITHMS = ["br", "zstd", "gzip"]

compress = Compress()
_compress_once = Compress()


def init_compression(app: Flask) -> None:
    app.config["COMPRESS_REGISTER"] = False
    app.config["COMPRESS_BR_LEVEL"] = BROTLI_LEVEL
    app.config["COMPRESS_MIN_SIZE"] = 200  # bytes; some scripts have no more
    app.config["COMPRESS_ALGORITHM"] = _ALGORITHMS
    app.config["COMPRESS_ALGORITHM_STREAMING"] = _ALGORITHMS[:2]  # gzip is not for streams
    compress.init_app(app)
    _compress_once.init_app(app)
    _compress_once.cache = ByteCache[str, bytes](MAX_CACHED_BYTES, _group_of)
    _compress_once.cache_key = lambda _request: g.compressed_as


def _group_of(key: str) -> str:
    """Return the algorithm and the page or file, as in ``br;page``, with which a key begins."""
    return key.partition(" ")[0]


def compress_once(response: Response, name: str, content_id: str) -> Response:
    """Compress, or take what was compressed before of a page's or a file's content.

    Compressing a large page's payload takes a hundred times as long as finding it.
    """
    g.compressed_as = f"{name} {content_id}"
    return _compress_once.after_request(response)
