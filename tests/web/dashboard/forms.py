"""What the forms on a page of the dashboard show."""

import html
import re


def list_wrong_fields(answer) -> list[str]:
    """Return the fields beside which something is said to be wrong."""
    return re.findall(r'id="(\w+)-wrong"', answer.text)


def read_mistake(answer, field: str) -> str:
    found = re.search(rf'id="{field}-wrong">(.*?)</p>', answer.text, re.DOTALL)
    return html.unescape(found[1])


def read_inputs(answer) -> dict[str, str]:
    """Return the values of the inputs and selects, as a browser would send them."""
    fields = {}
    for one in re.findall(r"<input [^>]*>", answer.text):
        name, value = (re.search(f' {word}="([^"]*)"', one) for word in ("name", "value"))
        is_chosen = not re.search('type="(checkbox|radio)"', one) or re.search(r"[ ]checked", one)
        if name and value and is_chosen:
            fields[name[1]] = html.unescape(value[1])
    for name, options in re.findall(r'<select[^>]* name="(\w+)".*?>(.*?)</select>', answer.text):
        if chosen := re.search(r'<option selected value="(\w*)"', options):
            fields[name] = chosen[1]
    return fields
