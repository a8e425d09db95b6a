"""What the queue's script asks for while the queue is open."""

import re
from datetime import timedelta

import pytest
from queue_pages import path_of, send
from support.many_submissions import add_submissions

from embed.domain.times import to_ms

pytestmark = pytest.mark.slow


def ask(owner, since=None):
    at = owner.world.clock() if since is None else since
    query = {"since": at if isinstance(at, str) else to_ms(at)}
    return owner.get(path_of(owner.world, "news"), query_string=query)


def test_news_are_how_many_wait_and_which_are_new(world, owner):
    old = send(world)
    world.clock.forward(hours=1)
    opened_at = world.clock()
    assert ask(owner, opened_at).json == {"waiting": 1, "new": []}

    world.clock.forward(seconds=5)
    first = send(world)
    world.clock.forward(seconds=5)
    second = send(world)
    assert ask(owner, opened_at).json == {"waiting": 3, "new": [second, first]}

    world.approve(first)
    world.reject(old)
    assert ask(owner, opened_at).json == {"waiting": 1, "new": [second]}
    # One that was committed late is new as well.
    assert ask(owner, opened_at + timedelta(seconds=40)).json["new"] == [second]
    assert ask(owner, "9" * 13).json["new"] == []
    news = re.search(r'<div role="status" id="news"[^>]*>', owner.get(path_of(world)).text)[0]
    assert f"{path_of(world, 'news')}?since={to_ms(world.clock())}" in news
    assert f'data-known="{second}"' in news


def test_no_more_than_a_hundred_are_listed(world, owner):
    ids = add_submissions(world, 120)
    opened_at = world.clock() - timedelta(days=1)

    assert ask(owner, opened_at).json == {"waiting": 120, "new": ids[:19:-1]}


@pytest.mark.parametrize("since", ["", "-1", "9" * 14])
def test_wrong_time_counts_as_now(world, owner, since):
    send(world)
    world.clock.forward(hours=1)

    assert ask(owner, since).json == {"waiting": 1, "new": []}
