// What scripts of the widget find in a page as soon as they are loaded, for tests without one.

/** @type {Record<string, string>} */
export const WORDS = {
  ca_gate_failed: "at least {minBalance} tokens; this wallet holds {balance}",
  cooldown_active: "again in {time}",
  now: "a moment",
  server: "Something went wrong.",
  keeps_for: "{host} keeps this for {site}",
};

Object.assign(globalThis, {
  document: {
    documentElement: { lang: "en" },
    getElementById: () => ({ textContent: JSON.stringify(WORDS) }),
  },
});
