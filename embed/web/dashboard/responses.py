"""Responses of the dashboard, and the base class of its forms."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Response, flash, redirect, render_template, request, url_for
from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse
from wtforms import i18n

from embed.db.models import Page
from embed.errors import InvalidInput
from embed.web.compression import compress
from embed.web.dashboard.shell import read_shell
from embed.web.languages import current_language, format_number, gettext

MAX_FLASHED = 500  # it is in the session cookie, which browsers limit to 4 KB


class Form(FlaskForm):
    """A form that reads form fields only.

    Flask-WTF's own form also reads JSON, and files under any name, whose values are not text.
    The sentences that WTForms has for mistakes are in the language of the page.
    """

    class Meta(FlaskForm.Meta):
        def wrap_formdata(self, form: FlaskForm, formdata: Any) -> Any:
            if formdata is None or isinstance(formdata, MultiDict):
                return formdata
            return request.form if request.method == "POST" else None

        def get_translations(self, form: FlaskForm) -> Any:
            return i18n.get_translations([current_language()])


def render(
    template: str,
    *,
    page: Page | None = None,
    form: FlaskForm | None = None,
    status: int | None = None,
    shows_secret: bool = False,
    **values: Any,
) -> Response:
    """Render a template; with `page`, inside that page's navigation.

    Unless there is a `status`, a form with mistakes makes it 422.
    What shows a secret is not compressed, as its length would depend on the secret.
    """
    if status is None:
        status = 422 if form and form.errors else 200
    shell = read_shell(page)
    html = render_template(
        f"dashboard/{template}", page=page, form=form, status=status, shell=shell, **values
    )
    response = Response(html, status, content_type="text/html; charset=utf-8")
    return response if shows_secret else compress.after_request(response)


def render_mistake(sentence: str, status: int) -> Response:
    """Render a page with one sentence about a mistake, and a link back."""
    back = request.referrer or ""
    is_ours = back.startswith(request.host_url)
    return render("mistake.html", status=status, sentence=sentence, back=back if is_ours else None)


def redirect_to(
    endpoint: str, sentence: str, page: Page | None = None, /, **values: Any
) -> AnyResponse:
    """Redirect to one of the dashboard's routes, of `page` if given, and show a sentence there."""
    flash(sentence[:MAX_FLASHED], "done")
    if page:
        values["page_id"] = page.id
    return redirect(url_for(f"dashboard.{endpoint}", **values), 303)


@contextmanager
def show_mistakes(form: FlaskForm, **renamed: str) -> Iterator[None]:
    """Show a mistake of the use case inside beside its field, or else above the form.

    `renamed` maps the use case's name of a field to the form's, where they differ.
    """
    try:
        yield
    except InvalidInput as mistake:
        name = renamed.get(mistake.field or "", mistake.field)
        if name in form:
            form[name].errors = [*form[name].errors, write_mistake(mistake)]
        else:
            form.form_errors.append(write_mistake(mistake))


def write_mistake(mistake: InvalidInput) -> str:
    """Return a mistake's sentence in the language of the page."""
    values = {name: _write_value(name, value) for name, value in mistake.values.items()}
    return gettext(mistake.sentence, **values)


def _write_value(name: str, value: object) -> str:
    if isinstance(value, InvalidInput):
        return write_mistake(value)
    if isinstance(value, int):
        return format_number(value)
    return gettext(f"{value}") if name == "label" else f"{value}"  # what the field is called
