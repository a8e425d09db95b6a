"""How Hypothesis chooses examples."""

from hypothesis import HealthCheck, settings

# How long an example takes does not matter, and every run takes the same examples. The fixtures
# of tests/fuzz last for all examples.
settings.register_profile(
    "untimed",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)
# pytest tests/fuzz --hypothesis-profile=long
settings.register_profile(
    "long", settings.get_profile("untimed"), derandomize=False, max_examples=5_000
)
settings.load_profile("untimed")
