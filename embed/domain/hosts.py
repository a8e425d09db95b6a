"""Host names in the form in which browsers send them (the WHATWG URL standard's host parser)."""

import ipaddress
import re
import unicodedata

import idna

_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")  # such hosts are IPv4 addresses
_PUNYCODE = "xn--"
_MAX_LENGTH = 253  # of a name in DNS
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
_JOINERS = "\u200c\u200d"


def normalise_host(raw: str) -> str | None:
    """Return a host as browsers send it, or None if it is invalid or an unusual form of IPv4.

    An IPv6 address is in brackets. Raises ValueError for some of the invalid ones.
    """
    if raw.startswith("["):
        return f"[{_write_ipv6(ipaddress.IPv6Address(raw[1:-1]))}]"
    name = _encode_name(raw)
    if name is None or not _NAME.fullmatch(name) or len(name) > _MAX_LENGTH:
        return None
    if _ENDS_IN_NUMBER.fullmatch(name):
        return name if name == expand_ipv4(name) else None
    if not raw.isascii():  # in names that are ASCII already, browsers do not check punycode
        _check_international_name(name)
    return name


def expand_ipv4(raw: str) -> str | None:
    """Return the IPv4 address that browsers read in forms such as 127.1 or 0x7f000001, or None.

    Raises ValueError for characters that no host may have.
    """
    name = _encode_name(raw)
    *front, last = (name or "").removesuffix(".").split(".")
    if len(front) > 3 or any(number > 255 for number in map(_read_number, front)):
        return None
    address = _read_number(last)
    if address >= 256 ** (4 - len(front)):
        return None
    for place, part in enumerate(front):
        address += _read_number(part) << (24 - 8 * place)
    return str(ipaddress.IPv4Address(address))


def _read_number(part: str) -> int:
    """Read a part of an IPv4 address: decimal, hexadecimal (0x) or octal (0). Raises ValueError."""
    if not part.isascii() or not part.isalnum():
        raise ValueError(part)
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8 if part.startswith("0") else 10)


def _write_ipv6(address: ipaddress.IPv6Address) -> str:
    mapped = address.ipv4_mapped
    if mapped is None:
        return address.compressed
    # Since 3.13, Python writes this part with dots; browsers don't.
    return f"::ffff:{int(mapped) >> 16:x}:{int(mapped) & 0xFFFF:x}"


def _encode_name(raw: str) -> str | None:
    """Return a name in lower case and punycode (UTS 46), without checking it; None: too long.

    Raises ValueError.
    """
    if any(unicodedata.category(character) == "Cn" for character in raw):
        raise ValueError(raw)  # newer than Python's Unicode, and perhaps than the browser's
    name = idna.uts46_remap(raw, std3_rules=False)
    if len(name) > _MAX_LENGTH + 1:  # a dot at the end does not count
        return None
    labels = name.split(".")
    return ".".join(
        label if label.isascii() else _PUNYCODE + label.encode("punycode").decode()
        for label in labels
    )


def _check_international_name(name: str) -> None:
    """Raise ValueError if browsers refuse a label of the name (UTS 46, section 4.1)."""
    labels = [_decode_label(label) for label in name.split(".")]
    is_bidi = any(unicodedata.bidirectional(each) in _RIGHT_TO_LEFT for each in "".join(labels))
    for label in labels:
        idna.check_bidi(label, check_ltr=is_bidi)
        idna.check_initial_combiner(label)
        for place, character in enumerate(label):
            if character in _JOINERS and not idna.valid_contextj(label, place):
                raise ValueError(label)


def _decode_label(label: str) -> str:
    if not label.startswith(_PUNYCODE):
        return label
    encoded = label.removeprefix(_PUNYCODE)
    text = encoded.encode().decode("punycode")
    is_final = text.encode("punycode").decode() == encoded and not text.isascii()
    if (
        not is_final
        or text.startswith(_PUNYCODE)
        or idna.uts46_remap(text, std3_rules=False) != text
    ):
        raise ValueError(label)
    return text
