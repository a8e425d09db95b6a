from embed.byte_cache import ENTRY_BYTES, ByteCache


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
