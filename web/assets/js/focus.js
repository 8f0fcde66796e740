// Keeps the user's place. When the element with the focus goes away, with a
// dialog, a row or a page, browsers move the focus to the body, and whoever uses a
// keyboard or a screen reader starts again at the top. Here it stays in the panel
// in which it was, or returns to the element that had it before, such as the button
// that opened a dialog; when another page appears, it goes to its heading.
(() => {
  const limit = 32;
  let past = []; // the elements that had the focus and their panels, the last one first
  let placed = null; // the element that got the focus here, not from the user
  let arrived = false; // another page appears
  let busy = false; // the last element was disabled when it lost the focus
  let due = false;

  const nowhere = () => document.activeElement === null || document.activeElement === document.body;
  const shown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible";
  const take = (element) => {
    element?.focus({ preventScroll: true });
    return !nowhere() && document.activeElement === element;
  };
  // A field that was drawn again is another element with the same id.
  const current = (element) => (element.isConnected || !element.id ? element : document.getElementById(element.id));

  function* places() {
    if (!arrived) {
      for (const [i, { element, panel }] of past.entries()) {
        yield current(element);
        if (panel?.isConnected && past[i + 1]?.panel !== panel) yield panel.querySelector("[tabindex='-1']") ?? panel.querySelector(":is(button, input, select, textarea):enabled");
      }
    }
    yield document.querySelector("main h1");
  }

  const check = () => {
    due = false;
    const lost = nowhere() || (arrived && document.activeElement === placed);
    if (lost && past.length > 0 && !settled()) {
      busy = false;
      placed = [...places()].find(take) ?? null;
    }
    arrived = false;
  };

  /** Reports whether the element that had the focus is still there. */
  const settled = () => {
    const { element } = past[0];
    if (arrived || !shown(element)) return false;
    if (busy) return element.matches(":disabled"); // it gets the focus back when it is enabled
    if (!element.closest("dialog")) past = []; // the user has left it
    return true;
  };

  const later = () => {
    if (due) return;
    due = true;
    requestAnimationFrame(check); // after the page has moved the focus itself
  };

  addEventListener("focusin", ({ target }) => {
    const others = past.filter(({ element, panel }) => element !== target && (current(element) !== null || panel?.isConnected));
    past = [{ element: target, panel: target.closest(".panel, dialog") }, ...others].slice(0, limit);
    placed = null;
    busy = false;
  });
  // Notes at once whether it is disabled: it may be enabled again before the next frame.
  const note = () => {
    if (past.length === 0) return;
    if (past[0].element.matches(":disabled")) busy = true;
    else if (!nowhere()) busy = false;
    if (nowhere()) later();
  };

  addEventListener("focusout", later);
  new MutationObserver(note).observe(document.documentElement, { subtree: true, childList: true, attributeFilter: ["disabled"] });

  window.sandtableFocus = {
    /** Is called when another page is about to appear. */
    arrive() {
      past.length = Math.min(past.length, 1);
      arrived = true;
      later();
    },
  };
})();
