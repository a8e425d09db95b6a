// Says beside the field, while it is written, how each site will be kept. The server decides.

const field = document.querySelector("textarea[data-origins]");
const list = document.getElementById(field?.dataset.origins);

function advise(entry) {
  if (entry.includes("*")) return [false, "wildcards do not work; name each site by itself"];
  if (entry.toLowerCase() === "null") return [false, "use the switch below for the null origin"];
  if (!entry.includes("://")) return [false, `the scheme is missing; do you mean https://${entry}?`];
  let url;
  try {
    url = new URL(entry);
  } catch {
    return [false, "this is no address; write it as the address bar shows it"];
  }
  if (url.username || url.password || !url.host) return [false, "write scheme, host and port only"];
  const origin = `${url.protocol}//${url.host}`;
  if (origin === entry) return null;
  const rest = url.pathname.length > 1 || url.search || url.hash;
  const why = rest ? ": a path does not count, so the whole site may use the key" : "";
  return [true, `kept as ${origin}${why}`];
}

function show() {
  const lines = field.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const items = lines.flatMap((entry) => {
    const said = advise(entry);
    if (!said) return [];
    const item = document.createElement("li");
    item.className = said[0] ? "quiet" : "wrong";
    item.textContent = `${entry}: ${said[1]}`;
    return [item];
  });
  list.replaceChildren(...items);
}

if (field && list) {
  let timer;
  field.addEventListener("input", () => {
    document.getElementById(`${field.id}-wrong`)?.remove(); // what the server said of the lines before
    clearTimeout(timer);
    timer = setTimeout(show, 400);
  });
}
