"""What the service counts. This is the place to add a counter."""

from embed.metrics.metric import Count, Metric, Times

REQUESTS = Count(
    "embed_http_requests_total", "Requests that the app answered.", ("route", "method", "code")
)
REQUEST_SECONDS = Times(
    "embed_http_request_duration_seconds",
    "Time that the app took to answer, without that of clients to send and to read.",
    ("route", "method"),
)
REFUSALS = Count("embed_refusals_total", "Answers that are errors, by the API's codes.", ("error",))
LIMITED = Count(
    "embed_rate_limit_refusals_total",
    "Requests that a rate limit refused.",
    ("limit",),
    known=[("rate_limit_ip",), ("rate_limit_key",), ("rate_limit_session",), ("sign_in",)],
)
STORAGE_FAILURES = Count(
    "embed_rate_limit_storage_failures_total",
    "Times that a process went over to its own counters, as the shared ones failed.",
)
SUBMISSIONS = Count(
    "embed_submissions_total",
    "Submissions by what became of them at once; the reason is that of a refusal.",
    ("outcome", "reason"),
    known=[
        ("pending", ""),
        ("auto_approved", ""),
        *(
            ("soft_rejected", reason)
            for reason in ("ca_gate", "cooldown", "queue_full", "duplicate", "rate_limited")
        ),
    ],
)
DECISIONS = Count(
    "embed_decisions_total",
    "Submissions that owners decided in the dashboard.",
    ("decision",),
    known=[("approved",), ("rejected",), ("undone",)],
)
DELIVERIES = Count(
    "embed_deliveries_total",
    "Messages that were sent to receivers; one that failed is sent again.",
    ("kind", "result"),
    known=[
        (kind, result)
        for kind in ("webhook", "channel")
        for result in ("delivered", "failed", "given_up")
    ],
)

ALL = [one for one in list(globals().values()) if isinstance(one, Metric)]
