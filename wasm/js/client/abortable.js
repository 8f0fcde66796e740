// A long answer can be given up while it is read, and not only before it comes.

/**
 * A stream that breaks, and is cancelled, when a signal says so.
 *
 * @param {ReadableStream} stream
 * @param {AbortSignal} [signal]
 * @param {() => void} [over] called when nothing is read any more
 * @returns {ReadableStream}
 */
function abortable(stream, signal, over = () => {}) {
  if (signal === undefined) {
    return stream;
  }
  const reader = stream.getReader();
  let abort;
  const ended = () => {
    signal.removeEventListener("abort", abort);
    over();
  };
  return new ReadableStream(
    {
      start(controller) {
        abort = () => {
          ended();
          controller.error(signal.reason);
          reader.cancel(signal.reason).catch(() => {});
        };
        signal.aborted ? abort() : signal.addEventListener("abort", abort, { once: true });
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (signal.aborted) {
            return; // it has been said
          }
          if (!done) {
            return controller.enqueue(value);
          }
          controller.close();
        } catch (reason) {
          controller.error(reason);
        }
        ended();
      },
      cancel(reason) {
        ended();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * An answer that a signal can have rejected, or its body broken; what would make
 * it is not called if the signal has said so before.
 *
 * @param {() => Promise<{body: Uint8Array | ReadableStream | null} | null>} serve
 * @param {AbortSignal} [signal]
 */
async function abortableAnswer(serve, signal) {
  if (signal === undefined) {
    return serve();
  }
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    const answered = (answer) => {
      const { body } = answer ?? {};
      resolve(body instanceof ReadableStream ? { ...answer, body: abortable(body, signal) } : answer);
    };
    serve().then(answered, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
