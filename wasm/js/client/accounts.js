// The accounts of a store.

import { SandtableError } from "./errors.js";
import { checkAccess, checkedAccount, known } from "./options.js";

/** @import { Access, Account } from "./sandtable.d.ts" */
/** @import { Control } from "./control.js" */

export class Accounts {
  #control;

  /** @param {Control} control */
  constructor(control) {
    this.#control = control;
  }

  /** @returns {Promise<Account[]>} */
  async list() {
    return (await this.#control.json("GET", "accounts")).accounts;
  }

  /**
   * If the response to an attempt was lost, the next attempt may find the account
   * that the first one created, which is not a conflict.
   *
   * @param {string} name
   * @param {{access?: Access}} [options]
   * @returns {Promise<Account>}
   */
  async create(name, options) {
    const { access } = known("accounts.create", options, ["access"]);
    checkAccess("accounts.create", access);
    const path = "accounts/" + checkedAccount("accounts.create", name);
    const before = await this.#control.json("GET", path).catch(absent);
    try {
      return await this.#control.json("POST", "accounts", access === undefined ? { name } : { name, access });
    } catch (reason) {
      const created = isUnsure(reason, 409) && before === null ? await this.#control.json("GET", path).catch(absent) : null;
      if (created === null || created.access !== (access ?? created.access)) {
        throw reason;
      }
      return created;
    }
  }

  /** @param {string} name */
  async delete(name) {
    try {
      await this.#control.json("DELETE", "accounts/" + checkedAccount("accounts.delete", name));
    } catch (reason) {
      if (!isUnsure(reason, 404)) throw reason; // otherwise an earlier attempt without a response has deleted it
    }
  }

  /**
   * @param {string} name
   * @param {Access} access
   * @returns {Promise<Account>}
   */
  async setAccess(name, access) {
    checkAccess("accounts.setAccess", access);
    return this.#control.json("PATCH", "accounts/" + checkedAccount("accounts.setAccess", name), { access });
  }
}

/**
 * Whether an error has a status, and an earlier attempt of its request may have succeeded.
 *
 * @param {unknown} reason
 * @param {number} status
 */
export function isUnsure(reason, status) {
  return reason instanceof SandtableError && reason.status === status && reason.unsure === true;
}

/**
 * @param {SandtableError} reason
 * @returns {null} if the control API found nothing
 */
export function absent(reason) {
  if (reason.status !== 404) throw reason;
  return null;
}
