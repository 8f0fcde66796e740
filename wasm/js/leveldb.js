// Works around a data loss in Chromium, before our database is opened.
//
// Chromium keeps all databases of an origin in one LevelDB, which appends every
// change to a log. A killed browser may leave a torn record at the end of it.
// The next browser reads the log up to that record and appends after it; the one
// after that takes the torn record for corruption and deletes all databases of the
// origin, although none of our data was corrupt
// (https://github.com/google/leveldb/issues/1287; docs/decisions/0015).
//
// Deleting any database makes LevelDB start a new log and drop the old one with
// its torn record. So we create an empty database and delete it.

/**
 * Makes the browser start a new log, if it needs this. Never rejects: a failure here
 * must not prevent the start.
 *
 * @param {string} name of an otherwise unused database
 */
export async function rotateLog(name) {
  if (!navigator.userAgentData) {
    return; // only Chromium has this API and this problem
  }
  try {
    const database = await done(indexedDB.open(name));
    database.close();
    await done(indexedDB.deleteDatabase(name));
  } catch (error) {
    console.warn("Sandtable could not make the browser start a new log:", error);
  }
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
