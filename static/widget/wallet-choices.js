// The buttons for choosing a wallet and one of its accounts. Wallets choose their names, which may be
// long, empty or alike.

import { getElement } from "../elements.js";
import { say } from "./words.js";

/** @import { Account, Wallet } from "./wallets.js" */

const ICON = /^data:image\/(svg\+xml|webp|png|gif);base64,/;
const UNNAMED = "Solana";
const MAX_NAME_LENGTH = 40; // code points

// Controls, and characters that show nothing, so that they cannot make names look alike.
const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/** The wallets' buttons. One that is there already stays as it is, so that it keeps the focus. */
export class WalletChoices {
  /** @type {Map<Wallet, HTMLElement>} */
  #items = new Map(); // in the order in which they are shown

  /**
   * @param {HTMLElement} list
   * @param {HTMLTemplateElement} template of an item
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
    // A late one is added at the end: those that the visitor may be about to press stay in place.
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
   * Remove wallets that are gone; return the label of the one that had the focus, or null.
   * @param {Set<Wallet>} wallets
   */
  #removeAllBut(wallets) {
    let lost = null;
    for (const [wallet, item] of this.#items) {
      if (wallets.has(wallet)) continue;
      if (item.contains(document.activeElement)) lost = item.textContent;
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
    const same = [...this.#items.values()].find((item) => item.textContent === label);
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
 * Return a button in a list item for each account, with its label and the whole address.
 * @param {HTMLTemplateElement} template
 * @param {Account[]} accounts
 * @param {(account: Account) => void} choose
 */
export function makeAccountChoices(template, accounts, choose) {
  return accounts.map((account) => {
    const code = document.createElement("code");
    code.textContent = account.address;
    code.dir = "ltr";
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

/**
 * Return the name in one line, short and without hidden characters; perhaps empty.
 * @param {unknown} raw
 */
export function cleanName(raw) {
  if (typeof raw !== "string") return "";
  const characters = [...raw.slice(0, 1000).replace(/\s+/gu, " ").replace(HIDDEN, "").trim()];
  if (characters.length <= MAX_NAME_LENGTH) return characters.join("");
  return `${characters.slice(0, MAX_NAME_LENGTH - 1).join("").trim()}…`;
}

/**
 * Return a label for each name; of those alike, the later ones have a number.
 * @param {string[]} raw
 * @param {string} unnamed for a wallet without a name
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
