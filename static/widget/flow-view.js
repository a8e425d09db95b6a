// The flow's section in the page (flow.html): shows the current step, problems, and a wallet's records, and
// passes visitors' choices and input to the flow when they're well-formed.

import { findAround, getElement, showWhole } from "../elements.js";
import { Problem } from "./api.js";
import { findAddress, findSignature, isPrivateKey } from "./wallets.js";
import { copyText, explain, formatAmount, formatDuration, formatInstant, isolate, say } from "./words.js";

/**
 * @import { Flow, Result } from "./flow.js"
 * @import { Answer, Balance, Purpose, PurposeName, Records, Withdrawal } from "./flow-setup.js"
 * @import { Account, Wallet } from "./wallets.js"
 * @typedef {{ site: string | null, symbol: string, minimum: string }} About the origin of the site that
 *   shows the list, if the service vouches for it, the list's token, and its minimum balance
 */

const LEAVING = ["back", "cancel", "close", "enter-address", "open-window", "reload"];
// While waiting for a wallet, which may never answer.
const CAN_CANCEL = new Set(["connecting", "signing", "signing_again"]);

export class FlowView {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.step = "";
    this.title = this.#get("#flow-title");
    this.purposeTitle = ""; // for steps without their own title
    /** @type {object | null} */
    this.purpose = null;
    this.isPhone = navigator.maxTouchPoints > 0 && matchMedia("(pointer: coarse)").matches;
    /** @type {About} */
    this.about = { site: null, symbol: "", minimum: "" };
    this.problem = new ProblemBox(root);
    this.choice = getElement(root, "[data-choice]", HTMLTemplateElement);
    this.choices = new WalletChoices(this.#get("[data-wallets]"), this.choice, {
      choose: (wallet) => this.flow?.choose(wallet),
      loseFocus: () => this.title.focus(),
    });
    this.hand = new HandSigning(root, (signature) => this.flow?.enterSignature(signature));
    getElement(root, "[data-command]", HTMLDetailsElement).open = !this.isPhone; // it repeats the text
    const place = window.parent === window ? "top" : "frame";
    for (const part of this.#findAll("[data-where]")) part.hidden = part.dataset.where !== place;
  }

  /** The page's minimum balance in a sentence; empty if there's none. */
  get minimum() {
    return this.#get("[data-show=minimum]").textContent;
  }

  set minimum(sentence) {
    this.#get("[data-show=minimum]").textContent = sentence;
  }

  /** @param {Flow} flow gets the visitor's actions */
  listen(flow) {
    this.flow = flow;
    const address = getElement(this.root, "[name=address]", HTMLInputElement);
    const nickname = getElement(this.root, "[name=nickname]", HTMLInputElement);
    nickname.addEventListener("input", () => this.#judgeNickname(nickname));
    this.#listenToButtons({
      back: () => flow.back(),
      cancel: () => flow.cancel(),
      close: () => flow.close(),
      reload: () => location.reload(),
      restart: () => flow.start({ ...flow.purpose, address: undefined, nickname: undefined }),
      retry: () => flow.retry(),
      "show-wallet": () => flow.showWallet(),
      sign: () => flow.sign(),
      withdraw: () => flow.withdraw(),
      "open-window": () => flow.openWindow(),
      // Not from the page, since translators change it.
      "copy-message": (button) => copyText(flow.nonce.message, button),
      "copy-own-page": (button) => copyText(getElement(this.root, "[data-own-page] a", HTMLAnchorElement).href, button),
      "copy-command": (button) => copyText(this.hand.command, button),
      "enter-address": () => {
        const entered = findAddress(address.value);
        if (!entered) return flow.fail(new Problem("invalid_wallet_address"));
        address.value = entered;
        flow.enterAddress(entered);
      },
      "enter-nickname": () => {
        if (this.#judgeNickname(nickname)) flow.enterNickname(nickname.value);
        else nickname.focus();
      },
      "enter-signature": () => this.hand.send(),
    });
  }

  /**
   * A form's button, which Enter also clicks, is one of them, since a sandbox may allow no forms.
   * @param {Record<string, (button: HTMLElement) => void>} actions
   */
  #listenToButtons(actions) {
    this.root.addEventListener("click", (event) => {
      this.pressed = findAround(event, "button");
    }, true);
    this.root.addEventListener("click", (event) => {
      const button = findAround(event, "button[data-do]:enabled");
      if (!button) return;
      event.preventDefault(); // no form is sent
      const name = button.dataset.do ?? "";
      // Leaving is always possible; other actions are ignored while one is in progress.
      if (this.root.hasAttribute("aria-busy") && !LEAVING.includes(name)) return;
      actions[name]?.(button);
    });
  }

  /**
   * Explain next to the field why the nickname is invalid; return whether it's valid.
   * @param {HTMLInputElement} input
   */
  #judgeNickname(input) {
    const code = checkNickname(input.value);
    this.#get("#nickname-problem").textContent = code ? say(code) : "";
    input.setAttribute("aria-invalid", String(code !== null));
    return code === null;
  }

  // Steps

  /**
   * Show only this purpose's sentences, use its title, and fill in its names.
   * @param {Pick<Purpose, "name" | "address" | "nickname">} purpose
   */
  showPurpose(purpose) {
    for (const part of this.#findAll("[data-purpose]")) {
      part.hidden = !part.dataset.purpose?.split(" ").includes(purpose.name);
      if (!part.hidden) this.purposeTitle = part.dataset.title ?? this.purposeTitle;
    }
    if (purpose === this.purpose) return; // started again; keep what was typed
    this.purpose = purpose;
    const { address = "", nickname } = purpose;
    this.#showIf("wanted", address !== "");
    this.#get("[data-show=wanted]").textContent = address;
    if (address) getElement(this.root, "[name=address]", HTMLInputElement).value = address;
    if (nickname) getElement(this.root, "[name=nickname]", HTMLInputElement).value = nickname;
  }

  /** @param {string} step */
  showStep(step) {
    this.step = step;
    this.problem.clear();
    clearInterval(this.countdown);
    this.title.textContent = this.purposeTitle;
    const places = [...this.#findAll("[data-at]")];
    for (const place of places) {
      const isHere = place.dataset.at?.split(" ").includes(step);
      if (isHere) place.setAttribute("aria-current", "step");
      else place.removeAttribute("aria-current");
    }
    this.#get("[data-steps]").hidden = !places.some((place) => place.hasAttribute("aria-current"));
    for (const part of this.#findAll("[data-step]")) {
      part.hidden = part.dataset.step !== step;
      if (!part.hidden) this.title.textContent = part.dataset.title ?? this.purposeTitle;
    }
    this.root.hidden = false;
    this.title.focus();
    showWhole(this.root);
  }

  /**
   * @param {Wallet[]} wallets
   * @param {string | null} [lender] the origin of the host page that lends some of them
   */
  showWallets(wallets, lender = null) {
    this.choices.show(wallets);
    const note = this.#get("[data-lent]");
    note.hidden = lender === null;
    if (lender) showSentence("lent_by", { site: lender }, note);
    const hasNone = wallets.length === 0;
    this.#showIf("no-wallet", hasNone && !this.isPhone);
    this.#showIf("desktop", !this.isPhone);
    this.#showIf("phone", hasNone && this.isPhone);
  }

  /** @param {Account[]} accounts */
  showAccounts(accounts) {
    const choices = makeAccountChoices(this.choice, accounts, (account) => this.flow?.chooseAccount(account));
    this.#get("[data-accounts]").replaceChildren(...choices);
    this.showStep("account");
  }

  /** @param {string} address */
  showNickname(address) {
    this.#get("[data-show=address]").textContent = address;
    this.showStep("nickname");
    this.#get("[name=nickname]").focus(); // it still contains the previous input
  }

  /**
   * @param {string} message
   * @param {{ wallet: string | null, nickname: string, endsAt: number }} options the name of the signing
   *   wallet, or null if the visitor signs by hand, and until when the text can be signed
   */
  showText(message, { wallet, nickname, endsAt }) {
    const text = this.#get("[data-show=message]");
    text.textContent = message;
    this.#showIf("signs-itself", wallet !== null);
    this.#showIf("by-hand", wallet === null);
    if (wallet !== null) showSentence("sign_with", { wallet: cleanName(wallet) || "Solana" }, this.#get("[data-do=sign]"));
    this.hand.show(message);
    this.showKeeper(this.#get("[data-show=keeper]"));
    this.#showForSite("public_on", "public_here", { name: nickname }, this.#get("[data-show=public]"));
    this.showStep("confirm");
    this.#countDown(endsAt);
    text.focus({ preventScroll: true }); // so it's read out; the content above stays in view
  }

  /**
   * Say in an element who keeps the list, and for which site.
   * @param {Element} element
   */
  showKeeper(element) {
    this.#showForSite("keeps_for", "keeps", { host: location.host, symbol: `$${this.about.symbol}` }, element);
  }

  /**
   * Show the sentence `named` with the site that shows the list, or `nameless` if it's unknown.
   * @param {string} named
   * @param {string} nameless
   * @param {Record<string, string>} values
   * @param {Element} element
   */
  #showForSite(named, nameless, values, element) {
    const { site } = this.about;
    if (site) showSentence(named, { ...values, site: new URL(site).host }, element);
    else showSentence(nameless, values, element);
  }

  /** @param {number} endsAt */
  #countDown(endsAt) {
    const shown = this.#get("[data-show=time-left]");
    const tick = () => {
      const seconds = (endsAt - Date.now()) / 1000;
      shown.textContent = seconds > 0 ? say("time_left", { time: formatDuration(seconds) }) : say("time_over");
    };
    shown.textContent = "";
    if (endsAt === Infinity) return;
    tick();
    this.countdown = setInterval(tick, 1000);
  }

  /**
   * @param {PurposeName} purpose
   * @param {Result} result of a submission or another purpose
   */
  showDone(purpose, result) {
    if (purpose === "show") {
      showRecords(this.root, /** @type {Records} */ (result));
      return this.showStep("records");
    }
    if (purpose === "withdraw") {
      const { leftList, staysListed } = /** @type {Withdrawal} */ (result);
      this.#showIf("left-list", leftList);
      this.#showIf("stays-listed", staysListed);
      return this.showStep("withdrawn");
    }
    const { status, receipt = null } = /** @type {Answer} */ (result);
    const sent = this.#get("[data-show=sent]");
    showSentence(status === "pending" ? "sent_pending" : "sent_approved", { name: result.nickname }, sent);
    const link = getElement(this.root, "[data-show=receipt]", HTMLAnchorElement);
    link.hidden = receipt === null;
    link.href = receipt ?? "";
    this.showStep("done");
  }

  // Waiting and problems

  /** @param {string} sentence the key of the sentence to show while waiting */
  startWaiting(sentence) {
    this.problem.clear();
    this.#get("[data-busy]").textContent = say(sentence);
    const cancel = this.#get("[data-if=can-cancel]");
    cancel.hidden = !CAN_CANCEL.has(sentence);
    cancel.scrollIntoView({ block: "nearest" }); // it's below the step, which may be long
    this.pressed?.classList.add("busy");
    this.root.setAttribute("aria-busy", "true");
  }

  stopWaiting() {
    this.#get("[data-busy]").textContent = "";
    const cancel = this.#get("[data-if=can-cancel]");
    if (cancel.contains(document.activeElement)) this.title.focus();
    cancel.hidden = true;
    this.root.querySelector(".busy")?.classList.remove("busy");
    this.root.removeAttribute("aria-busy");
  }

  /**
   * @param {Problem} problem
   * @param {{ canRetry: boolean, canShow: boolean }} options
   */
  showProblem(problem, options) {
    this.#get("[data-busy]").textContent = "";
    problem.details.symbol = `$${this.about.symbol}`;
    const isRefused = this.step === "refused";
    const isDuplicate = problem.code.startsWith("duplicate");
    if (isRefused) this.title.textContent = say(isDuplicate ? "already_here" : "not_added");
    this.problem.show(problem, { ...options, isRefused });
  }

  /**
   * @param {string} name
   * @param {boolean} isTrue
   */
  #showIf(name, isTrue) {
    for (const part of this.#findAll(`[data-if="${name}"]`)) part.hidden = !isTrue;
  }

  /** @param {string} selector */
  #get(selector) {
    return getElement(this.root, selector, HTMLElement);
  }

  /**
   * @param {string} selector
   * @returns {NodeListOf<HTMLElement>}
   */
  #findAll(selector) {
    return this.root.querySelectorAll(selector);
  }
}

