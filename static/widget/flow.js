// The way from a wallet to a submission, one step at a time.

import { Problem } from "./api.js";
import { isAddress, normalizeSignature } from "./codec.js";
import { explain, say } from "./words.js";

const FRESH_TEXT_CODES = new Set(["invalid_nonce", "nonce_binding_mismatch"]);
const NICKNAME_CODES = new Set(["invalid_nickname_length", "invalid_nickname_chars"]);

// As the server checks it (embed/domain/nicknames.py); it has the last word.
const HIDDEN = "\\p{Default_Ignorable_Code_Point}\\u{13441}\\u{13442}\\u{16FE4}";
const NICKNAME = new RegExp(
  `^(?:[\\p{L}--[${HIDDEN}]]` +
    `[\\p{M}--[\\p{Me}\\p{Script=Common}\\p{Script=Inherited}${HIDDEN}]]{0,4}` +
    "|[\\p{N} ._\\-])+$", "v");

/** Return the code of what is wrong with a nickname, or null. */
export function checkNickname(raw) {
  const nickname = raw.trim().normalize("NFKC").trim();
  const length = [...nickname].length;
  if (length < 1 || length > 32) return "invalid_nickname_length";
  return NICKNAME.test(nickname) ? null : "invalid_nickname_chars";
}

export class Flow {
  /**
   * `root` is the section of flow.html. `service` has createNonce(address) and submit(draft).
   * `on` has close(), done({address, submissionId, status}) and, where a window of its own
   * can be opened, openWindow().
   */
  constructor(root, { service, on }) {
    this.root = root;
    this.service = service;
    this.on = on;
    this.wallets = [];
    this.account = null;
    this.nonce = null;
    this.nickname = "";
    this.last = null; // what "try again" does
    this.turn = 0; // goes up when the visitor leaves a step that is still awaited
    this.#listen();
    this.#when("can-open-window", Boolean(on.openWindow));
    const phone = navigator.maxTouchPoints > 0 && matchMedia("(pointer: coarse)").matches;
    this.isPhone = phone;
  }

  start() {
    this.account = this.nonce = null;
    this.#show("choose");
  }

