// Sets the theme before anything is drawn, and again when the choice or the
// system changes. The choice is "light", "dark" or "system".
(() => {
  const key = "sandtable.theme";
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const valid = (choice) => (choice === "light" || choice === "dark" ? choice : "system");
  const stored = () => {
    try { return valid(localStorage.getItem(key)); } catch { return "system"; } // storage is blocked
  };
  let choice = stored();
  const apply = () => {
    const theme = choice === "system" ? (systemDark.matches ? "dark" : "light") : choice;
    document.documentElement.dataset.theme = theme;
  };
  systemDark.addEventListener("change", apply);
  addEventListener("storage", () => { choice = stored(); apply(); });
  window.sandtableTheme = {
    get: () => choice,
    set(next) {
      choice = valid(next);
      try { localStorage.setItem(key, choice); } catch { /* it holds for this page only */ }
      apply();
    },
  };
  apply();
})();