// The buttons to choose a wallet and one of its accounts. Wallets choose their own names, which may be
// long, empty or alike.

const ICON = /^data:image\/(svg\+xml|webp|png|gif);base64,/;
const UNNAMED = "Solana";
const MAX_NAME_LENGTH = 40; // code points

// Control and invisible characters, which could make names look alike.
const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/** The wallets' buttons. Existing ones stay unchanged, so they keep the focus. */
class WalletChoices {
  /** @type {Map<Wallet, HTMLElement>} */
  #items = new Map(); // in the order shown

  /**
   * @param {HTMLElement} list
   * @param {HTMLTemplateElement} template an item's template
   * @param {{ choose: (wallet: Wallet) => void, loseFocus: () => void }} on
   */
  constructor(list, template, on) {
    this.list = list;
    this.template = template;
    this.on = on;
  }

  /** @param {Wallet[]} wallets each with the same object as before */
  show(wallets) {
    const lost = this.#removeAllBut(new Set(wallets));
    // Late ones are added at the end, so buttons that the visitor may be about to press stay in place.
    for (const wallet of wallets) {
      if (this.#items.has(wallet)) continue;
      const item = this.#make(wallet);
      this.#items.set(wallet, item);
      this.list.append(item);
    }
    this.#label();
    if (lost !== null) this.#moveFocus(lost);
  }

  /**
   * Remove wallets that are gone; return the label of the focused one, or null.
   * @param {Set<Wallet>} wallets
   */
  #removeAllBut(wallets) {
    let lost = null;
    for (const [wallet, item] of this.#items) {
      if (wallets.has(wallet)) continue;
      if (item.contains(document.activeElement)) lost = readName(item);
      item.remove();
      this.#items.delete(wallet);
    }
    return lost;
  }

