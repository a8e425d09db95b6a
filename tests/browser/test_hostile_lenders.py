"""What a hostile host page gains by lending wallets, or a hostile frame by borrowing: nothing."""

import base64
import json

import pytest
from embedded_page import EmbeddedPage, HostSite, frame_of, read_text
from nacl.signing import SigningKey
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

# Hostile hosts: they lend by a script of their own.


def lending_script(*, wallets=None, connect=None, sign=None) -> str:
    """Return what a host page needs to answer the frame as it likes."""
    wallets = wallets or [{"id": "w", "name": "Host wallet", "icon": None}]
    answers = {"embed:wallets": wallets, "embed:connect": connect, "embed:sign": sign}
    return f"""
        const answers = {json.dumps(answers)};
        window.asked = [];
        addEventListener("message", ({{data, ports: [port]}}) => {{
          if (!(data?.kind in answers)) return;
          asked.push(data.kind);
          if (answers[data.kind]) port.postMessage(answers[data.kind]);
        }});
        const greet = (frame) =>
          frame.contentWindow.postMessage({{kind: "embed:hello", lends: true}}, "*");"""


def hostile_page(embedded_page, host, *, html="", key=None, **answers) -> str:
    """Return the address of a page of `host` that frames the widget and lends by its own script."""
    src = embedded_page.widget_url().replace(embedded_page.key, key or embedded_page.key)
    return host.show(
        f"""<link rel="icon" href="data:,"><script>{lending_script(**answers)}</script>
        <iframe src="{src}" height="800" onload="greet(this)"></iframe>{html}"""
    )


def ask_hostile_host(page, url: str, name: str = "Host wallet"):
    page.goto(url)
    widget = page.frame_locator("iframe")
    widget.locator("#widget[data-ready]").wait_for()
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name=name).click()
    return widget


def sign_there(widget) -> None:
    widget.get_by_label("Name to show on the list").fill("Nick")
    widget.get_by_role("button", name="Continue", exact=True).click()
    read_text(widget)
    widget.get_by_role("button", name="Sign with").click()


def test_host_cannot_submit_a_wallet_whose_key_it_has_not(embedded_page, page, browser_wallet):
    other = SigningKey.generate().sign(b"anything").signature
    url = hostile_page(
        embedded_page,
        embedded_page.host,
        connect={"value": [{"id": "a", "address": browser_wallet.address}]},
        sign={"value": base64.b64encode(other).decode()},
    )

    widget = ask_hostile_host(page, url)
    sign_there(widget)

    expect(widget.get_by_role("alert")).to_contain_text("The signature doesn't match this wallet")
    assert page.evaluate("asked.filter(kind => kind == 'embed:sign').length") == 1
    assert (
        embedded_page.client.get(
            f"/api/embed/tracking/{embedded_page.page_id}",
            headers={"Authorization": f"Bearer {embedded_page.secret_key}"},
        ).json["wallets"]
        == []
    )


def test_answers_of_a_host_are_read_as_those_of_a_wallet(embedded_page, page):
    no_account, failed = "shows no Solana account", "Your wallet couldn't do this."
    answers = [
        ({"value": [{"id": "a", "address": "<img src=x>"}]}, no_account),
        ([], no_account),
        ({"problem": {"code": "revoked_key", "retryAt": 9e15}}, failed),
        ({"problem": {"code": ["wallet_rejected"]}}, failed),
    ]
    widget = ask_hostile_host(page, hostile_page(embedded_page, embedded_page.host))
    expect(widget.get_by_text("Waiting for your wallet…")).to_be_visible()
    widget.get_by_role("button", name="Cancel").click()

    for answer, told in answers:
        page.evaluate("answer => answers['embed:connect'] = answer", answer)
        widget.get_by_role("button", name="Host wallet").click()
        expect(widget.get_by_role("alert")).to_contain_text(told)
        expect(widget.get_by_role("button", name="Try again")).to_be_enabled()


def test_list_of_a_host_is_cut_and_its_names_are_text(embedded_page, page):
    wallets = [{"id": str(n), "name": f"<b>{n}</b>", "icon": "javascript:1"} for n in range(999)]
    broken = [None, 1, {"id": 1, "name": "x"}, {"id": "x", "name": " "}]
    url = hostile_page(embedded_page, embedded_page.host, wallets=broken + wallets)

    widget = ask_hostile_host(page, url, name="<b>0</b>")

    expect(widget.locator("[data-wallets] button")).to_have_count(36)
    expect(widget.locator("[data-wallets] :is(b, img)")).to_have_count(0)


