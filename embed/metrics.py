"""What the service counts and times. This is the place to add a counter.

They are prometheus_client's own. Without METRICS_BIND they count in memory, where nobody looks.

Labels have few values, all of them from our own code: every combination is a series, in every
process's file and in Prometheus for as long as it keeps anything.
"""

from prometheus_client import Counter, Histogram

from embed.domain.policy import REJECT_REASON_BY_CODE

REQUESTS = Counter(
    "embed_http_requests_total", "Requests that the app answered.", ("route", "method", "code")
)
REQUEST_SECONDS = Histogram(
    "embed_http_request_duration_seconds",
    "Time that the app took to answer, without that of clients to send and to read.",
    ("route", "method"),
    # From a read that is answered from memory to a request that most proxies give up on.
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
REFUSALS = Counter(
    "embed_refusals_total", "Answers that are errors, by the API's codes.", ("error",)
)
LIMITED = Counter(
    "embed_rate_limit_refusals_total", "Requests that a rate limit refused.", ("limit",)
)
SUBMISSIONS = Counter(
    "embed_submissions_total",
    "Submissions by what became of them at once; the reason is that of a refusal.",
    ("outcome", "reason"),
)
DECISIONS = Counter(
    "embed_decisions_total", "Submissions that owners decided in the dashboard.", ("decision",)
)
DELIVERIES = Counter(
    "embed_deliveries_total",
    "Messages that were sent to channels and webhooks; one that failed is sent again.",
    ("kind", "result"),
)


STORAGE_FAILURES = Counter(
    "embed_rate_limit_storage_failures_total",
    "Times that a process went over to its own counters, as the shared ones failed.",
)


def begin_known_series() -> None:
    """Export what may happen as 0, since Prometheus sees no increase in what begins at 1."""
    for limit in ("rate_limit_ip", "rate_limit_key", "rate_limit_session", "sign_in"):
        LIMITED.labels(limit)
    for outcome in ("pending", "auto_approved"):
        SUBMISSIONS.labels(outcome, "")
    for reason in REJECT_REASON_BY_CODE.values():
        SUBMISSIONS.labels("soft_rejected", reason)
    for decision in ("approved", "rejected", "undone"):
        DECISIONS.labels(decision)
    for kind in ("webhook", "channel"):
        for result in ("delivered", "failed", "given_up"):
            DELIVERIES.labels(kind, result)
