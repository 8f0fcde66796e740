// The accounts of a store.

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
    const before = await this.#control.find(path);
    return this.#control.json("POST", "accounts", access === undefined ? { name } : { name, access }).catch(async (reason) => {
      const created = reason.status === 409 && reason.unsure && before === null ? await this.#control.find(path) : null;
      if (created === null || created.access !== (access ?? created.access)) {
        throw reason;
      }
      return created;
    });
  }

  /** @param {string} name */
  async delete(name) {
    await this.#control.delete("accounts/" + checkedAccount("accounts.delete", name));
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
