// Aborts a long answer while it is read, not only before it arrives.

/** @import { Answer } from "../answers.js" */

/**
 * Returns a stream that fails, and is cancelled, when a signal is aborted.
 *
 * @template T
 * @param {ReadableStream<T>} stream
 * @param {AbortSignal} [signal]
 * @param {() => void} [over] called when nothing is read any more
 * @returns {ReadableStream<T>}
 */
export function abortable(stream, signal, over = () => {}) {
  if (signal === undefined) {
    return stream;
  }
  const reader = stream.getReader();
  let abort = () => {};
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
            return; // the stream has failed already
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
 * Returns an answer that is rejected, or whose body fails, when a signal is
 * aborted. A signal that is aborted already keeps serve from being called.
 *
 * @param {() => Promise<Answer | null>} serve
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer | null>}
 */
export async function abortableAnswer(serve, signal) {
  if (signal === undefined) {
    return serve();
  }
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    serve()
      .then((answer) => resolve(answer?.body instanceof ReadableStream ? { ...answer, body: abortable(answer.body, signal) } : answer), reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