  #label() {
    const labels = labelWallets([...this.#items.keys()].map(({ name }) => name), UNNAMED);
    [...this.#items.values()].forEach((item, index) => {
      const name = item.querySelector("bdi");
      if (name && name.textContent !== labels[index]) name.textContent = labels[index];
    });
  }

  /** @param {string} label */
  #moveFocus(label) {
    const same = [...this.#items.values()].find((item) => readName(item) === label);
    if (same) same.querySelector("button")?.focus();
    else this.on.loseFocus();
  }

  /** @param {Wallet} wallet */
  #make(wallet) {
    const { site } = wallet;
    const found = site ? say("found_on", { site: new URL(site).host }) : say("found_here");
    const item = makeItem(this.template, { detail: found }, () => this.on.choose(wallet));
    if (typeof wallet.icon === "string" && ICON.test(wallet.icon)) {
      const icon = new Image(32, 32);
      icon.alt = "";
      icon.src = wallet.icon;
      item.querySelector(".logo")?.replaceChildren(icon);
    }
    return item;
  }
}

/**
 * Return a list item with a button for each account, with its label and full address.
 * @param {HTMLTemplateElement} template
 * @param {Account[]} accounts
 * @param {(account: Account) => void} choose
 */
function makeAccountChoices(template, accounts, choose) {
  return accounts.map((account) => {
    const code = document.createElement("code");
    code.textContent = account.address;
    code.dir = "ltr";
    code.translate = false;
    return makeItem(template, { name: cleanName(account.label), detail: code }, () => choose(account));
  });
}

