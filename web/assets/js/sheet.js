// On a narrow screen a panel is a sheet over the page. Dragging its head down closes it, and
// dragging it up shows all of a low one: as their buttons do, which ask first if something would
// be lost. Only fingers and pens drag: a mouse selects text.
(() => {
  const begin = 8; // pixels before a press is a drag
  const far = 80; // pixels after which a drag does something

  /** @param {PointerEvent} press */
  const follow = (press) => {
    const head = press.target.closest?.(".panel header");
    const panel = head?.closest(".panel");
    if (!panel || press.pointerType === "mouse" || !press.isPrimary || getComputedStyle(panel).position !== "fixed") return;
    let moved = 0;
    const over = new AbortController();
    const options = { signal: over.signal };
    const end = () => {
      over.abort();
      delete panel.dataset.dragged;
      panel.style.translate = "";
    };
    addEventListener("pointermove", ({ pointerId, clientY }) => {
      if (pointerId !== press.pointerId) return;
      moved = clientY - press.clientY;
      if (Math.abs(moved) < begin && panel.dataset.dragged === undefined) return;
      panel.dataset.dragged = "";
      panel.style.translate = `0 ${Math.max(0, moved)}px`;
    }, options);
    addEventListener("pointerup", ({ pointerId }) => {
      if (pointerId !== press.pointerId) return;
      end();
      if (moved > far) panel.querySelector("header .close")?.click();
      if (moved < -far) panel.querySelector(".details")?.click();
    }, options);
    addEventListener("pointercancel", end, options);
  };
  addEventListener("pointerdown", follow);

  // The list of tables covers the page, too: it closes when the focus leaves it.
  addEventListener("focusin", ({ target }) => {
    if (target !== window && !target.closest?.(".side, .scrim, .menu-button, dialog")) document.querySelector(".drawer-open > .scrim")?.click();
  });
})();
