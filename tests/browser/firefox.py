"""Firefox, driven by WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/)."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from support.absence import NODE_MODULES
from support.waiting import wait_for

NODE = NODE_MODULES / ".bin/node"
DRIVER = Path(__file__).with_name("firefox.mjs")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
HOW_TO_GET_ONE = "needs Firefox (apt install firefox-esr), and Node (npm ci)"

# The nth visible element of a kind whose text or name begins with the words.
_PRESS = """((words) => {
  const named = [...document.querySelectorAll("button, a, summary")].find((one) =>
    one.checkVisibility() && one.innerText.trim().startsWith(words));
  named?.click();
  return named !== undefined;
})"""
_FILL = "((selector, text) => (document.querySelector(selector).value = text) !== '')"
_READ = """((selector) => {
  const found = document.querySelector(selector);
  return found?.checkVisibility() && found.innerText;
})"""


def is_installed() -> bool:
    return FIREFOX is not None and NODE.exists()


class Firefox:
    """A running Firefox with a profile of its own."""

    def __init__(self, profile: Path, preferences: dict[str, Any]) -> None:
        profile.mkdir()
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in preferences.items()]
        (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        self._driver = subprocess.Popen(
            [NODE, DRIVER, FIREFOX, profile],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.call("session.new", capabilities={})

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Return the result of a command. Raises AssertionError with Firefox's message."""
        self._driver.stdin.write(json.dumps({"method": method, "params": params}) + "\n")
        self._driver.stdin.flush()
        answer = json.loads(self._driver.stdout.readline())
        assert answer["type"] == "success", answer
        return answer["result"]

    def open(self, url: str, script: str = "") -> "Document":
        """Return a page in a tab that shares no cookie with others; the script runs in its frames
        too, before their own.
        """
        visitor = self.call("browser.createUserContext")["userContext"]
        tab = self.call("browsingContext.create", type="tab", userContext=visitor)["context"]
        if script:
            declaration = f"() => {{ {script} }}"
            self.call(
                "script.addPreloadScript", functionDeclaration=declaration, userContexts=[visitor]
            )
        document = Document(self, tab)
        document.goto(url)
        return document

    def tabs(self) -> list[dict[str, Any]]:
        return self.call("browsingContext.getTree")["contexts"]

    def close(self) -> None:
        self._driver.stdin.close()
        self._driver.wait()
        self._driver.stdout.close()


class Document:
    """A page, or a frame in it."""

    def __init__(self, firefox: Firefox, context: str) -> None:
        self._firefox = firefox
        self._context = context

    def goto(self, url: str) -> None:
        self._firefox.call(
            "browsingContext.navigate", context=self._context, url=url, wait="complete"
        )

    def reload(self) -> None:
        self._firefox.call("browsingContext.reload", context=self._context, wait="complete")

    def frame(self, start: str) -> "Document":
        """Return the frame whose address begins so."""
        tree = self._firefox.call("browsingContext.getTree", root=self._context)
        (frame,) = [one for one in tree["contexts"][0]["children"] if one["url"].startswith(start)]
        return Document(self._firefox, frame["context"])

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression: a string, number, boolean or None."""
        answer = self._firefox.call(
            "script.evaluate",
            expression=expression,
            target={"context": self._context},
            awaitPromise=True,
            userActivation=True,  # as of a click, so that windows may open
        )
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return answer["result"].get("value")

    def until(self, expression: str) -> Any:
        """Evaluate an expression until its value is true, and return it."""
        return wait_for(lambda: self.evaluate(expression), lambda: expression)

    def press(self, words: str) -> None:
        self.until(f"{_PRESS}({json.dumps(words)})")

    def fill(self, selector: str, text: str) -> None:
        self.until(f"{_FILL}({json.dumps(selector)}, {json.dumps(text)})")

    def read(self, selector: str) -> str:
        """Return the text of an element, once it is visible and has one."""
        return self.until(f"{_READ}({json.dumps(selector)})")

    def widget(self, service_url: str) -> "Document":
        """Return the widget's frame, once its script is ready."""
        frame = self.frame(service_url)
        frame.until("document.querySelector('#widget[data-ready]') !== null")
        return frame

    def wait_for(self, selector: str, text: str) -> None:
        """Wait until an element's text contains this."""
        self.until(
            f"document.querySelector({json.dumps(selector)})"
            f"?.innerText.replace(/\\s+/g, ' ').includes({json.dumps(text)})"
        )