/**
 * @param {HTMLTemplateElement} template
 * @param {{ name?: string, detail: Node | string }} contents
 * @param {() => void} onClick
 */
function makeItem(template, { name = "", detail }, onClick) {
  const item = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
  getElement(item, "bdi", HTMLElement).textContent = name;
  getElement(item, "small", HTMLElement).append(detail);
  getElement(item, "button", HTMLButtonElement).addEventListener("click", onClick);
  return item;
}

// Names

/** @param {HTMLElement} item */
const readName = (item) => getElement(item, "bdi", HTMLElement).textContent;

/**
 * Return the name in one line, shortened and without hidden characters; it may be empty.
 * @param {unknown} raw
 */
export function cleanName(raw) {
  if (typeof raw !== "string") return "";
  const characters = [...raw.slice(0, 1000).replace(/\s+/gu, " ").replace(HIDDEN, "").trim()];
  if (characters.length <= MAX_NAME_LENGTH) return characters.join("");
  return `${characters.slice(0, MAX_NAME_LENGTH - 1).join("").trim()}…`;
}

/**
 * Return a label for each name; if some are alike, the later ones get a number.
 * @param {string[]} raw
 * @param {string} unnamed the label of a wallet without a name
 */
export function labelWallets(raw, unnamed) {
  const taken = new Set();
  return raw.map((one) => {
    const name = cleanName(one) || unnamed;
    let label = name;
    for (let number = 2; taken.has(fold(label)); number++) label = `${name} (${number})`;
    taken.add(fold(label));
    return label;
  });
}

