"""Pages of the dashboard, and the answers of its forms."""

from typing import Any

from flask import Response, flash, redirect, render_template, request
from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from embed.db.models import Page
from embed.errors import InvalidInput

MAX_FLASHED = 500  # it travels in the session's cookie, of which browsers keep 4 KB


class Form(FlaskForm):
    """A form that reads what forms send, and nothing else.

    Flask-WTF's own also takes JSON, and files under any name, whose values are no text.
    """

    class Meta(FlaskForm.Meta):
        def wrap_formdata(self, form: FlaskForm, formdata: Any) -> Any:
            if formdata is None or isinstance(formdata, MultiDict):
                return formdata
            return request.form if request.method == "POST" else None


def render(
    template: str, *, page: Page | None = None, status: int = 200, **values: Any
) -> Response:
    """Render a template; with `page`, inside that page's navigation."""
    html = render_template(f"dashboard/{template}", page=page, **values)
    return Response(html, status, content_type="text/html; charset=utf-8")


def render_mistake(sentence: str, status: int) -> Response:
    """Say in one sentence what is wrong, with a way back."""
    back = request.referrer or ""
    is_ours = back.startswith(request.host_url)
    return render("mistake.html", status=status, sentence=sentence, back=back if is_ours else None)


def redirect_with_message(sentence: str, location: str) -> AnyResponse:
    """Say what was done on the page that the browser goes to next."""
    flash(sentence[:MAX_FLASHED], "done")
    return redirect(location, 303)


def add_error(form: FlaskForm, mistake: InvalidInput, **renamed: str) -> None:
    """Show a mistake beside the field that it is about, or else above the form.

    `renamed` maps a use case's name of a field to the form's, where they differ.
    """
    name = renamed.get(mistake.field or "", mistake.field)
    if name in form:
        form[name].errors = [*form[name].errors, str(mistake)]
    else:
        form.form_errors.append(str(mistake))
