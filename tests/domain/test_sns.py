"""Names of the Solana Name Service: the cases that its SDKs publish, and hostile bytes."""

import random

import pytest

from embed.domain import sns

# SolanaNameService/sns-sdk: js-kit/tests/{utils,nft,address}.test.ts, js/tests/primary.test.ts,
# js-kit/tests/sns/domain.test.ts and rust-crates/sns-sdk/src/derivation.rs.
PUBLISHED = {
    "bonfida": "Crf8hzfthWGbGbLTVCiqRqV5MVnbpHB1L9KQMd6gsinb",
    "couponvault": "AgJujvNQgYESUwBPitq2VUrfTaT2bvueHbgvsxqZ2sHg",
    "wallet-guide-1": "6WWS69JbYTnQZ1WyGVsJsBAB35iaszgy9KqCANJfmQr8",
    "wallet-guide-2": "5GUXAsmcn4pHzJyNFTxe6m9HQAmWE1eCmPL6RJoh3tcZ",
    "wallet-guide-9": "8XXesVR1EEsCEePAEyXPL9A4dd9Bayhu9MRkFBpTkibS",
    "sns-ip-5-wallet-1": "6qJtQdAJvAiSfGXWAuHDteAes6vnFcxtHmLzw1TStCrd",
}
PUBLISHED_BELOW = {
    ("dex", "bonfida"): "HoFfFXqFHAC8RP3duuQNzag1ieUwJRBv1HtRNiWFq4Qu",
    ("test", "sns-ip-5-wallet-1"): "EzQAeEBXpZWpsZXcZRwV63RRr2RkwBVqdYN53tcbTDEm",
}
PUBLISHED_MINTS = {
    "6qJtQdAJvAiSfGXWAuHDteAes6vnFcxtHmLzw1TStCrd": "8dJNBsnM5Zo8RUy94Y9Te1EJa77NXG1T556zpMp8UYnv",
    "FVLJ5KEqQk3jiHsB84Rt5cnUac4s8fyHC2YaNDJVwKHJ": "CmThLmf7ndEbyPs2MyL3XXzLvCrmXtdNCrRcuNPHvkKL",
}
HEAD = bytes(96)


@pytest.mark.parametrize(("name", "domain"), PUBLISHED.items())
def test_account_of_a_name_is_the_published_one(name, domain):
    assert sns.derive_domain(name.encode()) == domain


@pytest.mark.parametrize(("labels", "domain"), PUBLISHED_BELOW.items())
def test_account_of_a_subdomain_is_the_published_one(labels, domain):
    label, above = labels
    assert sns.derive_domain(label.encode(), sns.derive_domain(above.encode())) == domain


def test_account_of_the_reverse_look_up_is_the_published_one():
    reverse = sns.derive_reverse(PUBLISHED["bonfida"])
    assert reverse == "DqgmWxe2PPrfy45Ja3UPyFGwcbRzkRuwXt3NyxjX8krg"


@pytest.mark.parametrize(("domain", "mint"), PUBLISHED_MINTS.items())
def test_mint_of_a_tokenized_name_is_the_published_one(domain, mint):
    assert sns.derive_mint(domain) == mint


def test_names_have_the_ending_of_their_slot():
    assert sns.write_name(b"toly", slot=452_825_394) == "toly.sol"
    assert sns.write_name(b"dex", b"bonfida", slot=452_825_395) == "dex.bonfida.sns"


@pytest.mark.parametrize("label", ["a", "7", "wallet-guide-9", "under_score", "x" * 32])
def test_plain_labels_are_shown(label):
    assert sns.parse_label(_reverse(label.encode())) == label.encode()
    assert sns.parse_label(_reverse(b"\0" + label.encode())) == label.encode()


@pytest.mark.parametrize(
    "label",
    [
        "", " ", "a b", "Toly", "TOLY", "-toly", "toly-", "_toly", "to.ly", "toly.sol", "x" * 33,
        "tоly",  # a Cyrillic o
        "ṭoly", "éa", "中文", "عربي", "🦊", "١٢",
        "toly\u202e", "\u202etoly", "to\u200bly", "toly\u2066", "toly\0", "\0\0toly", "toly\n",
        "<b>toly</b>", "toly&amp;", "javascript:x", "toly/..",
    ],
)  # fmt: skip
def test_labels_that_may_deceive_are_not_shown(label):
    assert sns.parse_label(_reverse(label.encode())) is None


def test_labels_that_are_cut_off_or_claim_another_length_are_not_shown():
    whole = _reverse(b"toly")
    assert (
        sns.parse_label(whole + b"more") == b"toly"
    )  # what owners keep behind it is nobody's matter
    for broken in (
        whole[:-1], HEAD, HEAD + b"\4", b"", _reverse(b"toly", size=2**32 - 1),
        _reverse(b"toly", size=0), _reverse(b"\xff\xfe"),
    ):  # fmt: skip
        assert sns.parse_label(broken) is None


def test_any_bytes_are_read_without_an_error():
    rng = random.Random(7)
    for _ in range(2_000):
        data = rng.randbytes(rng.randrange(200))
        sns.parse_favourite(data), sns.parse_registry(data), sns.parse_label(data)
        assert not sns.is_held(data, sns.ROOT_DOMAIN, sns.ROOT_DOMAIN)


def _reverse(label: bytes, size: int | None = None) -> bytes:
    return HEAD + (len(label) if size is None else size).to_bytes(4, "little") + label
