"""Static files: compressed once, and again when they have changed."""

from functools import partial

import brotli
import pytest

ACCEPTED = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture
def compressed(monkeypatch) -> list[int]:
    """The lengths of what was compressed."""
    lengths = []
    compress = brotli.compress

    def count(data: bytes, **options) -> bytes:
        lengths.append(len(data))
        return compress(data, **options)

    monkeypatch.setattr(brotli, "compress", count)
    return lengths


@pytest.mark.parametrize("path", ["widget/main.js", "embed.js"])
def test_file_is_compressed_once(app, compressed, path):
    get = partial(app.test_client().get, buffered=True)  # which closes the file
    address = "/embed.js" if path == "embed.js" else app.jinja_env.globals["asset"](path)
    plain = get(address)
    answers = [get(address, headers=ACCEPTED) for _ in range(3)]

    assert compressed in ([], [len(plain.data)])  # the cache is that of the process
    for answer in answers:
        assert answer.headers["Content-Encoding"] == "br"
        assert brotli.decompress(answer.data) == plain.data
        assert answer.content_length == len(answer.data) < len(plain.data)


def test_script_for_sites_is_not_sent_again_while_it_is_the_same(app):
    get = partial(app.test_client().get, buffered=True)  # which closes the file
    headers = ACCEPTED | {"If-None-Match": get("/embed.js", headers=ACCEPTED).headers["ETag"]}

    again = get("/embed.js", headers=headers)

    assert (again.status_code, again.data) == (304, b"")


def test_file_that_never_changes_has_few_headers(app):
    address = app.jinja_env.globals["asset"]("widget/main.js")
    answer = app.test_client().get(address, headers=ACCEPTED, buffered=True)

    assert {name for name, _ in answer.headers} == {
        "Content-Encoding",
        "Date",
        "Content-Type",
        "Content-Length",
        "Cache-Control",
        "Cross-Origin-Resource-Policy",
        "Access-Control-Allow-Origin",
        "Vary",
        "X-Content-Type-Options",
        "X-Request-Id",
    }


def test_file_that_has_changed_is_compressed_anew(app, tmp_path, monkeypatch):
    get = partial(app.test_client().get, buffered=True)  # which closes the file
    monkeypatch.setattr("embed.web.assets.STATIC_DIR", tmp_path)
    for content in (b"first " * 200, b"second " * 200):
        (tmp_path / "embed.js").write_bytes(content)
        assert brotli.decompress(get("/embed.js", headers=ACCEPTED).data) == content


def test_part_of_a_file_is_sent_as_it_is(app):
    get = partial(app.test_client().get, buffered=True)  # which closes the file
    address = app.jinja_env.globals["asset"]("widget/main.js")
    whole = get(address).data
    part = get(address, headers={"Range": "bytes=10-19"})

    assert (part.status_code, part.data) == (206, whole[10:20])
