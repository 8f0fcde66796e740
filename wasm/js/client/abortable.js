// What a signal aborts: a promise, and a long answer while it is read.

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
 * Calls work and returns its promise, which is rejected if the signal is aborted first. If
 * it is aborted already, work is not called.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function abortablePromise(work, signal) {
  if (signal === undefined) {
    return work();
  }
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}

/**
 * Does the same for an answer. Its body fails if the signal is aborted later.
 *
 * @param {() => Promise<Answer | null>} serve
 * @param {AbortSignal} [signal]
 * @returns {Promise<Answer | null>}
 */
export function abortableAnswer(serve, signal) {
  return abortablePromise(async () => {
    const answer = await serve();
    return answer?.body instanceof ReadableStream ? { ...answer, body: abortable(answer.body, signal) } : answer;
  }, signal);
}
