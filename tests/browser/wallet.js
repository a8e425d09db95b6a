// A Wallet Standard wallet for tests, put into pages before their own scripts run.
(options) => {
  const isTop = window.top === window;
  if (options.where === "top" && !isTop) return;
  if (options.where === "service" && location.origin !== options.service) return;
  const SIGN = "solana:signMessage";
  const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
  const account = {
    address: options.address,
    publicKey: bytes(options.publicKey),
    chains: ["solana:mainnet"],
    features: options.accountFeatures ?? [SIGN],
  };
  const state = (window.testWallet = { ...options, signed: [] });

  async function meet(step) {
    if (state.slow?.[step]) {
      const delay = state.slow[step].shift();
      if (delay) await new Promise((resolve) => setTimeout(resolve, delay));
    }
    const refusal = state.refuse?.[step]?.shift();
    if (refusal) throw Object.assign(new Error(refusal.message), { code: refusal.code });
  }

  async function sign(message) {
    await meet("sign");
    state.signed.push(new TextDecoder().decode(message));
    const seed = bytes("302e020100300506032b657004220420" + options.seed);
    const key = await crypto.subtle.importKey("pkcs8", seed, "Ed25519", false, ["sign"]);
    const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", key, message));
    if (state.spoil?.shift()) signature[0] ^= 1;
    return signature;
  }

  if (options.kind === "older") {
    const publicKey = { toBase58: () => options.address };
    window.solana = {
      isPhantom: true,
      async connect() {
        await meet("connect");
        return { publicKey };
      },
      signMessage: async (message) => ({ signature: await sign(message), publicKey }),
    };
    return;
  }

  let accounts = [];
  const wallet = {
    version: "1.0.0",
    name: options.name,
    icon: "data:image/svg+xml;base64," + btoa('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    chains: options.chains ?? ["solana:mainnet"],
    get accounts() {
      return accounts;
    },
    features: {
      "standard:connect": {
        version: "1.0.0",
        async connect() {
          await meet("connect");
          accounts = [account];
          return { accounts };
        },
      },
      "standard:events": { version: "1.0.0", on: () => () => {} },
      [SIGN]: {
        version: "1.0.0",
        async signMessage({ account: asked, message }) {
          if (asked !== account) throw new Error("another account object");
          return [{ signedMessage: message, signature: await sign(message) }];
        },
      },
    },
  };
  const callback = ({ register }) => register(wallet);
  window.addEventListener("wallet-standard:app-ready", (event) => callback(event.detail));
  window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: callback }));
}