/** @param {string} label */
const fold = (label) => label.normalize("NFKC").toLowerCase();

// The rules for nicknames, the same as on the server (embed/domain/nicknames.py), which decides.
// tests/support/nickname_cases.json checks that both agree.

const MAX_LENGTH = 32; // code points, after normalization

// White space as Python defines it; trim() differs at both ends of the table.
const WHITE_SPACE = "[\\p{White_Space}\\x1c-\\x1f]+";
const AROUND = new RegExp(`^${WHITE_SPACE}|${WHITE_SPACE}$`, "gu");

const INVISIBLE = "\\p{Default_Ignorable_Code_Point}\\u{13441}\\u{13442}\\u{16FE4}";
const ALLOWED = new RegExp(
  `^(?:(?![${INVISIBLE}])\\p{L}` +
    `(?:(?![\\p{Me}\\p{Script=Common}\\p{Script=Inherited}${INVISIBLE}])\\p{M}){0,4}` +
    "|[\\p{N} ._\\-])+$", "u");

/** @param {string} text */
const trim = (text) => text.replace(AROUND, "");

/**
 * Return the nickname as the server stores it: trimmed, NFKC.
 * @param {string} raw
 */
export function normalizeNickname(raw) {
  // NFKC can produce white space at the ends, so trim before and after it.
  return trim(trim(raw).normalize("NFKC"));
}

/**
 * Return the error code for an invalid nickname, or null.
 * @param {string} raw
 * @returns {"invalid_nickname_length" | "invalid_nickname_chars" | null}
 */
export function checkNickname(raw) {
  const nickname = normalizeNickname(raw);
  const length = [...nickname].length;
  if (length < 1 || length > MAX_LENGTH) return "invalid_nickname_length";
  return ALLOWED.test(nickname) ? null : "invalid_nickname_chars";
}

// Signing by hand: shows the Solana command to run, quoted for the visitor's shell, and reads the
// signature that it printed.

/** @typedef {"posix" | "powershell"} Shell */

const ASCII = /^[\n -~]*$/; // what a Ledger shows as text
const PLAIN = /^[\w./][\w+=:./-]*$/; // needs no quotes in any of these shells
const HOME = "~/";

