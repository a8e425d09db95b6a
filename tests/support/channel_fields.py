"""Channels in tests, each named by a short text."""

FIELDS = {
    "telegram": {"bot_token": "123456789:abcdefg_hijklmnop", "chat_id": "-12315544"},
    "discord": {"webhook_url": "https://discord.com/api/webhooks/4174216298/JHMHI8qBe7bk2ZwO5U711"},
    "slack": {"webhook_url": "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcO"},
    "ntfy": {"topic": "my-secret-topic"},
}


def find_fields(where: str) -> tuple[str, dict[str, str]]:
    """Return service and fields of an e-mail address, a service, or a server of ntfy."""
    if "@" in where:
        return "email", {"address": where}
    if where.startswith("http"):
        return "ntfy", {"server": where, "topic": "topic"}
    return where, FIELDS[where]
