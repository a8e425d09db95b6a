"""Responses of the dashboard: forms, mistakes, messages, and what surrounds every page."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from flask import Response, flash, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_login import current_user
from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse
from wtforms import SelectMultipleField, StringField, i18n
from wtforms.widgets import CheckboxInput, ListWidget

from embed.db.models import Page
from embed.domain.addresses import WRAPPED_SOL, WRAPPED_SOL_ADVICE, find_address
from embed.domain.texts import drop_dollar_signs, isolate
from embed.errors import InvalidInput
from embed.pages import OwnPage, list_with_waiting
from embed.web.compression import compress
from embed.web.dashboard.access import current_person
from embed.web.dashboard.routes import current_route
from embed.web.languages import current_language, format_number, gettext

MAX_FLASHED = 500  # it is in the session cookie, which browsers limit to 4 KB
THEME_COOKIE = "embed_theme"
THEMES = ("light", "dark")  # else the device decides
Choices = Any  # labels by value; the type stubs of WTForms do not support this form


class Form(FlaskForm):
    """A form that reads form fields only.

    Flask-WTF's own form also reads JSON, and files under any name, whose values are not text.
    WTForms' own sentences about mistakes are in the page's language.
    """

    class Meta(FlaskForm.Meta):
        def wrap_formdata(self, form: FlaskForm, formdata: Any) -> Any:
            if formdata is None or isinstance(formdata, MultiDict):
                return formdata
            return request.form if request.method == "POST" else None

        def get_translations(self, form: FlaskForm) -> Any:
            return i18n.get_translations([current_language()])

    def validate(self, extra_validators: Any = None) -> bool:
        """Return False, too, for a form that is shown again after its session had ended."""
        return "is_shown_again" not in g and bool(super().validate(extra_validators))


class AddressField(StringField):
    """Has the address in what was pasted; without one, the text stays for the mistake."""

    def process_formdata(self, valuelist: list[Any]) -> None:
        super().process_formdata(valuelist)
        self.data = find_address(self.data or "") or self.data


class Checkboxes(SelectMultipleField):
    widget = ListWidget(prefix_label=False)
    option_widget = CheckboxInput()


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

    Without a `status`, a form with mistakes makes it 422. A page that shows a secret isn't
    compressed, since its length would depend on the secret.
    """
    if status is None:
        status = 422 if form and form.errors else 200
    shell = read_shell(page)
    html = render_template(
        f"dashboard/{template}", page=page, form=form, status=status, shell=shell, **values
    )
    response = Response(html, status, content_type="text/html; charset=utf-8")
    return response if shows_secret else compress.after_request(response)


def ask_if_sure(
    question: str, consequence: str, *, button: str, back: str, page: Page | None = None
) -> ResponseReturnValue | None:
    """Ask before something that can't be undone here; None if the form came back with "yes"."""
    if "sure" in request.form:
        return None
    return render(
        "sure.html",
        page=page,
        question=question,
        consequence=consequence,
        button=button,
        back=back,
        fields=list_sent(),
    )


def list_sent() -> list[tuple[str, str]]:
    """Return the fields of the form that was sent, for another form to send them again."""
    return [one for one in request.form.items(multi=True) if one[0] != "csrf_token"]


def render_mistake(sentence: str, status: int, fields: Sequence[tuple[str, str]] = ()) -> Response:
    """Render a page with one sentence about a mistake, and a link back.

    With `fields`, also a button that sends them again.
    """
    back = request.referrer or ""
    # Not host_url, which decodes the host's punycode.
    is_ours = back.startswith(f"{request.scheme}://{request.host}/")
    return render(
        "mistake.html",
        status=status,
        sentence=sentence,
        fields=fields,
        back=back if is_ours else None,
    )


def name_page(page: Page) -> str:
    """Return the page's name in the dashboard, for a sentence."""
    ticker = drop_dollar_signs(page.token_symbol)
    return isolate(f"${ticker} {page.public_title or page.token_name}")


def advise_on_mint(mint: str | None) -> str:
    """Return what owners should know about a mint, or nothing."""
    return gettext(WRAPPED_SOL_ADVICE) if mint in WRAPPED_SOL else ""


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
    """Show a mistake raised inside the block beside its field, or else above the form.

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


# What surrounds every page: the person's other pages, the colors, and the help link


def list_own_pages() -> list[OwnPage]:
    """Return the person's pages, read once per request."""
    if "own_pages" not in g:
        g.own_pages = list_with_waiting(current_person())
    own_pages: list[OwnPage] = g.own_pages
    return own_pages


def read_theme() -> str | None:
    """Return the colors chosen in this browser; None leaves them to the device."""
    theme = request.cookies.get(THEME_COOKIE)
    return theme if theme in THEMES else None


def read_shell(page: Page | None) -> dict[str, Any]:
    """Return what surrounds a page, in one statement."""
    own_pages = list_own_pages() if current_user.is_authenticated else []
    here = sum(one.waiting for one in own_pages if one.page == page)
    document, _, section = current_route().help.partition("#")
    return {
        "own_pages": own_pages,
        "waiting_here": here,  # on the current page
        "waiting_elsewhere": sum(one.waiting for one in own_pages) - here,
        "theme": read_theme(),
        "help": url_for("documents.show_document", name=document, _anchor=section or None),
    }
