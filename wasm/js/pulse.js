// Whether somebody who is waited for still lives. A tab that the system has
// suspended holds its locks, and says nothing; only its silence tells.

// How long somebody may say nothing before they are asked, and how long their
// answer may take then, in milliseconds. An engine that is busy answers within
// a fraction of that.
const SILENCE = 5000;

class Pulse {
  #ask;
  #silent;
  #timer = null; // while somebody is waited for
  #asked = null; // when they were, if nothing was heard since

  /**
   * @param {() => void} ask asks for a sign of life
   * @param {() => void} silent called, once, when none came
   */
  constructor(ask, silent) {
    this.#ask = ask;
    this.#silent = silent;
  }

  /** Something is waited for from now on. */
  begin() {
    this.#timer ??= setTimeout(this.#look, SILENCE);
  }

  /** They said something. */
  heard() {
    this.#asked = null;
  }

  /** Nothing is waited for any more. */
  end() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#asked = null;
  }

  #look = () => {
    const now = performance.now();
    // One who slept as well, and only now looks, has not yet heard what came meanwhile.
    if (this.#asked !== null && now - this.#asked < 2 * SILENCE) {
      this.end();
      this.#silent();
      return;
    }
    this.#asked = now;
    this.#timer = setTimeout(this.#look, SILENCE);
    this.#ask();
  };
}
