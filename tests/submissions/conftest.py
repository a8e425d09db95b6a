import pytest

from embed.db.models import Receiver
from embed.notifications import receivers


@pytest.fixture
def webhook(world) -> Receiver:
    url = "https://hooks.example/"
    return receivers.add_webhook(world.page_id, url, world.change())
