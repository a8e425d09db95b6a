from embed.byte_cache import ByteCache


def test_values_used_last_are_kept_up_to_the_bound():
    cache = ByteCache(10)
    cache.set("a", b"1234")
    cache.set("b", b"1234")
    cache.get("a")

    cache.set("c", b"1234")

    assert [cache.get(key) for key in "abc"] == [b"1234", None, b"1234"]
    assert cache.size_bytes == 8


def test_value_larger_than_the_bound_is_kept_alone():
    cache = ByteCache(10)
    cache.set("small", b"1")

    cache.set("large", b"x" * 50)

    assert cache.get("small") is None
    assert cache.get("large") == b"x" * 50
    cache.set("next", b"1")
    assert cache.get("large") is None
    assert cache.size_bytes == 1


def test_value_set_twice_counts_once():
    cache = ByteCache(10)
    for _ in range(20):
        cache.set("a", b"12345")

    assert cache.size_bytes == 5
