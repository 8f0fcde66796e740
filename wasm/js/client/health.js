// What is wrong with what a page has of Sandtable. Pages hear of it once when
// it begins, and once when it is over.

// What keeps an engine from starting, also where asking again may help.
const failures = {
  ...troubles,
  room: ["StoreFull", "There is no room left in this browser, not even to open the store. Nothing that was saved is lost."],
  crashed: ["EngineCrashed", "The engine crashes when it starts. The next request tries again; nothing that was acknowledged is lost."],
  held: ["StoreHeld", "The store is not let go by whoever has it: close the other tabs of this site, or restart the browser."],
};

class Health {
  #wrong = new Map(); // errors, by what they are about
  #store = null; // what tells the store that was here last from all others
  /** Called with "error" and "recovered", and what there is to say. */
  tell = () => {};

  /** What is wrong at this moment. */
  get troubles() {
    return [...this.#wrong.values()];
  }

  /**
   * Something does not work from now on; what was wrong with it before is over.
   *
   * @param {string} about whose trouble it is; there is one at a time
   * @param {SandtableError} error
   */
  begins(about, error) {
    if (this.#wrong.get(about)?.code !== error.code) {
      this.ends(about); // what was wrong is another thing now
      this.#wrong.set(about, error);
      this.tell("error", error);
    }
  }

  /** It works again. */
  ends(about) {
    const error = this.#wrong.get(about);
    if (this.#wrong.delete(about)) {
      this.tell("recovered", { code: error.code });
    }
  }

  /**
   * Takes in what a worker says of itself.
   *
   * @param {object} state see Service
   */
  learn({ engine, store, full, reason, message, happened }) {
    if (happened !== undefined) {
      this.begins("engine", happened === "superseded" ? superseded() : crashed());
    } else if (engine === "failed" && failures[reason] !== undefined) {
      const [code, advice] = failures[reason];
      this.begins("engine", new SandtableError(code, `${advice} ${message}`));
    } else if (engine === "running") {
      this.ends("engine");
    }
    if (full === true) {
      this.begins("room", new SandtableError("StoreFull", "There is no room left in this browser: what is written is refused, and nothing that was saved is lost. Have something deleted, here or of other sites; the next write tries again."));
    } else if (full === false) {
      this.ends("room");
    }
    if (store !== undefined) {
      this.#found(store);
    }
  }

  #found(store) {
    if (this.#store !== null && this.#store !== store) {
      this.tell("error", new SandtableError("Emptied", "The store that was here is gone, as when a site's data are cleared. What is here now is a new one: fill it, or load() a dump, and look at everything again."));
    }
    this.#store = store;
  }
}

function crashed() {
  return new SandtableError("EngineCrashed", "The engine crashed. The next request starts it again, with all that was acknowledged; what was under way may or may not have been done.");
}

function superseded() {
  return new SandtableError("Superseded", "Another worker has taken the store over, and nothing is written through this one any more. The next request takes the store back, or is refused with the reason.");
}
