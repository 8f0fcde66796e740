// Repairs the address where a % escapes nothing, as in "#100%": browsers accept
// it, but Go cannot parse it, and without an address the page neither starts nor
// goes on.
(() => {
  const repair = () => {
    const address = location.href.replace(/%(?![0-9a-f]{2})/gi, "%25");
    if (address !== location.href) history.replaceState(history.state, "", address);
  };
  addEventListener("popstate", repair, true); // listeners in the order in which they were added: before the page's own
  addEventListener("hashchange", repair, true);
  repair();
})();
