// An old page, from a cache of the browser or of the host, may name files of its
// build that are gone from the host. Then the page is fetched past the cache and
// reloaded, once; if that does not help, it says so instead of "Starting".
(() => {
  const mark = "sandtable.fetched";
  const url = location.href.split("#", 1)[0];
  const lastReload = () => {
    try { return Number(sessionStorage.getItem(mark)); } catch { return Infinity; } // storage is blocked: never again
  };
  const reloadPastCache = async () => {
    if (Date.now() - lastReload() < 20_000) return false;
    sessionStorage.setItem(mark, Date.now());
    const { ok } = await fetch(url, { cache: "reload" }).catch(() => ({ ok: false }));
    if (ok) location.reload();
    return ok;
  };
  const showMissing = () => {
    for (const place of document.querySelectorAll(".boot")) {
      const note = document.createElement("div");
      note.className = "note error";
      note.setAttribute("role", "alert");
      note.textContent = "A file of this page is missing on its host, which may be in the middle of an update. Reload the page in a moment.";
      place.replaceChildren(note);
    }
  };
  let missing = false;
  // Elements' errors do not bubble, but they are captured.
  addEventListener("error", async ({ target }) => {
    if (missing || !(target instanceof HTMLScriptElement)) return;
    missing = true;
    if (!(await reloadPastCache())) {
      document.readyState === "loading" ? addEventListener("DOMContentLoaded", showMissing) : showMissing();
    }
  }, true);
})();
