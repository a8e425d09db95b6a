import pytest
from support.raw_server import serve_raw, trickle

from embed.outbound.exchange import exchange
from embed.outbound.http import RequestFailed

OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "start",
    [OK + b"X-Header: ", OK + b"Content-Length: 999\r\n\r\n", OK + b"\r\n"],
    ids=["a head", "a body", "a body without a length"],
)
def test_answer_that_trickles_has_timed_out_and_is_not_taken_for_a_short_one(start):
    with serve_raw(trickle(start, 0.05)) as port, pytest.raises(RequestFailed, match="timed out"):
        exchange(f"http://127.0.0.1:{port}/", headers={}, body=b"", timeout_s=1, max_bytes=5_000)


@pytest.mark.parametrize("port", ["99999999", "x"])
def test_port_that_is_none_makes_the_address_invalid(port):
    with pytest.raises(RequestFailed, match="its address is not valid"):
        exchange(f"http://127.0.0.1:{port}/", headers={}, body=b"", timeout_s=1, max_bytes=1)
