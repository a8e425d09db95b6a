// Small pictures of addresses, which help to tell wallets apart; embed/web/avatar.py draws the same.

const SIDE = 5;
const HALF = 3; // columns; the others mirror them
const MIDDLE = "M2 2h1v1h-1z"; // where there is nothing else

/**
 * Return the path data of squares in a grid of 5 by 5, and their color.
 * @param {string} address
 */
export async function drawAvatar(address) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(address));
  const [hue, ...values] = new Uint8Array(digest);
  let path = "";
  for (let x = 0; x < HALF; x++) {
    for (let y = 0; y < SIDE; y++) {
      if (values[x * SIDE + y] % 2 === 0) continue;
      for (const column of new Set([x, SIDE - 1 - x])) path += `M${column} ${y}h1v1h-1z`;
    }
  }
  return { path: path || MIDDLE, fill: `hsl(${Math.floor((hue * 360) / 256)} 60% 50%)` };
}
