"""Compression, chosen route by route: under /api it would change headers that callers rely on."""

from cachetools import LRUCache
from flask import Flask, Response, g
from flask_compress import Compress

from embed.web.shared_cache import SharedCache

MAX_CACHED_BYTES = 32 * 1024 * 1024  # in each process; a page of 50,000 wallets takes about 4 MB

# At this level, Brotli makes the widget a tenth smaller than zstd at its default, as fast.
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
    # Not set for `compress`, whose answers are made for each request.
    app.config["COMPRESS_CACHE_BACKEND"] = lambda: SharedCache(
        LRUCache(MAX_CACHED_BYTES, getsizeof=len)
    )
    app.config["COMPRESS_CACHE_KEY"] = lambda _request: g.content_id
    _compress_once.init_app(app)


def compress_once(response: Response, content_id: str) -> Response:
    """Compress a response, or reuse the result for the same content.

    Compressing a large page's payload takes a hundred times as long as finding it.
    """
    g.content_id = content_id
    return _compress_once.after_request(response)
