// The list of wallets: filtered, sorted, and rendered as far as somebody has scrolled.

import { copyText } from "./flow.js";
import { formatAmount, language, say } from "./words.js";

const CHUNK = 100;
const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });
const shorten = (address) => `${address.slice(0, 4)}…${address.slice(-4)}`;
const nameOf = (wallet) => wallet.publicAlias ?? shorten(wallet.address);

const ORDERS = {
  listed: null,
  balance: (a, b) => b.tokenBalance - a.tokenBalance,
  name: (a, b) => collator.compare(nameOf(a), nameOf(b)),
};

export class List {
  constructor(root) {
    this.list = root.querySelector("#wallets");
    this.scroller = root.querySelector("#scroller");
    this.empty = root.querySelector("#empty");
    this.state = root.querySelector("#state");
    this.template = root.ownerDocument.getElementById("wallet-row");
    this.wallets = null;
    this.mine = new Set();
    this.tags = new Set();
    this.warning = "";
    this.total = 0;
    this.count = CHUNK;
    this.rows = new Map(); // id -> {row, text}: rows whose wallet is unchanged are kept
    this.#listen(root);
    this.#adopt(Number(root.dataset.total));
  }

  /** Whether all wallets are known, and not only those that the document shows. */
  get isComplete() {
    return this.wallets !== null;
  }

  /** Show the public payload; nothing moves where nothing changed. */
  show(page) {
    const text = JSON.stringify(page);
    if (text === this.text && !this.warning) return;
    this.text = text;
    this.warning = "";
    this.wallets = page.wallets.map(addSought);
    this.#render();
  }

  /** Mark the wallets of this visitor. */
  markMine(addresses) {
    this.mine = new Set(addresses);
    if (this.wallets) this.#render();
  }

  /** Say what keeps the list from being refreshed, until it is. */
  warn(sentence) {
    this.warning = sentence;
    this.#tell();
  }

  has(address) {
    return Boolean(this.wallets?.some((wallet) => wallet.address === address));
  }

  /** Take over the document's own rows, if they are all there are: nothing is asked for twice. */
  #adopt(total) {
    const rows = [...this.list.children];
    if (rows.length !== total) return;
    this.wallets = rows.map((row) => {
      const wallet = addSought(readRow(row));
      this.rows.set(wallet.id, { row, text: describeRow(wallet, false) });
      return wallet;
    });
    this.total = total;
  }

  #listen(root) {
    const search = root.querySelector("#search");
    const sort = root.querySelector("#sort");
    const again = () => {
      this.sought = search.value.trim().toLocaleLowerCase(language);
      this.order = ORDERS[sort.value];
      this.count = CHUNK;
      this.scroller.scrollTop = 0;
      if (this.wallets) this.#render();
    };
    search.addEventListener("input", again);
    sort.addEventListener("change", again);
    for (const button of root.querySelectorAll("[data-filter]")) {
      button.addEventListener("click", () => {
        const isOn = this.tags.delete(button.dataset.filter) === false;
        if (isOn) this.tags.add(button.dataset.filter);
        button.setAttribute("aria-pressed", String(isOn));
        again();
      });
    }
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("[data-copy]");
      if (button) copyText(button.dataset.copy, button);
    });
    this.scroller.addEventListener("scroll", () => {
      const left = this.scroller.scrollHeight - this.scroller.scrollTop;
      if (left < this.scroller.clientHeight * 3 && this.wallets && this.count < this.total) {
        this.count += CHUNK;
        this.#render();
      }
    }, { passive: true });
  }

  #render() {
    const chosen = this.wallets.filter((wallet) => this.#isChosen(wallet));
    if (this.order) chosen.sort(this.order);
    this.total = chosen.length;
    const rows = chosen.slice(0, this.count).map((wallet) => this.#makeRow(wallet));
    replaceRows(this.list, rows);
    this.empty.hidden = chosen.length > 0;
    this.empty.textContent = say(this.wallets.length ? "no_match" : "no_wallets");
    this.#tell();
  }

  #tell() {
    const total = this.wallets?.length ?? 0;
    const isPartial = this.wallets && this.total < total;
    const count = { shown: formatAmount(this.total), total: formatAmount(total) };
    this.state.textContent = this.warning || (isPartial ? say("shown_of", count) : "");
  }

  #isChosen(wallet) {
    if (this.sought && !wallet.sought.includes(this.sought)) return false;
    return [...this.tags].every((id) => wallet.tags.some((tag) => tag.id === id));
  }

  #makeRow(wallet) {
    const isMine = this.mine.has(wallet.address);
    const text = describeRow(wallet, isMine);
    const kept = this.rows.get(wallet.id);
    if (kept?.text === text) return kept.row;
    const row = this.template.content.firstElementChild.cloneNode(true);
    row.dataset.id = wallet.id;
    row.querySelector(".name").textContent = nameOf(wallet);
    row.querySelector(".balance bdi").textContent = formatAmount(wallet.tokenBalance);
    const code = row.querySelector("code");
    code.textContent = code.title = wallet.address;
    row.querySelector(".copy").dataset.copy = wallet.address;
    if (isMine) {
      row.classList.add("mine");
      row.querySelector(".name").append(" ", makeMark(say("yours")));
    }
    if (wallet.tags.length) row.append(makeTags(wallet.tags));
    this.rows.set(wallet.id, { row, text });
    return row;
  }
}

const addSought = (wallet) => ({
  ...wallet,
  sought: `${wallet.publicAlias ?? ""}\n${wallet.address}`.toLocaleLowerCase(language),
});

/** Return what a row shows, to see whether it is still the same. */
const describeRow = (wallet, isMine) => JSON.stringify([wallet, isMine]);

/** Return the wallet that a row of the document shows, as the API tells of it. */
function readRow(row) {
  return {
    id: row.dataset.id,
    address: row.querySelector("code").textContent,
    publicAlias: "nameless" in row.dataset ? null : row.querySelector(".name").textContent,
    tokenBalance: Number(row.dataset.balance),
    tags: [...row.querySelectorAll(".tag")].map((tag) => ({
      id: tag.dataset.tag,
      name: tag.textContent,
      color: tag.dataset.color,
    })),
  };
}

/** Make `rows` the list's children, touching only those that are not in place already. */
function replaceRows(list, rows) {
  const wanted = new Set(rows);
  for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
  rows.forEach((row, index) => {
    if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
  });
}

function makeMark(text) {
  const mark = document.createElement("span");
  mark.className = "mark";
  mark.textContent = text;
  return mark;
}

function makeTags(tags) {
  const list = document.createElement("ul");
  list.className = "tags";
  list.setAttribute("aria-label", say("tags"));
  list.append(...tags.map((tag) => {
    const item = document.createElement("li");
    item.className = "tag";
    item.dataset.color = tag.color;
    item.textContent = tag.name;
    return item;
  }));
  return list;
}
