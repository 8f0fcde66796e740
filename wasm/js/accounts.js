// Which accounts live here, as far as the script must know without the engine:
// a request to any other account is the network's. docs/decisions/0002 says
// why there is a list, and why it may be trusted.

const LIST = "_sandtable/accounts";

class Accounts {
  #names = null; // a Set once known in this life of the worker
  #store;
  #address;

  /**
   * @param {{open: () => Promise<Cache>}} store where the list outlives the worker
   * @param {string} scope the URL of the worker's scope
   */
  constructor(store, scope) {
    this.#store = store;
    this.#address = scope + LIST;
  }

  /** Whether there is a list. */
  get known() {
    return this.#names !== null;
  }

  /** True, false, or null as long as nobody has looked. */
  has(name) {
    return this.#names === null ? null : this.#names.has(name);
  }

  /** Reads the list that an earlier life of the worker left; false if none did. */
  async recall() {
    const kept = await (await this.#store.open()).match(this.#address);
    if (kept !== undefined) {
      this.#names ??= new Set(await kept.json());
    }
    return this.known;
  }

  /** Makes the list unknown, until it is remembered anew. */
  forget() {
    this.#names = null;
  }

  /** Replaces the list. It is durable when the promise is fulfilled. */
  async remember(names) {
    const news = this.#names === null || names.length !== this.#names.size || names.some((name) => !this.#names.has(name));
    this.#names = new Set(names);
    if (news) {
      await (await this.#store.open()).put(this.#address, new Response(JSON.stringify(names)));
    }
  }
}
