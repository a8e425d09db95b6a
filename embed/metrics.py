"""The service's counters and timers. Add new ones here.

They're prometheus_client's own. Without METRICS_BIND they count in memory, unseen.

Labels have few values, all from our own code: every combination is a series in each process's
file, and in Prometheus for its whole retention time.
"""

from prometheus_client import Counter, Histogram

from embed.domain.policy import REJECT_REASON_BY_CODE

REQUESTS = Counter(
    "embed_http_requests_total", "Requests that the app answered.", ("route", "method", "code")
)
REQUEST_SECONDS = Histogram(
    "embed_http_request_duration_seconds",
    "Time that the app took to answer, without clients' time to send and read.",
    ("route", "method"),
    # From a read out of memory to a request that most proxies would give up on.
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
REFUSALS = Counter("embed_refusals_total", "Error answers, by the API's codes.", ("error",))
LIMITED = Counter(
    "embed_rate_limit_refusals_total", "Requests that a rate limit refused.", ("limit",)
)
SUBMISSIONS = Counter(
    "embed_submissions_total",
    "Submissions by their immediate outcome, and by the reason if refused.",
    ("outcome", "reason"),
)
DECISIONS = Counter(
    "embed_decisions_total", "Decisions on submissions in the dashboard.", ("decision",)
)
DELIVERIES = Counter(
    "embed_deliveries_total",
    "Messages sent to channels and webhooks; failed ones are sent again.",
    ("kind", "result"),
)


def begin_known_series() -> None:
    """Export possible series as 0, since Prometheus sees no increase in one that starts at 1."""
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
