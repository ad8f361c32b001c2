/*
 * Runs before the app, in any browser: says in words which one is needed, and that the app is still being loaded. Plain script of 2010,
 * so that a browser that is too old for the app can run it.
 */
(function () {
  var script = document.getElementById("needs");
  var floor = Number(script.getAttribute("data-chrome"));
  var chrome = /Chrom(?:e|ium)\/(\d+)/.exec(navigator.userAgent);
  var isOld = chrome ? Number(chrome[1]) < floor : !Object.hasOwn;
  if (isOld) document.getElementById("needed").removeAttribute("hidden");

  var loading = document.getElementById("loading");
  var failed = document.getElementById("not-loaded");
  function isWaiting() {
    return document.body.contains(loading);
  }
  window.setTimeout(function () {
    if (isWaiting() && !isOld) document.getElementById("still").removeAttribute("hidden");
  }, 5000);
  // A script that does not come, or does not run: an event of an element does not bubble, but is captured.
  function onError(event) {
    var isScript = event.target && event.target.tagName === "SCRIPT";
    if (!isWaiting() || !(isScript || event.message)) return;
    loading.setAttribute("hidden", "");
    if (!isOld) failed.removeAttribute("hidden");
  }
  window.addEventListener("error", onError, true);
  document.getElementById("load-again").onclick = function () {
    window.location.reload();
  };
})();
