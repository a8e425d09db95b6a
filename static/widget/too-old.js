// Says so where the scripts of the page cannot run, in place of buttons that do nothing. In the
// language of 2009 and no module, so that it runs in old browsers.
window.addEventListener("load", function () {
  var hasAll = "AbortSignal" in window && "timeout" in AbortSignal; // used later, and the newest of all
  if (hasAll && document.querySelector("[data-ready]")) return;
  document.documentElement.className += " without-script";
  /** @type {HTMLElement} */ (document.getElementById("too-old")).hidden = false;
});
