"""Addresses of every service that a channel may use, made of Apprise's own templates.

Each part but the host holds a marker, a text that stands nowhere else: what shows a marker shows
that part.
"""

import re
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from apprise.plugins import N_MGR

from embed.errors import InvalidInput
from embed.notifications import channels
from embed.notifications.services import ALLOWED

PLUGINS = {N_MGR[each].__name__.removeprefix("Notify"): N_MGR[each] for each in N_MGR.schemas()}
_numbers = count(10_001)

# Parts for which Apprise wants more than their templates say.
_FORMS = {
    ("HumHub", "targets"): "{digits}",
    ("Matrix", "token"): "{long:.64}",
    ("Evolution", "targets"): "+{digits}",
    ("GitHub", "kind"): "issues",
    ("GitHub", "number"): "{digits}",
    ("Office365", "source"): "{word}@example.org",
    ("PagerTree", "integration"): "int_{word}",
    ("RocketChat", "webhook"): "{word}/{word}",
    ("SFR", "targets"): "+{digits}",
    ("Threema", "gateway_id"): "*{word:.7}",
    ("Threema", "targets"): "+{digits}",
    ("Voipms", "from_phone"): "+{digits:.11}",
    ("Voipms", "targets"): "+{digits:.11}",
}
_UUID = "{hex}-1111-4111-8111-{hex}{hex:.4}"
# Tried in this order until one fits the pattern of Apprise.
_CANDIDATES = (
    *("{word}", "+{digits}", "{digits}", "{digits:.6}", "{hex}{hex}", _UUID, "{word}.{word}"),
    *("AC{hex}", "{digits}:{word}", "pingram_sk_{word}", "hlk_{word}", "lpt_{word}", "AT_{word}"),
    *("UID_{word}", "xoxb-{word}", "us-east-1", "{word:.3}"),
    *("trgv_{long:.8}_{long:.32}", "WPUSH{long:.27}", "ylk_{long:.32}", "{long:.80}=="),
    *(f"{{long:.{length}}}" for length in (15, 20, 24, 25, 32, 36, 40, 80)),
)


class Address(NamedTuple):
    service: str
    target: str
    host: str | None
    markers: set[str]


def list_addresses() -> Iterator[Address]:
    """Yield an address for each template of each service."""
    for service in sorted(ALLOWED):
        for template in PLUGINS[service].templates:
            yield _fill(service, template)


def is_accepted(target: str) -> bool:
    try:
        channels._instantiate(channels._read_address(target))
    except InvalidInput:
        return False
    return True


def _fill(service: str, template: str) -> Address:
    plugin = PLUGINS[service]
    schema = plugin.secure_protocol or plugin.protocol
    values = {"schema": schema if isinstance(schema, str) else schema[0]}
    markers, host = {"q00000z", "q00001z"}, None
    for name in re.findall(r"\{(\w+)\}", template):
        number = next(_numbers)
        marker = f"q{number}z"
        if name == "host":
            # WeChat calls the number of an agent so.
            host = values[name] = "1000002" if service == "WeChat" else f"h{number}.example"
        elif name == "port":
            values[name] = "8443"
        elif name == "path":
            values[name] = f"/{marker}/"
            markers.add(marker)
        elif name != "schema":
            form = _FORMS.get((service, name)) or _find_form(plugin.template_tokens[name], name)
            known = {
                "word": marker,
                "digits": f"15558{number}90",
                "hex": f"f{number}bb",
                "long": marker * 12,
            }
            values[name] = form.format(**known)
            markers |= {each[:7] for each in known.values() if each[:7] in values[name]}
    target = f"{template.format(**values)}?secret=q00000z&+X-Key=q00001z"
    return Address(service, target, host, markers)


def _find_form(token: dict[str, Any], name: str) -> str:
    """Return how a part may look."""
    if "email" in name or token["type"] == "email":
        return "{word}@example.org"
    if "regex" not in token:
        return "+{digits}" if "phone" in name else "{word}"
    pattern, flags = token["regex"] if isinstance(token["regex"], tuple) else (token["regex"], "i")
    sample = {
        "word": "q10000z",
        "digits": "155581000090",
        "hex": "f10000bb",
        "long": "q10000z" * 12,
    }
    for form in _CANDIDATES:
        if re.fullmatch(pattern, form.format(**sample), re.I if flags else 0):
            return form
    raise ValueError(f"no form for {name}: {pattern}")
