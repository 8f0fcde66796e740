// The list of local accounts. Requests for any other account go to the network,
// and the worker must tell them apart without the engine. docs/decisions/0002
// explains the list and why it can be trusted.

const LIST = "_sandtable/accounts";

/** @typedef {Pick<Cache, "match" | "put" | "delete">} ListStore where the list outlives the worker */

// Where Cache Storage fails, as in some private windows, each instance of the worker asks the engine.
/** @type {ListStore} */
const NOWHERE = { match: async () => undefined, put: async () => {}, delete: async () => false };

export class Accounts {
  /** @type {Set<string> | null} null until this instance of the worker knows the list */
  #names = null;
  #changes = 0; // of the list: one that was read before the last change is outdated
  #store;
  #url;

  /**
   * @param {{open: () => Promise<ListStore>}} store
   * @param {string} scope the URL of the worker's scope
   */
  constructor(store, scope) {
    this.#store = store;
    this.#url = scope + LIST;
  }

  /** Whether the list is known. */
  get known() {
    return this.#names !== null;
  }

  /**
   * Whether an account lives here; null until the list is known.
   *
   * @param {string} name
   */
  has(name) {
    return this.#names === null ? null : this.#names.has(name);
  }

  /** Opens the store; tries again once, because a list that stays there would be outdated. */
  #open() {
    return this.#store
      .open()
      .catch(() => this.#store.open())
      .catch(() => NOWHERE);
  }

  /**
   * Reads the list that an earlier instance of the worker stored.
   *
   * @returns {Promise<boolean>} false if nothing is stored
   */
  async recall() {
    const changes = this.#changes;
    const stored = await (await this.#open()).match(this.#url);
    const names = stored === undefined ? null : new Set(await stored.json());
    if (changes !== this.#changes) {
      return this.known || this.recall(); // what was read may be outdated
    }
    this.#names ??= names;
    return this.known;
  }

  /** @param {Set<string> | null} names */
  #change(names) {
    this.#names = names;
    this.#changes++;
  }

  /** Makes the list unknown until it is recalled or remembered again. */
  forget() {
    this.#change(null);
  }

  /** Makes the list unknown until it is remembered again: the stored one is outdated. */
  async discard() {
    this.#change(null);
    await (await this.#open()).delete(this.#url);
  }

  /**
   * Replaces the list. It is durable when the promise is fulfilled; without space none is
   * stored, so that the next instance of the worker asks the engine.
   *
   * @param {string[]} names
   * @returns {Promise<boolean>} whether it is another one than before
   */
  async remember(names) {
    const known = this.#names;
    const changed = known === null || names.length !== known.size || names.some((name) => !known.has(name));
    this.#change(new Set(names));
    if (changed) {
      const store = await this.#open();
      await store.put(this.#url, new Response(JSON.stringify(names))).catch(() => store.delete(this.#url)); // a deletion needs no space
    }
    return changed;
  }
}
