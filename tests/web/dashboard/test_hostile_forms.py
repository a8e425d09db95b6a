"""Requests to the dashboard's forms that no browser would send."""

import io

import pytest

pytestmark = pytest.mark.slow

SIGN_IN = "/dashboard/sign-in"


def paths_of(world) -> list[str]:
    base = f"/dashboard/pages/{world.page_id}"
    inside = ("settings/general", "settings/rules/deny-list", "wallets/new", "wallets/import")
    return [SIGN_IN, "/dashboard/account", *(f"{base}/{path}" for path in inside)]


@pytest.mark.parametrize("body", [{"email": 5}, [1]])
def test_json_is_no_form(world, owner, body):
    headers = {"X-CSRFToken": owner.token}
    for path in paths_of(world):
        assert owner.client.post(path, json=body, headers=headers).status_code == 415, path
    # A part without a name.
    body = b"--x\r\nContent-Disposition: form-data\r\n\r\ntext\r\n--x--\r\n"
    answer = owner.client.post(SIGN_IN, data=body, content_type="multipart/form-data; boundary=x")
    assert answer.status_code == 415


class CountedBody(io.BytesIO):
    """A request's body that counts how many bytes are read."""

    read_bytes = 0

    def _count(self, part: bytes) -> bytes:
        self.read_bytes += len(part)
        return part

    def read(self, *size) -> bytes:
        return self._count(super().read(*size))

    def readline(self, *size) -> bytes:
        return self._count(super().readline(*size))

    def readinto(self, target) -> int:
        target[:] = (part := self.read(len(target))).ljust(len(target), b"\0")
        return len(part)


URL_ENCODED = "application/x-www-form-urlencoded"


def send_raw(client, path: str, body: bytes, mimetype: str, *, is_chunked=False):
    """Post a body, and return the answer with the number of bytes that were read of it."""
    stream = CountedBody(body)
    length = {} if is_chunked else {"content_length": len(body)}
    answer = client.post(
        path,
        input_stream=stream,
        content_type=mimetype,
        headers={"Sec-Fetch-Site": "same-origin"},
        environ_overrides={"wsgi.input_terminated": True},
        **length,
    )
    return answer, stream.read_bytes


@pytest.mark.parametrize("mimetype", [URL_ENCODED, "multipart/form-data; boundary=x"])
def test_large_form_before_sign_in_is_refused_unread(world, owner, mimetype):
    anonymous = world.app.test_client()
    sent = {
        path: send_raw(anonymous, path, b"%ff&" * 1_000_000, mimetype)
        for path in [*paths_of(world), f"/dashboard/pages/{world.page_id}/wallets/import/apply"]
    }

    assert {path: (answer.status_code, read) for path, (answer, read) in sent.items()} == {
        path: (413 if path == SIGN_IN else 403, 0) for path in sent
    }


def test_large_form_of_unknown_length_is_read_up_to_the_limit(world, owner):
    anonymous = world.app.test_client()

    answer, read = send_raw(anonymous, SIGN_IN, b"%ff&" * 1_000_000, URL_ENCODED, is_chunked=True)

    assert answer.status_code == 413
    assert read <= 17 * 1024


def test_owner_sends_much_only_where_a_file_is_expected(world, owner):
    base = f"/dashboard/pages/{world.page_id}"
    for path in ("settings/rules", "queue/decide", "wallets/import/apply"):
        answer, read = send_raw(owner.client, f"{base}/{path}", b"%ff&" * 50_000, URL_ENCODED)
        assert (answer.status_code, read) == (413, 0), path
    rows = "\n".join(f"{number:044}" for number in range(5_000))
    for answer in (
        owner.post(f"{base}/wallets/import", file=(io.BytesIO(rows.encode()), "f.csv")),
        owner.client.post(
            f"{base}/wallets/import/apply",
            data={"csrf_token": owner.token, "text": rows},
            content_type="multipart/form-data",
        ),
    ):
        assert answer.status_code == 422  # read, and found to hold no addresses


def test_no_part_of_an_upload_has_headers_without_end(world, owner):
    path = f"/dashboard/pages/{world.page_id}/wallets/import"
    body = b"--x\r\n" + b"A:b\r\n" * 100_000 + b"\r\n\r\n--x--\r\n"

    answer, read = send_raw(owner.client, path, body, "multipart/form-data; boundary=x")

    assert answer.status_code == 413
    assert read < 400_000


@pytest.mark.parametrize(
    ("back", "is_ours"),
    [("javascript:alert(1)", False), ("http://xn--bcher-kva.example/dashboard/", True)],
)
def test_back_leads_to_our_own_pages_only(world, owner, back, is_ours):
    cookie = owner.client.get_cookie("embed_dashboard", path="/dashboard").value
    headers = {"Host": "xn--bcher-kva.example", "Cookie": f"__Host-embed_dashboard={cookie}"}

    answer = world.client.get("/dashboard/pages/x/queue", headers=headers | {"Referer": back})

    assert answer.status_code == 404
    assert (f'href="{back}"' in answer.text) == is_ours
