"""What the service counts. This is the place to add a counter."""

from embed.metrics.metric import Count, Times

REQUESTS = Count(
    "embed_http_requests", "Requests that the app answered.", ("route", "method", "code")
)
REQUEST_SECONDS = Times(
    "embed_http_request_duration_seconds",
    "Time that the app took to answer, without that of clients to send and to read.",
    ("route", "method"),
)
REFUSALS = Count("embed_refusals", "Answers that are errors, by the API's codes.", ("error",))
LIMITED = Count(
    "embed_rate_limit_refusals",
    "Requests that a rate limit refused.",
    ("limit",),
    known=[("rate_limit_ip",), ("rate_limit_key",), ("rate_limit_session",)],
)
STORAGE_FAILURES = Count(
    "embed_rate_limit_storage_failures",
    "Times that a process went over to its own counters, as the shared ones failed.",
)
SUBMISSIONS = Count(
    "embed_submissions",
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
    "embed_decisions",
    "Submissions that owners decided in the dashboard.",
    ("decision",),
    known=[("approved",), ("rejected",), ("undone",)],
)
DELIVERIES = Count(
    "embed_deliveries",
    "Messages that were sent to receivers; one that failed is sent again.",
    ("kind", "result"),
    known=[
        (kind, result)
        for kind in ("webhook", "channel")
        for result in ("delivered", "failed", "given_up")
    ],
)

ALL: tuple[Count | Times, ...] = (
    REQUESTS,
    REQUEST_SECONDS,
    REFUSALS,
    LIMITED,
    STORAGE_FAILURES,
    SUBMISSIONS,
    DECISIONS,
    DELIVERIES,
)
