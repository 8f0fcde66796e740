// A new log for the browser's own database, before ours is opened.
//
// Chromium keeps all databases of an origin in LevelDB, which writes every
// change to a log first. A browser that is killed may leave a record there that
// is not whole. The next one reads the log up to it, and goes on writing behind
// it; then the one after that takes what was cut short for damage, and deletes
// all databases of the origin, although nothing of ours was ever wrong
// (https://github.com/google/leveldb/issues/1287; docs/decisions/0015).
//
// To delete any database has LevelDB begin another log, and the old one goes,
// with all that is wrong with it. So one is made, with nothing in it, and deleted.

/**
 * Has the browser begin a new log, if it is one that needs it.
 *
 * @param {string} name of a database that is nobody's
 * @returns {Promise<void>} is never rejected: what cannot be done here is no reason not to start
 */
async function beginNewLog(name) {
  if (!navigator.userAgentData) {
    return; // only Chromium has that, and this trouble
  }
  try {
    const database = await answered(indexedDB.open(name));
    database.close();
    await answered(indexedDB.deleteDatabase(name));
  } catch (error) {
    console.warn("Sandtable could not have the browser begin a new log:", error);
  }
}

function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
