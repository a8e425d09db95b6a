"""kill -9 of Postgres and of Valkey, under two instances of two workers each."""

import time

import pytest
from checks import check_answers, check_deliveries, check_nothing_lost, fault_under
from load import Load
from support.receivers import run_http_receiver

pytestmark = pytest.mark.slow

AWAY_S = 1.0


def test_valkey_killed_and_then_postgres(grown, valkey, postgres):
    with run_http_receiver() as receiver:
        load = Load(grown.urls, grown.environ)
        page = load.auto_page
        page.command("webhooks", "add", page.page_id, receiver.url)
        with load:
            with fault_under(load):
                valkey.kill()
                time.sleep(AWAY_S)
                valkey.start()
            assert {told.status for told in load.record.answers} <= {200, 201, 303, 429}
            with fault_under(load) as fault:
                postgres.kill()
                time.sleep(AWAY_S)
                postgres.start()
        check_answers(load, fault)
        check_nothing_lost(load)
        assert any(told.status == 503 for told in load.record.answers)
        check_deliveries(load, receiver)
