"""What happens with an account, in words: sentences are made of facts where they are shown."""

from collections.abc import Callable, Mapping
from typing import Any

from embed.domain.roles import NAME_BY_ROLE
from embed.domain.texts import gettext_noop

# Every kind, in up to 30 letters, with its sentence for the person: translated where it is shown.
SENTENCE_BY_KIND: Mapping[str, str] = {
    "signed in": gettext_noop("You signed in"),
    "signed in with passkey": gettext_noop("You signed in with the passkey %(name)s"),
    "signed out": gettext_noop("You signed out"),
    "sign-in failed": gettext_noop("Somebody tried to sign in with a wrong password"),
    "confirmation failed": gettext_noop("Somebody who was signed in entered a wrong password"),
    "passkey added": gettext_noop("The passkey %(name)s was added"),
    "passkey removed": gettext_noop("The passkey %(name)s was removed"),
    "passkey refused": gettext_noop("The passkey %(name)s was refused: it may have been copied"),
    "password changed": gettext_noop("The password was changed"),
    "passkeys removed by link": gettext_noop(
        "A password was chosen by the operator's link, which removed passkeys: %(count)s"
    ),
    "session ended": gettext_noop("You ended other sessions: %(count)s"),
    "session ended by operator": gettext_noop("The operator ended all sessions: %(count)s"),
    "session ended by password": gettext_noop("The new password ended all sessions: %(count)s"),
    "invited": gettext_noop("%(actor)s invited you to the page %(page)s. Your role: %(role)s."),
    "role changed": gettext_noop("%(actor)s changed your role on the page %(page)s: %(role)s"),
    "removed from a page": gettext_noop("%(actor)s removed you from the page %(page)s"),
    "left a page": gettext_noop("You left the page %(page)s"),
    "page taken over": gettext_noop("The page %(page)s now belongs to you"),
    "block added": gettext_noop("On all your pages, %(pattern)s is blocked"),
    "block removed": gettext_noop("On all your pages, %(pattern)s is no longer blocked"),
    "page handed over": gettext_noop("The page %(page)s now belongs to %(owner)s"),
}


def write_sentence(kind: str, facts: Mapping[str, Any], gettext: Callable[[str], str] = str) -> str:
    """Say what happened, in the language of `gettext`.

    Of a kind that this version does not store, its name is shown.
    """
    texts = {
        name: f"\u2068{value}\u2069" if isinstance(value, str) else value  # as <bdi>
        for name, value in facts.items()
    }
    if role := NAME_BY_ROLE.get(f"{facts.get('role')}"):
        texts["role"] = gettext(role)
    sentence = SENTENCE_BY_KIND.get(kind)
    try:
        return gettext(sentence) % texts if sentence else kind.capitalize()
    except KeyError:
        return kind.capitalize()
