from operator import itemgetter

from embed.byte_cache import ENTRY_BYTES, MOST_IN_GROUP, ByteCache


def test_values_used_last_are_kept_up_to_the_bound():
    cache = ByteCache(10 + 2 * ENTRY_BYTES)
    cache.set("a", b"1234")
    cache.set("b", b"1234")
    cache.get("a")

    cache.set("c", b"1234")

    assert [cache.get(key) for key in "abc"] == [b"1234", None, b"1234"]
    assert cache.size_bytes == 8 + 2 * ENTRY_BYTES


def test_value_larger_than_the_bound_is_kept_alone():
    cache = ByteCache(10 + ENTRY_BYTES)
    cache.set("small", b"1")

    cache.set("large", b"x" * 50)

    assert cache.get("small") is None
    assert cache.get("large") == b"x" * 50
    cache.set("next", b"1")
    assert cache.get("large") is None
    assert cache.size_bytes == 1 + ENTRY_BYTES


def test_value_set_twice_counts_once():
    cache = ByteCache(1000)
    for _ in range(20):
        cache.set("a", b"12345")

    assert cache.size_bytes == 5 + ENTRY_BYTES


def test_empty_values_are_bounded_too():
    cache = ByteCache(10 * ENTRY_BYTES)
    for number in range(100):
        cache.set(number, b"")

    assert cache.size_bytes == 10 * ENTRY_BYTES
    assert [number for number in range(100) if cache.get(number) is not None] == [*range(90, 100)]


def test_one_group_does_not_take_the_place_of_others():
    cache = ByteCache(10**6, group_of=itemgetter(0))
    cache.set(("quiet", 0), b"1234")
    for number in range(1000):
        cache.set(("busy", number), b"1234")
        cache.get(("busy", 0))

    newest = range(1001 - MOST_IN_GROUP, 1000)
    kept = [number for number in range(1000) if cache.get(("busy", number))]
    assert kept == [0, *newest]
    assert cache.get(("quiet", 0)) == b"1234"
    assert cache.size_bytes == (MOST_IN_GROUP + 1) * (4 + ENTRY_BYTES)


def test_groups_are_forgotten_with_their_values():
    cache = ByteCache(10 * ENTRY_BYTES, group_of=itemgetter(0))
    for number in range(100):
        cache.set((number, "a"), b"")

    assert len(cache._groups) == 10
