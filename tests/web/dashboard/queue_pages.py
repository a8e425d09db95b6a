"""The page of a queue, and what is sent to it."""

import re

from support.world import Visitor

from embed.db.models import Submission


def path_of(world, *more: str) -> str:
    return "/".join([f"/dashboard/pages/{world.page_id}/queue", *more])


def send(world, nickname="Visitor", visitor=None) -> str:
    """Submit a wallet as a visitor with a session does; return the submission's id."""
    visitor = visitor or Visitor()
    if visitor.cookie is None:
        world.open_widget(visitor)
    answer = world.submit(visitor, nickname)
    assert answer.status_code == 201, answer.json
    return answer.json["submissionId"]


def decide(owner, decision: str, *ids: str, query: str = "", **fields: str):
    fields |= {"ids": list(ids), "decision": decision}
    return owner.post(path_of(owner.world, "decide") + query, **fields)


def undo(owner, *ids: str):
    return owner.post(path_of(owner.world, "undo"), ids=list(ids))


def ask(owner, what: str, **fields):
    """Send what the script sends, and return the answer's JSON."""
    data = {"csrf_token": owner.token} | fields
    headers = {"Accept": "application/json"}
    return owner.client.post(path_of(owner.world, what), data=data, headers=headers).json


def list_shown(answer) -> list[str]:
    return re.findall(r'id="submission-(\w+)"', answer.text)


def list_statuses(*ids: str) -> list[str]:
    return [Submission.get_by_id(one).status for one in ids]


def move(submission_ids: list[str], page_id: str) -> None:
    """Let submissions have been sent to another page."""
    Submission.update(page=page_id).where(Submission.id.in_(submission_ids)).execute()