class HandSigning {
  /**
   * @param {HTMLElement} root the section of flow.html
   * @param {(signature: string) => void} enter is called with a well-formed signature
   */
  constructor(root, enter) {
    this.enter = enter;
    this.message = this.command = "";
    this.address = getElement(root, "[name=address]", HTMLInputElement);
    this.shell = getElement(root, "[name=shell]", HTMLSelectElement);
    this.key = getElement(root, "[name=key]", HTMLInputElement);
    this.shownCommand = getElement(root, "[data-show=command]", HTMLElement);
    this.hint = getElement(root, "[data-if=beyond-ascii]", HTMLElement);
    this.field = getElement(root, "[name=signature]", HTMLTextAreaElement);
    this.advice = getElement(root, "#signature-problem", HTMLElement);
    this.shell.value = guessShell();
    this.shell.addEventListener("change", () => this.#showCommand());
    this.key.addEventListener("input", () => this.#showCommand());
    this.field.addEventListener("input", () => this.#advise(null));
  }

  /**
   * Show the command for a message and clear the field for its signature.
   * @param {string} message
   */
  show(message) {
    this.message = message;
    this.hint.hidden = ASCII.test(message);
    this.field.value = "";
    this.#advise(null);
    this.#showCommand();
  }

  #showCommand() {
    const shell = /** @type {Shell} */ (this.shell.value);
    this.command = buildCommand(this.message, { shell, key: this.key.value.trim() });
    this.shownCommand.textContent = this.command;
  }

  send() {
    const pasted = this.field.value;
    const isSecret = isPrivateKey(pasted, this.address.value);
    const signature = isSecret ? null : findSignature(pasted);
    if (signature) return this.enter(signature);
    this.#advise(isSecret ? say("private_key") : say("bad_signature_form"));
    if (isSecret) this.field.value = "";
    this.field.focus();
  }

  /** @param {string | null} advice what is wrong with the text in the field */
  #advise(advice) {
    this.advice.textContent = advice;
    this.field.setAttribute("aria-invalid", String(advice !== null));
  }
}

// The command

/**
 * Return the command that signs `message` with `key`: a file, or a device such as usb://ledger. Without
 * a key, the command uses its own.
 * @param {string} message
 * @param {{ shell: Shell, key: string }} options
 */
export function buildCommand(message, { shell, key }) {
  const options = key ? ["-k", quoteKey(key, shell)] : [];
  return ["solana", "sign-offchain-message", ...options, quote(message, shell)].join(" ");
}

/**
 * Quote `text` as one argument that arrives unchanged.
 * @param {string} text
 * @param {Shell} shell
 */
export function quote(text, shell) {
  if (PLAIN.test(text)) return text;
  return shell === "powershell" ? `"${escapeForPowerShell(text)}"` : quoteForPosix(text);
}

/** @param {string} text */
const quoteForPosix = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Escape characters that are special inside PowerShell's double quotes; some curly quotes count as straight.
 * Line breaks are written as `n: Windows' clipboard turns them into CRLF, and pasting line by line would
 * run part of the command.
 * @param {string} text
 */
const escapeForPowerShell = (text) =>
  text.replace(/[`$"\u201c-\u201e]/g, "`$&").replaceAll("\n", "`n");

/**
 * Quote a path; a leading ~ means the home directory, even in PowerShell, which only expands $HOME.
 * @param {string} key
 * @param {Shell} shell
 */
function quoteKey(key, shell) {
  if (!key.startsWith(HOME)) return quote(key, shell);
  const rest = key.slice(HOME.length);
  if (shell === "powershell") return `"$HOME/${escapeForPowerShell(rest)}"`;
  return rest ? HOME + quote(rest, shell) : HOME;
}

/** Return the usual shell of the visitor's system. */
export function guessShell() {
  const { platform } = /** @type {{ userAgentData?: { platform?: string } }} */ (navigator).userAgentData ?? {};
  return /^win/i.test(platform || navigator.platform) ? "powershell" : "posix";
}

// The flow's box that explains a problem and when to try again.

// Without a signing window, the list still works as its own page.
const WINDOW_CODES = new Set([
  "window_blocked", "window_cut_off", "window_disconnected", "window_unreached",
]);

class ProblemBox {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.box = getElement(root, "[data-problem]", HTMLElement);
    this.sentence = getElement(root, "[data-sentence]", HTMLElement);
    this.retry = getElement(root, "[data-do=retry]", HTMLButtonElement);
    this.showWallet = getElement(root, "[data-do=show-wallet]", HTMLButtonElement);
    this.restart = getElement(root, "[data-do=restart]", HTMLButtonElement);
    /** @type {HTMLElement | null} */
    this.ownPage = root.querySelector("[data-own-page]"); // absent if the list is unknown
  }

  /**
   * @param {Problem} problem
   * @param {{ canRetry: boolean, isRefused: boolean, canShow: boolean }} options whether the wallet is
   *   refused, so only another one helps, and whether there's a row to show for it
   */
  show(problem, { canRetry, isRefused, canShow }) {
    clearInterval(this.timer);
    const { retryAt } = problem;
    const tick = () => {
      const mustWait = retryAt !== null && retryAt > Date.now();
      showIsolated(explain(problem), this.sentence);
      this.retry.disabled = mustWait;
      this.retry.hidden = !canRetry || (isRefused && mustWait); // the wait may be days
      if (!mustWait) clearInterval(this.timer);
    };
    this.restart.classList.toggle("primary", !canShow); // the first of them
    this.retry.classList.toggle("primary", !isRefused);
    this.restart.hidden = !isRefused;
    this.showWallet.hidden = !isRefused || !canShow;
    if (this.ownPage) this.ownPage.hidden = !WINDOW_CODES.has(problem.code);
    this.box.classList.toggle("refused", isRefused);
    this.box.hidden = false;
    this.sentence.removeAttribute("aria-live");
    tick();
    this.box.scrollIntoView({ block: "nearest" }); // it's below the step, which may be long
    if (retryAt === null) return;
    this.timer = setInterval(() => {
      // Screen readers should read only the first sentence, not every second of the countdown.
      this.sentence.setAttribute("aria-live", "off");
      tick();
    }, 1000);
  }

