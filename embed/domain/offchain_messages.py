"""The byte forms in which Solana wallets sign a text: raw, or in an off-chain envelope.

Envelopes keep a signed text from being taken for a transaction. They exist in several versions,
since each signer follows the specification of its time:

- legacy-v0: solana-sdk offchain-message/src/lib.rs; the Solana command line; Ledger before 1.8.0
- v0: agave docs/src/proposals/off-chain-message-signing.md; Ledger from 1.8.0
- v1-early: LedgerHQ/device-sdk-ts
- v1: anza-xyz/kit preamble-v1.ts; agave pull request 12965
"""

from collections.abc import Iterator

FORMS = ("raw", "legacy-v0", "v0", "v1-early", "v1")

_DOMAIN = b"\xffsolana offchain"
_ONE_SIGNER = b"\x01"
_APPLICATION_DOMAIN_BYTES = 32
_MAX_UTF8_BYTES = 1_212  # of the text in formats 0 and 1
_ASCII, _UTF8 = b"\x00", b"\x01"  # formats


def list_signable_forms(text: str, signer: bytes, *, host: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each form in which `signer` may sign `text`.

    `signer` is a public key of 32 bytes. v0 names an application: none (zeros), or `host`.
    """
    body = text.encode()
    yield "raw", body
    length = len(body).to_bytes(2, "little") if len(body) <= _MAX_UTF8_BYTES else None
    if length is not None:
        formats = _list_formats(text)
        for format_ in formats:
            yield "legacy-v0", _DOMAIN + b"\x00" + format_ + length + body
        for application in _list_application_domains(host):
            for format_ in formats:
                head = _DOMAIN + b"\x00" + application + format_ + _ONE_SIGNER + signer
                yield "v0", head + length + body
        yield "v1-early", _DOMAIN + b"\x01" + _ONE_SIGNER + signer + length + body
    yield "v1", _DOMAIN + b"\x01" + _ONE_SIGNER + signer + body


def _list_formats(text: str) -> tuple[bytes, ...]:
    """Return the formats for a text. A newline is ASCII to Ledgers, not to the command line."""
    is_ascii = text.isascii() and text.replace("\n", "").isprintable()
    return (_UTF8, _ASCII) if is_ascii else (_UTF8,)


def _list_application_domains(host: str) -> Iterator[bytes]:
    yield bytes(_APPLICATION_DOMAIN_BYTES)
    name = host.encode()[:_APPLICATION_DOMAIN_BYTES]  # as LedgerHQ/device-sdk-ts cuts longer ones
    yield name.ljust(_APPLICATION_DOMAIN_BYTES, b"\0")
