// The command that signs a message with the Solana command line, quoted for the visitor's shell.

/** @typedef {"posix" | "powershell"} Shell */

const PLAIN = /^[\w./][\w+=:./-]*$/; // means the same without quotes in all these shells
const HOME = "~/";

/**
 * Return the command that signs `message` with `key`: a file, or a device such as usb://ledger.
 * Without a key the command line takes its own.
 * @param {string} message
 * @param {{ shell: Shell, key: string }} options
 */
export function buildCommand(message, { shell, key }) {
  const options = key ? ["-k", quoteKey(key, shell)] : [];
  return ["solana", "sign-offchain-message", ...options, quote(message, shell)].join(" ");
}

/**
 * Return `text` as one argument that arrives unchanged.
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
 * Escape what double quotes of PowerShell leave special; some of the curly quotes count as straight ones.
 * Line breaks are written as `n: the clipboard of Windows makes CRLF of them, and pasting line by line
 * would run a part of the command.
 * @param {string} text
 */
const escapeForPowerShell = (text) =>
  text.replace(/[`$"\u201c-\u201e]/g, "`$&").replaceAll("\n", "`n");

/**
 * Quote a path; a ~ in front means the home directory, also in PowerShell, which expands only $HOME.
 * @param {string} key
 * @param {Shell} shell
 */
function quoteKey(key, shell) {
  if (!key.startsWith(HOME)) return quote(key, shell);
  const rest = key.slice(HOME.length);
  if (shell === "powershell") return `"$HOME/${escapeForPowerShell(rest)}"`;
  return rest ? HOME + quote(rest, shell) : HOME;
}

/** Return the shell that the visitor's system brings along. */
export function guessShell() {
  const { platform } = /** @type {{ userAgentData?: { platform?: string } }} */ (navigator).userAgentData ?? {};
  return /^win/i.test(platform || navigator.platform) ? "powershell" : "posix";
}