  clear() {
    clearInterval(this.timer);
    this.box.hidden = true;
    this.sentence.textContent = "";
  }
}

// The records that the page stores about a wallet, in plain words.

/**
 * Fill the step that shows the records.
 * @param {HTMLElement} root the section of flow.html
 * @param {Records} records
 */
function showRecords(root, records) {
  getElement(root, "[data-show=records-address]", HTMLElement).textContent = records.walletAddress;
  getElement(root, "[data-records]", HTMLElement).replaceChildren(...describe(records).map(makeSentence));
  getElement(root, "[data-show=records]", HTMLElement).textContent = JSON.stringify(records, null, 2);
  const hasAny = records.submissions.length > 0 || records.listed?.addedBy === "submission";
  getElement(root, "[data-if=can-withdraw]", HTMLElement).hidden = !hasAny;
  getElement(root, "[data-if=no-withdrawal]", HTMLElement).hidden = hasAny;
}

/** @param {Records} records */
function describe(records) {
  const { activity, listings, messages, observedBalance, enteredBalance } = records;
  const sentences = [
    describeListed(records),
    ...records.submissions.flatMap((one) => [describeSubmission(one), one.reasonText]),
    observedBalance && say("records_observed", describeBalance(observedBalance)),
    enteredBalance && say("records_entered", describeBalance(enteredBalance)),
    listings.length && say("records_listings", { count: formatAmount(listings.length) }),
    activity.length && say("records_log", { count: formatAmount(activity.length) }),
    messages && say("records_messages", { count: formatAmount(messages) }),
  ];
  return sentences.filter((one) => typeof one === "string");
}

/** @param {Records} records */
function describeListed({ listed }) {
  if (!listed) return say("records_not_listed");
  const { publicAlias, addedBy, createdAtIso, hideFromPublic, withheld, tags } = listed;
  const date = formatInstant(createdAtIso);
  const sentences = [
    publicAlias ? say("records_listed", { name: isolate(publicAlias), date }) : say("records_listed_nameless", { date }),
    say(addedBy === "owner" ? "records_by_owner" : "records_by_submission"),
  ];
  if (hideFromPublic || withheld) sentences.push(say("records_hidden"));
  if (tags.length) sentences.push(`${say("tags")}: ${tags.map(({ name }) => isolate(name)).join(", ")}`);
  return sentences.join(" ");
}

/** @param {Records["submissions"][number]} submission */
function describeSubmission({ createdAtIso, nickname, status, rejectReason, reasonCode, hasReceipt }) {
  const given = { date: formatInstant(createdAtIso), status: say(`status_${status}`) };
  const sentence = nickname
    ? say("records_sent", { ...given, name: isolate(nickname) })
    : say("records_sent_nameless", given);
  const isBlocked = status === "soft_rejected" && rejectReason === "manual"; // it doesn't say who did it
  const reason = rejectReason && !isBlocked && say(`reason_${reasonCode ?? rejectReason}`);
  return [sentence, reason, hasReceipt && say("records_receipt")].filter(Boolean).join(" ");
}

/** @param {Balance} balance */
const describeBalance = ({ amount, observedAtIso }) =>
  ({ amount: formatAmount(amount), date: formatInstant(observedAtIso) });

/** @param {string} text */
function makeSentence(text) {
  const item = document.createElement("li");
  showIsolated(text, item);
  return item;
}

// Sentences with values that stand out from the text, such as names that people chose.

/**
 * Show a text in an element; its isolated parts are bold and kept from translation.
 * @param {string} text
 * @param {Element} element
 */
function showIsolated(text, element) {
  element.replaceChildren(...text.split(/\u2068(.*?)\u2069/).map((piece, index) => {
    if (index % 2 === 0) return piece;
    const value = document.createElement("bdi");
    value.translate = false;
    value.textContent = piece;
    return value;
  }));
}

/**
 * Show the sentence with the key `name` in an element, with each value isolated.
 * @param {string} name
 * @param {Record<string, string>} values
 * @param {Element} element
 */
function showSentence(name, values, element) {
  const isolated = Object.entries(values).map(([key, value]) => [key, isolate(value)]);
  showIsolated(say(name, Object.fromEntries(isolated)), element);
}
