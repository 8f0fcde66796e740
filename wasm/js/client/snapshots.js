// The snapshots of accounts.

import { loadArchive, openArchive } from "./archive.js";
import { checkedAccount, checkedCount, idOf, known, refuseOption } from "./options.js";

/** @import { ArchiveSource, LoadProgress } from "./sandtable.d.ts" */
/** @import { Snapshot, SnapshotDifferences } from "./snapshot.d.ts" */
/** @import { Control } from "./control.js" */

export class Snapshots {
  #control;

  /** @param {Control} control */
  constructor(control) {
    this.#control = control;
  }

  /**
   * @param {string} account
   * @returns {Promise<Snapshot[]>}
   */
  async list(account) {
    return (await this.#control.json("GET", path("snapshots.list", account))).snapshots;
  }

  /**
   * @param {string} account
   * @param {{name?: string}} [options]
   * @returns {Promise<Snapshot>}
   */
  async take(account, options) {
    const { name = new Date().toISOString().slice(0, 19).replace("T", " ") } = known("snapshot", options, ["name"]);
    return this.#control.once("POST", path("snapshot", account), { name });
  }

  /**
   * @param {string} account
   * @param {string | {id: string}} snapshot
   * @param {{keep?: boolean}} [options]
   * @returns {Promise<{restored: Snapshot, before: Snapshot | null}>}
   */
  async restore(account, snapshot, options) {
    const { keep = true } = known("restore", options, ["keep"]);
    return this.#control.once("POST", path("restore", account, "restore"), { id: idOf("restore", snapshot), keep });
  }

  /**
   * @param {string} account
   * @param {string | {id: string}} snapshot
   * @param {string} name
   * @returns {Promise<Snapshot>}
   */
  async rename(account, snapshot, name) {
    return this.#control.json("PATCH", path("snapshots.rename", account) + query("snapshots.rename", snapshot), { name });
  }

  /**
   * @param {string} account
   * @param {string | {id: string}} snapshot
   */
  async delete(account, snapshot) {
    await this.#control.delete(path("snapshots.delete", account) + query("snapshots.delete", snapshot));
  }

  /**
   * @param {string} account
   * @param {string | {id: string}} snapshot
   * @param {{limit?: number}} [options]
   * @returns {Promise<SnapshotDifferences>}
   */
  async compare(account, snapshot, options) {
    const { limit = 100 } = known("snapshots.compare", options, ["limit"]);
    const count = checkedCount("snapshots.compare", "limit", limit);
    return this.#control.json("GET", `${path("snapshots.compare", account, "differences")}${query("snapshots.compare", snapshot)}&limit=${count}`);
  }

  /**
   * If the file cannot be read to its end, the incomplete snapshot is deleted.
   *
   * @param {string} account
   * @param {ArchiveSource} source
   * @param {{name?: string, onProgress?: (progress: LoadProgress) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<Snapshot>}
   */
  async open(account, source, options) {
    const { name = "from a file", onProgress, signal } = known("snapshots.open", options, ["name", "onProgress", "signal"]);
    const archive = await openArchive(source, signal);
    let id = "";
    try {
      ({ id } = await this.#control.once("POST", path("snapshots.open", account), { name, kind: "file" }));
      await loadArchive(this.#control, `account=${account}&snapshot=${id}&`, archive, { onProgress, signal });
    } catch (reason) {
      archive.stream.cancel().catch(() => {}); // unless it is being read
      if (id !== "") await this.delete(account, id).catch(() => {});
      throw reason;
    }
    return /** @type {Snapshot} */ ((await this.list(account)).find((snapshot) => snapshot.id === id));
  }
}

/**
 * @param {string} method
 * @param {string} account
 * @param {string} [action]
 */
function path(method, account, action = "snapshots") {
  return `accounts/${checkedAccount(method, account)}/${action}`;
}

/**
 * @param {string} method
 * @param {string | {id: string}} snapshot
 */
function query(method, snapshot) {
  return "?id=" + encodeURIComponent(idOf(method, snapshot));
}
