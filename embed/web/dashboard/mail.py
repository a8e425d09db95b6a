"""Mails about a page to whoever asked for them: start and stop, also by the link in each mail."""

from flask import request, url_for
from flask.typing import ResponseReturnValue
from itsdangerous import BadSignature

from embed.notifications import own_mail
from embed.web.current import runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_person import current_person, open_page
from embed.web.dashboard.responses import redirect_with_message, render, render_mistake
from embed.web.languages import gettext


@blueprint.post("/pages/<page_id>/mail")
def start_mail(page_id: str) -> ResponseReturnValue:
    page, person = open_page(page_id), current_person()
    own_mail.start(page.id, person, runtime().settings, runtime().clock())
    return redirect_with_message(
        gettext("Mails about this page go to %(email)s.", email=person.email),
        url_for("dashboard.show_activity", page_id=page.id),
    )


@blueprint.post("/pages/<page_id>/mail/stop")
def stop_mail(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    own_mail.stop(page.id, current_person().id)
    return redirect_with_message(
        gettext("You get no more mails about this page."),
        url_for("dashboard.show_activity", page_id=page.id),
    )


@blueprint.post("/pages/<page_id>/mail/decide")
def let_mail_decide(page_id: str) -> ResponseReturnValue:
    page, person = open_page(page_id), current_person()
    own_mail.let_decide(page.id, person, True, runtime().clock())
    return redirect_with_message(
        gettext("Mails to you now have links that approve and reject."),
        url_for("dashboard.show_activity", page_id=page.id),
    )


@blueprint.post("/pages/<page_id>/mail/decide/stop")
def end_deciding_by_mail(page_id: str) -> ResponseReturnValue:
    page, person = open_page(page_id), current_person()
    own_mail.let_decide(page.id, person, False, runtime().clock())
    return redirect_with_message(
        gettext("The links in mails to you no longer work."),
        url_for("dashboard.show_activity", page_id=page.id),
    )


@blueprint.route("/mail/<token>", methods=["GET", "POST"])
def stop_mail_by_link(token: str) -> ResponseReturnValue:
    """Ask whether to stop, which only the button does: mail scanners open links.

    The answers are the same whether or not there is still something to stop.
    """
    try:
        page_id, person_id = own_mail.read_link(token, runtime().signer)
    except BadSignature:
        return render_mistake(
            gettext("This link is invalid or has expired. Mails are stopped on the Activity page."),
            404,
        )
    if request.method == "POST":
        own_mail.stop(page_id, person_id)
    return render("mail_stop.html", is_done=request.method == "POST")
