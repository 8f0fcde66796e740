// The body of an answer that Go writes while it is read.

/** A body that asks for the next chunk whenever its reader wants one. */
export class StreamedBody {
  /** @type {ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null} null when the stream has ended */
  #controller = null;
  /** Fulfils what the stream waits for. */
  #arrived = () => {};
  #over = () => {};
  stream;
  /**
   * Fulfilled when all of it is in the stream, or nobody reads it any more.
   *
   * @type {Promise<void>}
   */
  ended = new Promise((resolve) => (this.#over = resolve));

  /**
   * @param {Uint8Array<ArrayBuffer> | null} first chunk, if there is one already
   * @param {(more: boolean) => void} reader called with true when the reader wants a chunk, with false when it is gone
   */
  constructor(first, reader) {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
        if (first !== null) {
          controller.enqueue(first);
        }
      },
      pull: () => {
        /** @type {Promise<void>} */
        const arrived = new Promise((resolve) => (this.#arrived = resolve));
        reader(true);
        return arrived;
      },
      cancel: () => {
        this.#controller = null;
        this.#over();
        reader(false);
      },
    });
  }

  /** @param {Uint8Array<ArrayBuffer>} chunk */
  push(chunk) {
    this.#controller?.enqueue(chunk);
    this.#arrived();
  }

  /**
   * Ends the stream.
   *
   * @param {Error} [reason] makes it fail
   */
  end(reason) {
    if (reason === undefined) {
      this.#controller?.close();
    } else {
      this.#controller?.error(reason);
    }
    this.#controller = null;
    this.#arrived();
    this.#over();
  }
}
