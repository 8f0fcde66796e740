// A crash of the engine.

/** Makes Go's next call fail like a trap, unwinding all frames. Workers run this function's source, so it captures nothing. */
export function crashEngine() {
  const { now } = performance;
  performance.now = () => {
    performance.now = now;
    throw new WebAssembly.RuntimeError("unreachable");
  };
}
