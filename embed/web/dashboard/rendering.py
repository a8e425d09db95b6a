"""Pages of the dashboard, and the answers of its forms."""

from typing import Any

from flask import Response, flash, redirect, render_template, request
from flask_wtf import FlaskForm
from werkzeug.wrappers import Response as AnyResponse

from embed.errors import InvalidInput
from embed.models import Page


def render(
    template: str, *, page: Page | None = None, status: int = 200, **values: Any
) -> Response:
    """Render a template; with `page`, inside that page's navigation."""
    html = render_template(f"dashboard/{template}", page=page, **values)
    return Response(html, status, content_type="text/html; charset=utf-8")


def render_mistake(sentence: str, status: int) -> Response:
    """Say in one sentence what is wrong, with a way back."""
    return render("mistake.html", status=status, sentence=sentence, back=request.referrer)


def done(sentence: str, location: str) -> AnyResponse:
    """Say what was done on the page that the browser goes to next."""
    flash(sentence, "done")
    return redirect(location, 303)


def blame(form: FlaskForm, field: str, mistake: InvalidInput) -> None:
    """Put what a use case said beside the field that it is about."""
    form[field].errors = [*form[field].errors, str(mistake)]
