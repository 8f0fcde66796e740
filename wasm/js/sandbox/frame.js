// The script of the sandbox's frame, which has an opaque origin. The page's
// policy names this script by its hash; nothing else runs in the frame.
//
// The frame starts the worker with the program and hands it the page's port.
// Removing the frame ends both.

addEventListener("message", ({ data, source, ports: [bridge, control] }) => {
  if (source !== parent) {
    return;
  }
  control.postMessage(null); // the page's policy lets this script run
  /** @param {ErrorEvent | Event} event of a program that could not even start */
  const report = (event) => {
    const { message = "The program could not be started: the page's Content-Security-Policy needs worker-src blob:.", lineno = 0, colno = 0 } = /** @type {ErrorEvent} */ (event);
    control.postMessage({ message, line: lineno, column: colno });
  };
  try {
    const url = URL.createObjectURL(new Blob([data], { type: "text/javascript" }));
    const worker = new Worker(url);
    worker.onerror = report;
    worker.postMessage(null, [bridge]);
  } catch (reason) {
    report(/** @type {Event} */ (reason));
  }
}, { once: true });
