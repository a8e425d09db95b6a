// Check a receipt with the Solana kit: docs/receipts.md
import { readFileSync } from "node:fs";
import { address, getAddressEncoder, getPublicKeyFromAddress, signatureBytes, verifySignature } from "@solana/kit";

const r = JSON.parse(readFileSync(process.argv[2], "utf8"));
const [signed, signature] = [r.signedBytes, r.signature].map((field) => Buffer.from(field, "base64"));
const said = /^\S+ asks for proof that you own this wallet\.\n\n(?:Name: ([^\n]+)\n)?Wallet: (.+)\nTracking page: (.+)\nNonce: .+\nIssued at: .+\nValid until: .+\n\nSigning is free\. This signature does not authorize any transaction\.$/.exec(r.message);
const isAbout = said && [undefined, r.nickname].includes(said[1]) && said[2] === r.walletAddress && said[3] === r.trackingPageId;

const length = { raw: 0, "legacy-v0": 20, v0: 85, "v1-early": 52, v1: 50 }[r.form]; // before the text
const start = Buffer.from(`\xffsolana offchain${r.form.includes("v1") ? "\x01" : "\0"}`, "latin1");
const isEnvelope = length === 0 || signed.subarray(0, 17).equals(start);
const isInForm = length !== undefined && isEnvelope && signed.subarray(length).equals(Buffer.from(r.message));

const y = Buffer.from(getAddressEncoder().encode(address(r.walletAddress)));
y[31] &= 0x7f;
const smallOrder = [
  "00".repeat(32), `01${"00".repeat(31)}`, ...["ec", "ed", "ee"].map((low) => `${low}${"ff".repeat(30)}7f`),
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
];
const key = await getPublicKeyFromAddress(address(r.walletAddress));
const isSigned = !smallOrder.includes(y.toString("hex")) && await verifySignature(key, signatureBytes(signature), signed);

if (!isAbout || !isInForm || !isSigned) throw new Error("This receipt failed the check.");
console.log(`The holder of ${said[2]} agreed to be on page ${said[3]} as ${said[1] ?? "(the text has no name)"}.`);