# Pages that nobody vouches for.


def expect_not_asked(embedded_page, page) -> None:
    widget = page.frame_locator("iframe")
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.get_by_text("No wallet found here.")).to_be_visible()
    embedded_page.settle(page)
    assert page.evaluate("asked") == []


def test_key_for_the_null_origin_borrows_from_no_site_that_is_not_on_its_list(embedded_page, page):
    key = embedded_page.make_key(
        "public", origins=[embedded_page.host.origin], allow_null_origin=True
    )
    other = HostSite("127.0.0.1")
    try:
        page.goto(hostile_page(embedded_page, other, key=key))
        expect_not_asked(embedded_page, page)
    finally:
        other.close()

    widget = ask_hostile_host(page, hostile_page(embedded_page, embedded_page.host, key=key))
    expect(widget.get_by_text("Waiting for your wallet…")).to_be_visible()
    assert page.evaluate("asked") == ["embed:wallets", "embed:connect"]


def test_page_with_the_null_origin_is_not_borrowed_from(embedded_page, page, watch):
    key = embedded_page.make_key("public", allow_null_origin=True)
    sandbox = {"Content-Security-Policy": "sandbox allow-scripts"}
    src = embedded_page.widget_url().replace(embedded_page.key, key)
    page.goto(
        embedded_page.host.show(
            f"""<link rel="icon" href="data:,"><script>{lending_script()}</script>
            <iframe src="{src}" onload="greet(this)"></iframe>""",
            **sandbox,
        )
    )
    widget = page.frame_locator("iframe")
    widget.locator("#widget[data-ready]").wait_for()
    assert page.evaluate("origin") == "null"

    widget.get_by_role("button", name="Add your wallet").click()

    widget.locator("#flow").wait_for()
    assert page.evaluate("asked") == []
    watch.seen[:] = [text for text in watch.seen if "blocked by CORS" not in text]


def test_window_beside_the_frame_cannot_lend(embedded_page, page):
    """Only the page around the frame can, not another frame of the same site."""
    sibling = embedded_page.host.show(
        """<script>
          addEventListener("message", () =>
            parent.frames[0].postMessage({kind: "embed:hello", lends: true}, "*"));
        </script>"""
    )
    url = embedded_page.host.show(
        f"""<link rel="icon" href="data:,"><script>{lending_script()}</script>
        <iframe src="{embedded_page.widget_url()}"></iframe><iframe src="{sibling}"></iframe>"""
    )
    page.goto(url)
    page.evaluate("frames[1].postMessage('greet', '*')")

    page.frame_locator("iframe >> nth=0").locator("#widget[data-ready]").wait_for()
    widget = page.frame_locator("iframe >> nth=0")
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.get_by_text("No wallet found here.")).to_be_visible()
    embedded_page.settle(page)
    assert page.evaluate("asked") == []


# Hostile frames: the service's document is replaced, and the host page has embed.js.

ASK = """
    const post = (kind, ...args) => {
      const {port1, port2} = new MessageChannel();
      parent.postMessage({kind, args}, "*", [port2]);
      return port1;
    };
    const ask = (kind, ...args) => new Promise((resolve) => {
      post(kind, ...args).onmessage = ({data}) => resolve(data);
    });
    const tell = (what) => console.log("told " + JSON.stringify(what));
"""


@pytest.fixture
def host_wallet(context, browser_wallet):
    """A wallet that declines to connect at first, so that the questions can be counted."""
    context.add_init_script(browser_wallet.script(where="top", refuse={"connect": []}))
    return browser_wallet


def take_over(page, embedded_page: EmbeddedPage, script: str) -> None:
    """Replace what the service shows in frames."""
    html = f'<link rel="icon" href="data:,"><button>Go</button><script>{ASK}{script}</script>'
    page.route(
        f"{embedded_page.service_url}/embed/tracking/*",
        lambda route: route.fulfill(body=html, content_type="text/html"),
    )


def hear(page, act) -> object:
    """Act, and return what the frame then tells. (Evaluating there would count as a click.)"""
    with page.expect_event("console", lambda message: message.text.startswith("told ")) as told:
        act()
    return json.loads(told.value.text.removeprefix("told "))


def press(page, number: int = 0) -> None:
    page.frame_locator(f"iframe >> nth={number}").get_by_role("button", name="Go").click()


