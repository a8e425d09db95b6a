// "All on this page" for the list of wallets.

const all = document.getElementById("all");
if (all) {
  const boxes = [...document.querySelectorAll("#many input[name='wallet']")];
  all.parentElement.hidden = false;
  all.addEventListener("change", () => boxes.forEach((box) => (box.checked = all.checked)));
  document.getElementById("many").addEventListener("change", ({ target }) => {
    if (target.name === "wallet") all.checked = boxes.every((box) => box.checked);
  });
}
