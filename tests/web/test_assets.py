"""Static files: minified and compressed, and again when they have changed."""

from functools import partial

import brotli
import pytest

from embed.web.assets import STATIC_DIR

ACCEPTED = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.mark.parametrize("path", ["widget/main.js", "embed.js"])
def test_file_is_sent_compressed(app, path):
    get = app.test_client().get
    address = "/embed.js" if path == "embed.js" else app.jinja_env.globals["asset"](path)
    plain, answer = get(address), get(address, headers=ACCEPTED)

    assert answer.headers["Content-Encoding"] == "br"
    assert brotli.decompress(answer.data) == plain.data
    assert answer.content_length == len(answer.data) < len(plain.data)


@pytest.mark.parametrize(
    ("public_url", "written"),
    [("", ""), ("https://Embed.example:443/", "https://embed.example")],
)
def test_script_for_sites_knows_its_service_wherever_it_is_copied_to(
    world_with, public_url, written
):
    client = world_with(PUBLIC_URL=public_url).client
    first = client.get("/embed.js", headers={"Host": "embed.example"})

    assert f'const written="{written}";' in first.text
    etag = {"Host": "embed.example", "If-None-Match": first.headers["ETag"]}
    assert client.get("/embed.js", headers=etag).status_code == 304


def test_file_that_has_changed_is_compressed_anew(app, tmp_path, monkeypatch):
    get = app.test_client().get
    monkeypatch.setattr("embed.web.assets.STATIC_DIR", tmp_path)
    for content in (b"first" * 200, b"second" * 200):
        (tmp_path / "embed.js").write_bytes(content)
        assert brotli.decompress(get("/embed.js", headers=ACCEPTED).data) == content


def test_part_that_somebody_asks_for_is_not_kept_for_others(app, monkeypatch, tmp_path):
    monkeypatch.setattr("embed.web.assets.STATIC_DIR", tmp_path)
    get = partial(app.test_client().get, "/embed.js")
    (tmp_path / "embed.js").write_bytes(b"'part';" * 200)

    get(headers=ACCEPTED | {"Range": "bytes=0-999"})

    answer = get(headers=ACCEPTED)
    assert brotli.decompress(answer.data) == get().data


@pytest.mark.parametrize("kind", ["js", "css"])
def test_scripts_and_style_sheets_are_sent_without_comments(app, kind):
    client = app.test_client()
    for path in STATIC_DIR.rglob(f"*.{kind}"):
        name = path.relative_to(STATIC_DIR).as_posix()
        sent = client.get(app.jinja_env.globals["asset"](name)).data

        assert b"/*" not in sent, name
        assert len(sent) < path.stat().st_size, name
