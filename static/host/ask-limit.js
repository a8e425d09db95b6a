// How often wallets may be asked: one question at a time, and few in a short time.

const MOST = 6;
const SPAN_MS = 10_000;

export class AskLimit {
  /** @param {() => number} now in milliseconds */
  constructor(now = () => performance.now()) {
    this.now = now;
    /** @type {number[]} */
    this.begunAt = [];
    this.isOpen = false;
  }

  /** Begin a question; return whether it may be asked. Every `true` needs an `end()`. */
  begin() {
    const now = this.now();
    this.begunAt = this.begunAt.filter((begun) => now - begun < SPAN_MS);
    if (this.isOpen || this.begunAt.length >= MOST) return false;
    this.begunAt.push(now);
    this.isOpen = true;
    return true;
  }

  end() {
    this.isOpen = false;
  }
}