def test_frame_cannot_ask_a_wallet_before_the_visitor_has_clicked(embedded_page, page, host_wallet):
    take_over(
        page,
        embedded_page,
        """let begun = false;
        addEventListener("message", async ({data}) => {
          if (data.kind !== "embed:hello" || begun) return;
          begun = true;
          const [wallet] = await ask("embed:wallets");
          tell([wallet.name, await ask("embed:connect", wallet.id)]);
        });""",
    )

    name, answer = hear(page, lambda: page.goto(embedded_page.host_page()))

    assert name == "Test wallet"
    assert answer["problem"]["code"] == "host_refused"


def test_frame_can_have_no_other_text_signed_than_the_services(embedded_page, page, host_wallet):
    host = embedded_page.service_url.partition("://")[2]
    ours = f"""{host} asks for proof that you own this wallet.

Wallet: {host_wallet.address}

Signing is free. This signature does not authorize any transaction."""
    others = ["Send everything", ours.replace(host_wallet.address, "1" * 32), "\x01" + "\0" * 200]
    take_over(
        page,
        embedded_page,
        f"""document.querySelector("button").addEventListener("click", async () => {{
          const [wallet] = await ask("embed:wallets");
          const {{value: [account]}} = await ask("embed:connect", wallet.id);
          const answers = [];
          for (const text of {json.dumps([*others, ours])}) {{
            answers.push(await ask("embed:sign", account.id, text));
          }}
          tell(answers);
        }});""",
    )
    page.goto(embedded_page.host_page())

    *refused, signed = hear(page, lambda: press(page))

    assert [answer["problem"]["code"] for answer in refused] == ["host_refused"] * len(others)
    assert "value" in signed  # else the test is void
    assert page.evaluate("testWallet.signed") == [ours]


def test_frame_cannot_flood_the_visitor_with_questions(embedded_page, page, host_wallet):
    take_over(
        page,
        embedded_page,
        """document.querySelector("button").addEventListener("click", async () => {
          const [wallet] = await ask("embed:wallets");
          for (let count = 0; count < 50; count++) {
            post("embed:connect", wallet.id).postMessage("abort");
          }
          for (let count = 0; count < 50; count++) await ask("embed:connect", wallet.id);
          tell(null);
        });""",
    )
    page.goto(embedded_page.host_page())
    page.evaluate("refusal => testWallet.refuse.connect = Array(200).fill(refusal)", {"code": 4001})

    hear(page, lambda: press(page))

    asked = 200 - page.evaluate("testWallet.refuse.connect.length")
    assert 1 <= asked <= 6


def test_frame_cannot_use_an_account_that_another_frame_has_connected(
    embedded_page, page, host_wallet
):
    take_over(
        page,
        embedded_page,
        """document.querySelector("button").addEventListener("click", async () => {
          const [wallet] = await ask("embed:wallets");
          tell(frames.name || parent.frames[0] === self
            ? await ask("embed:connect", wallet.id)
            : await ask("embed:sign", "0", "x"));
        });""",
    )
    frame = f'<iframe src="{embedded_page.widget_url()}"></iframe>'
    script = f'<script src="{embedded_page.service_url}/embed.js"></script>'
    page.goto(embedded_page.host.show(f"<link rel=icon href='data:,'>{frame}{frame}{script}"))

    assert hear(page, lambda: press(page))["value"][0]["id"] == "0"
    assert hear(page, lambda: press(page, 1))["problem"]["code"] == "wallet_failed"


def test_frames_of_others_borrow_nothing(embedded_page, page, host_wallet):
    """Neither a frame of another origin, nor one that the service's frame contains."""
    attacker = HostSite("127.0.0.1")
    beg = f"""<script>{ASK}
      for (const target of new Set([parent, top])) {{
        target.postMessage({{kind: "embed:wallets", args: []}}, "*", [new MessageChannel().port2]);
      }}
    </script>"""
    inner = f"{embedded_page.service_url}/inner"
    page.route(inner, lambda route: route.fulfill(body=beg, content_type="text/html"))
    take_over(page, embedded_page, "")
    loaded = []
    page.on("request", lambda request: loaded.append(request.url))
    try:
        page.goto(embedded_page.host_page())
        page.evaluate(
            "window.heard = []; addEventListener('message', ({data}) => heard.push(data))"
        )
        frame = frame_of(page, embedded_page.service_url)
        add = "src => document.body.append(Object.assign(document.createElement('iframe'), {src}))"
        frame.evaluate(add, inner)
        page.evaluate(add, attacker.show(beg))
        page.wait_for_function("heard.filter(({kind}) => kind == 'embed:wallets').length == 2")
    finally:
        attacker.close()

    assert [url for url in loaded if url.endswith("lend.js")] == []