  showWallets(wallets) {
    this.wallets = wallets;
    const list = this.#one("[data-wallets]");
    list.replaceChildren(...wallets.map((wallet) => this.#makeChoice(wallet)));
    const hasNone = wallets.length === 0;
    this.#when("no-wallet", hasNone && !this.isPhone);
    this.#when("desktop-without-wallet", hasNone && !this.isPhone);
    this.#when("phone", hasNone && this.isPhone);
  }

  showElsewhere() {
    this.#show("elsewhere");
  }

  /** Explain a problem; `retry` is done again on demand. */
  fail(problem, retry = null) {
    this.#busy("");
    const known = problem instanceof Problem ? problem : new Problem("server");
    if (!(problem instanceof Problem)) console.error(problem);
    this.last = retry;
    const box = this.#one("[data-problem]");
    const sentence = this.#one("[data-sentence]");
    const button = this.#one("[data-do=retry]");
    clearInterval(this.timer);
    const tick = () => {
      const wait = known.retryAt !== null && known.retryAt > Date.now();
      sentence.textContent = explain(known);
      button.disabled = wait;
      if (!wait) clearInterval(this.timer);
    };
    button.hidden = retry === null;
    box.hidden = false;
    sentence.removeAttribute("aria-live");
    tick();
    if (known.retryAt === null) return;
    this.timer = setInterval(() => {
      // Counting down aloud would never end: the first sentence is read out, the rest is seen.
      sentence.setAttribute("aria-live", "off");
      tick();
    }, 1000);
  }

  finish(result) {
    this.#when("pending", result.status === "pending");
    this.#when("auto_approved", result.status === "auto_approved");
    this.#show("done");
    this.on.done(result);
  }

  // Steps

  #connect(wallet) {
    const retry = () => this.#connect(wallet);
    return this.#try("connecting", retry, () => wallet.connect(), (account) => {
      this.account = account;
      this.#askNickname();
    });
  }

  #askNickname() {
    this.#one("[data-show=address]").textContent = this.account.address;
    this.#show("nickname");
    const input = this.#one("[name=nickname]");
    input.value = this.nickname;
    input.focus();
  }

  #askText() {
    const ask = () => this.service.createNonce(this.account.address);
    return this.#try("preparing", () => this.#askText(), ask, (nonce) => {
      this.nonce = nonce;
      this.#showText();
    });
  }

  #showText() {
    const byHand = !this.account.sign;
    this.#one("[data-show=message]").textContent = this.nonce.message;
    this.#when("signs-itself", !byHand);
    this.#when("by-hand", byHand);
    this.#one("[name=signature]").value = "";
    this.#show("confirm");
    this.#one("[data-show=message]").focus();
  }

  #sign() {
    const sign = () => this.account.sign(this.nonce.message);
    return this.#try("signing", () => this.#sign(), sign, (signature) => {
      this.signature = signature;
      return this.#send();
    });
  }

  #send() {
    const { address } = this.account;
    const draft = {
      walletAddress: address,
      nickname: this.nickname,
      nonceId: this.nonce.nonceId,
      signature: this.signature,
    };
    const submit = () => this.service.submit(draft);
    return this.#try("sending", () => this.#send(), submit, (answer) => {
      this.finish({ address, ...answer });
    });
  }

  /** Do `work`, then `next` with its result, unless the visitor has gone elsewhere meanwhile. */
  async #try(busy, retry, work, next) {
    const turn = this.turn;
    this.#clearProblem();
    this.#busy(say(busy));
    this.root.setAttribute("aria-busy", "true");
    try {
      const result = await work();
      if (turn !== this.turn) return;
      this.#busy("");
      await next(result);
    } catch (problem) {
      if (turn === this.turn) await this.#recover(problem, retry);
    } finally {
      if (turn === this.turn) this.root.removeAttribute("aria-busy");
    }
  }

  /** Forget what is still awaited: a wallet may answer long after the visitor has left. */
  #leave() {
    this.turn += 1;
    this.#busy("");
    this.root.removeAttribute("aria-busy");
  }

  async #recover(problem, retry) {
    if (FRESH_TEXT_CODES.has(problem.code)) {
      try {
        this.nonce = await this.service.createNonce(this.account.address);
        this.#showText();
        this.fail(problem);
      } catch (other) {
        this.fail(other, () => this.#askText());
      }
    } else if (NICKNAME_CODES.has(problem.code)) {
      this.#askNickname();
      this.fail(problem);
    } else if (problem.code === "invalid_wallet_address") {
      this.start();
      this.fail(problem);
    } else if (problem.code === "invalid_signature") {
      this.fail(problem, this.account.sign ? () => this.#sign() : null);
    } else {
      this.fail(problem, retry);
    }
  }

  // The page

  #listen() {
    const actions = {
      close: () => {
        this.#leave();
        this.on.close();
      },
      back: () => this.#goBack(),
      sign: () => this.#sign(),
      retry: () => this.last?.(),
      "open-window": () => this.on.openWindow(),
      "copy-message": (button) => copyText(this.nonce.message, button),
    };
    this.root.addEventListener("click", (event) => {
      const button = event.target.closest("[data-do]");
      if (button && !button.disabled && !this.#isBusy(button)) actions[button.dataset.do](button);
    });
    this.#one("[data-form=hand]").addEventListener("submit", (event) => {
      event.preventDefault();
      const address = event.target.elements.address.value.trim();
      if (!isAddress(address)) return this.fail(new Problem("invalid_wallet_address"));
      this.account = { address };
      this.#askNickname();
    });
    const nicknameForm = this.#one("[data-step=nickname]");
    const tell = () => {
      const code = checkNickname(nicknameForm.elements.nickname.value);
      this.#one("#nickname-problem").textContent = code ? say(code) : "";
      nicknameForm.elements.nickname.setAttribute("aria-invalid", String(Boolean(code)));
      return code;
    };
    nicknameForm.addEventListener("input", tell);
    nicknameForm.addEventListener("submit", (event) => {
      event.preventDefault();
      this.nickname = nicknameForm.elements.nickname.value;
      if (tell()) return nicknameForm.elements.nickname.focus();
      this.#askText();
    });
    this.#one("[data-form=signature]").addEventListener("submit", (event) => {
      event.preventDefault();
      this.signature = normalizeSignature(event.target.elements.signature.value);
      if (!this.signature) return this.fail(new Problem("bad_signature_form"));
      this.#send();
    });
  }

  #goBack() {
    this.#leave();
    if (this.step === "confirm") this.#askNickname();
    else this.start();
  }

  #isBusy(button) {
    // Leaving is always possible, doing something twice at once is not.
    return this.root.hasAttribute("aria-busy") && !["back", "close"].includes(button.dataset.do);
  }

  #makeChoice(wallet) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    if (/^data:image\/(svg\+xml|webp|png|gif);base64,/.test(wallet.icon ?? "")) {
      const icon = new Image(24, 24);
      icon.alt = "";
      icon.src = wallet.icon;
      button.append(icon);
    }
    button.append(say("use_wallet", { wallet: wallet.name }));
    button.addEventListener("click", () => {
      if (!this.root.hasAttribute("aria-busy")) this.#connect(wallet);
    });
    item.append(button);
    return item;
  }

  #show(step) {
    this.step = step;
    this.#clearProblem();
    for (const part of this.root.querySelectorAll("[data-step]")) {
      part.hidden = part.dataset.step !== step;
    }
    this.root.hidden = false;
    this.#one("#flow-title").focus();
  }

  #clearProblem() {
    clearInterval(this.timer);
    this.#one("[data-problem]").hidden = true;
    this.#one("[data-sentence]").textContent = "";
  }

  #busy(text) {
    this.#one("[data-busy]").textContent = text;
  }

  #when(name, isTrue) {
    for (const part of this.root.querySelectorAll(`[data-if="${name}"]`)) part.hidden = !isTrue;
  }

  #one(selector) {
    return this.root.querySelector(selector);
  }
}

/** Copy text and say so on the button. */
export async function copyText(text, button) {
  if (!copyBySelection(text)) await navigator.clipboard.writeText(text);
  button.focus();
  button.dataset.label ??= button.textContent;
  button.textContent = say("copied");
  setTimeout(() => (button.textContent = button.dataset.label), 2000);
}

/** Copy in the old way, which is the only one that a frame on another site is allowed. */
function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.className = "hidden-visually";
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  return isDone;
}
