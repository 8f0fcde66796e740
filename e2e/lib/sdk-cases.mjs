// Cases for every method of @azure/data-tables. They run in Node.js with a key
// and in pages with a SAS or no credential, against the native server and the
// worker. Pages run the functions' source, so none captures anything.

import { serviceCases } from "./sdk-service-cases.mjs";

/**
 * Returns the context that the cases run with.
 *
 * @param {object} sdk the module's exports
 * @param {{address: string, account?: string, key?: string, sas?: string, sasInURL?: boolean, options?: object}} access
 */
export function context(sdk, { address, account, key, sas, sasInURL, options = {} }) {
  const url = sasInURL ? `${address}?${sas}` : address;
  const credential = () => {
    if (key) return [new sdk.AzureNamedKeyCredential(account, key)];
    return sas && !sasInURL ? [new sdk.AzureSASCredential(sas)] : [];
  };
  return {
    sdk,
    service: new sdk.TableServiceClient(url, ...credential(), options),
    client: (table) => new sdk.TableClient(url, table, ...credential(), options),
    /** Collects an iterator. */
    async all(iterator, property) {
      const found = [];
      for await (const item of iterator) found.push(property ? item[property] : item);
      return found;
    },
    /** Returns the status and code of the service's error. */
    refused: (promise) =>
      promise.then(
        () => "done",
        (error) => {
          if (!(error instanceof sdk.RestError)) return String(error);
          // XML errors have a namespace prefix that the SDK does not expect; a header has the code too.
          return [error.statusCode, error.details?.odataError?.code ?? error.response?.headers.get("x-ms-error-code") ?? error.code ?? null];
        },
      ),
  };
}

/**
 * Each case's run takes a context and must return want. Variants for a SAS or
 * for Cosmos DB follow it; cosmosLacks marks what Cosmos DB answers with 501.
 */
export const cases = [
  {
    name: "tables are created, listed by filter and page, and deleted",
    async run({ sdk, service, all }) {
      for (const name of ["ListB", "ListA", "ListC", "ListA"]) await service.createTable(name); // the SDK treats 409 as success
      const queryOptions = { filter: sdk.odata`TableName ge ${"ListA"} and TableName lt ${"ListD"}` };
      const names = (page) => page.map(({ name }) => name);
      const first = await service.listTables({ queryOptions }).next();
      const pages = await all(service.listTables({ queryOptions }).byPage({ maxPageSize: 2 }));
      const { continuationToken } = pages[0];
      const rest = await all(service.listTables({ queryOptions }).byPage({ continuationToken, maxPageSize: 2 }));
      await service.deleteTable("ListB");
      await service.deleteTable("ListB"); // and 404 too
      return {
        first: first.value.name,
        pages: pages.map(names),
        rest: rest.map(names),
        left: await all(service.listTables({ queryOptions }), "name"),
      };
    },
    want: { first: "ListA", pages: [["ListA", "ListB"], ["ListC"]], rest: [["ListC"]], left: ["ListA", "ListC"] },
  },
  {
    name: "a table client creates and deletes its table",
    async run({ client, service, all, refused }) {
      const own = client("Own");
      await own.createTable();
      await own.createTable();
      const queryOptions = { filter: "TableName eq 'Own'" };
      const there = await all(service.listTables({ queryOptions }), "name");
      await own.deleteTable();
      await own.deleteTable();
      return {
        there,
        gone: await all(service.listTables({ queryOptions }), "name"),
        without: await refused(own.createEntity({ partitionKey: "p", rowKey: "r" })),
        name: await refused(service.createTable("a_b")),
        short: await refused(service.createTable("ab")),
        filter: await refused(all(service.listTables({ queryOptions: { filter: "startswith(TableName,'O')" } }))),
      };
    },
    want: { there: ["Own"], gone: [], without: [404, "TableNotFound"], name: [400, "InvalidResourceName"], short: [400, "OutOfRangeInput"], filter: [501, "NotImplemented"] },
    wantOfCosmos: { without: [404, "ResourceNotFound"], name: "done", short: "done" }, // its names have other limits
  },
  {
    name: "an entity is created, read whole and in part, and deleted",
    async run({ client, refused }) {
      const people = client("People");
      await people.createTable();
      const made = await people.createEntity({ partitionKey: "o'x é", rowKey: "100% + &", name: "Åsa", age: 21, none: null });
      const whole = await people.getEntity("o'x é", "100% + &");
      const part = await people.getEntity("o'x é", "100% + &", { queryOptions: { select: ["age", "missing"] } });
      const again = await refused(people.createEntity({ partitionKey: "o'x é", rowKey: "100% + &" }));
      const { etag, timestamp, "odata.metadata": metadata, ...rest } = whole;
      await people.deleteEntity("o'x é", "100% + &");
      return {
        rest,
        part: [part.age, part.name ?? null, part.missing ?? null],
        tag: etag === made.etag && /^W\/"datetime'\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d(\.\d+)?Z'"$/.test(etag),
        stamp: etag.includes(encodeURIComponent(timestamp)),
        metadata: metadata.endsWith("/$metadata#People/@Element"),
        headers: [made.version, made.preferenceApplied, made.clientRequestId?.length > 0, made.requestId?.length > 0],
        again,
        gone: await refused(people.getEntity("o'x é", "100% + &")),
        twice: await refused(people.deleteEntity("o'x é", "100% + &")),
      };
    },
    want: {
      rest: { partitionKey: "o'x é", rowKey: "100% + &", name: "Åsa", age: 21 },
      part: [21, null, null],
      tag: true,
      stamp: true,
      metadata: true,
      headers: ["2019-02-02", "return-no-content", true, true],
      again: [409, "EntityAlreadyExists"],
      gone: [404, "ResourceNotFound"],
      twice: [404, "ResourceNotFound"],
    },
    wantOfCosmos: { headers: [null, "return-no-content", false, true] }, // Cosmos DB sends no version header, and repeats no id
  },
  {
    name: "every type round-trips",
    async run({ client, all }) {
      const types = client("Types");
      await types.createTable();
      const sent = {
        text: { type: "String", value: "😀 / <&> \u0001" },
        empty: { type: "String", value: "" },
        yes: { type: "Boolean", value: "true" },
        int32: { type: "Int32", value: "-2147483648" },
        int64: { type: "Int64", value: "9223372036854775807" },
        double: { type: "Double", value: "3" },
        small: { type: "Double", value: "1e-7" },
        endless: { type: "Double", value: "-Infinity" },
        nan: { type: "Double", value: "NaN" },
        when: { type: "DateTime", value: "2013-08-02T17:37:43.0090043Z" },
        guid: { type: "Guid", value: "c9da6455-213d-42c9-9a79-3e9149a57833" },
        bytes: { type: "Binary", value: "AAH/" },
      };
      await types.createEntity({ partitionKey: "p", rowKey: "r", ...sent });
      const typed = await types.getEntity("p", "r", { disableTypeConversion: true });
      const [listed] = await all(types.listEntities({ disableTypeConversion: true }));
      const plain = await types.getEntity("p", "r");
      const pick = (entity) => Object.fromEntries(Object.keys(sent).map((name) => [name, entity[name]]));
      return {
        typed: pick(typed),
        same: JSON.stringify(pick(listed)) === JSON.stringify(pick(typed)),
        plain: [plain.text, plain.yes, plain.int32, String(plain.int64), plain.double, plain.small, plain.when.toISOString(), [...plain.bytes], plain.guid.value],
      };
    },
    want: {
      typed: {
        text: { type: "String", value: "😀 / <&> \u0001" },
        empty: { type: "String", value: "" },
        yes: { type: "Boolean", value: "true" },
        int32: { type: "Int32", value: "-2147483648" },
        int64: { type: "Int64", value: "9223372036854775807" },
        double: { type: "Int32", value: "3" }, // JSON carries no type for 3.0, and JavaScript drops the .0
        small: { type: "Double", value: "1e-7" },
        endless: { type: "Double", value: "-Infinity" },
        nan: { type: "Double", value: "NaN" },
        when: { type: "DateTime", value: "2013-08-02T17:37:43.0090043Z" },
        guid: { type: "Guid", value: "c9da6455-213d-42c9-9a79-3e9149a57833" },
        bytes: { type: "Binary", value: "AAH/" },
      },
      same: true,
      plain: ["😀 / <&> \u0001", true, -2147483648, "9223372036854775807", 3, 1e-7, "2013-08-02T17:37:43.009Z", [0, 1, 255], "c9da6455-213d-42c9-9a79-3e9149a57833"],
    },
  },
  {
    name: "update merges and replaces, with and without an ETag",
    async run({ client, refused }) {
      const table = client("Updates");
      await table.createTable();
      const entity = (more) => ({ partitionKey: "p", rowKey: "r", ...more });
      const show = async () => {
        const { a = null, b = null, c = null } = await table.getEntity("p", "r");
        return [a, b, c];
      };
      const { etag: stale } = await table.createEntity(entity({ a: 1, b: 1 }));
      const states = [];
      let { etag } = await table.updateEntity(entity({ b: 2 })); // merge without a condition
      states.push(await show());
      ({ etag } = await table.updateEntity(entity({ c: 3 }), "Merge", { etag }));
      states.push(await show());
      ({ etag } = await table.updateEntity(entity({ c: 4 }), "Replace", { etag }));
      states.push(await show());
      ({ etag } = await table.updateEntity(entity({ a: 5 }), "Replace"));
      states.push(await show());
      const refusals = [
        await refused(table.updateEntity(entity({ a: 9 }), "Merge", { etag: stale })),
        await refused(table.updateEntity(entity({ a: 9 }), "Replace", { etag: stale })),
        await refused(table.deleteEntity("p", "r", { etag: stale })),
        await refused(table.updateEntity({ partitionKey: "p", rowKey: "missing" }, "Merge")),
        await refused(table.updateEntity({ partitionKey: "p", rowKey: "missing" }, "Replace")),
      ];
      states.push(await show());
      await table.deleteEntity("p", "r", { etag });
      return { states, refusals, gone: await refused(table.getEntity("p", "r")) };
    },
    want: {
      states: [[1, 2, null], [1, 2, 3], [null, null, 4], [5, null, null], [5, null, null]],
      refusals: [[412, "UpdateConditionNotSatisfied"], [412, "UpdateConditionNotSatisfied"], [412, "UpdateConditionNotSatisfied"], [404, "ResourceNotFound"], [404, "ResourceNotFound"]],
      gone: [404, "ResourceNotFound"],
    },
  },
  {
    name: "upsert inserts, merges and replaces",
    async run({ client }) {
      const table = client("Upserts");
      await table.createTable();
      const states = [];
      for (const [more, mode] of [[{ a: 1 }], [{ b: 2 }, "Merge"], [{ c: 3 }, "Replace"]]) {
        const { etag } = await table.upsertEntity({ partitionKey: "p", rowKey: "r", ...more }, mode);
        const { a = null, b = null, c = null, etag: stored } = await table.getEntity("p", "r");
        states.push([a, b, c, etag === stored]);
      }
      const { etag } = await table.upsertEntity({ partitionKey: "p", rowKey: "new" }, "Replace");
      return { states, made: (await table.getEntity("p", "new")).etag === etag };
    },
    want: { states: [[1, null, null, true], [1, 2, null, true], [null, null, 3, true]], made: true },
  },
  {
    name: "filters built by the odata helper match",
    async run({ sdk, client, all, refused }) {
      const table = client("Filters");
      await table.createTable();
      const when = new Date("2020-02-29T12:00:00.5Z");
      const guid = "12345678-9abc-def0-1234-56789abcdef0";
      await table.createEntity({ partitionKey: "it's", rowKey: "1", n: 1, on: true, name: "o'Neil", when, big: 1n, d: 1.5, id: { type: "Guid", value: guid }, raw: new Uint8Array([1, 255]) });
      await table.createEntity({ partitionKey: "it's", rowKey: "2", n: 2, on: false, name: "Zoë", when: new Date(0), big: 9007199254740993n, d: -0.25 });
      await table.createEntity({ partitionKey: "q", rowKey: "3" });
      const { odata } = sdk;
      const filters = {
        text: odata`name eq ${"o'Neil"}`,
        quoted: odata`name eq '${"o'Neil"}'`,
        letters: odata`name eq ${"Zoë"}`,
        key: odata`PartitionKey eq ${"it's"} and RowKey gt ${"1"}`,
        number: odata`n ge ${2}`,
        flag: odata`on eq ${true}`,
        date: odata`when eq ${when}`,
        long: odata`big gt ${9007199254740992n}L`,
        double: odata`d lt ${-0.1}`,
        guid: odata`id eq guid${guid}`,
        binary: odata`raw eq X'01ff'`,
        not: odata`not (n eq ${1})`,
        none: odata`PartitionKey eq ${"it''s"}`,
      };
      const found = {};
      for (const [name, filter] of Object.entries(filters)) {
        found[name] = (await all(table.listEntities({ queryOptions: { filter } }), "rowKey")).join();
      }
      const query = (filter) => refused(all(table.listEntities({ queryOptions: { filter } })));
      return { found, syntax: await query("n eq"), types: await query("n eq 'x' and"), functions: await query("startswith(name,'o')") };
    },
    want: {
      found: { text: "1", quoted: "1", letters: "2", key: "2", number: "2", flag: "1", date: "1", long: "2", double: "2", guid: "1", binary: "1", not: "2,3", none: "" },
      syntax: [400, "InvalidInput"],
      types: [400, "InvalidInput"],
      functions: [501, "NotImplemented"],
    },
  },
  {
    name: "1,100 entities are paged, and paging can be resumed",
    async run({ client, all }) {
      const table = client("Pages");
      await table.createTable();
      for (let start = 0; start < 1100; start += 100) {
        const keys = Array.from({ length: 100 }, (_, i) => String(start + i).padStart(5, "0"));
        await table.submitTransaction(keys.map((rowKey) => ["create", { partitionKey: "p", rowKey }]));
      }
      const sizes = async (...settings) => (await all(table.listEntities().byPage(...settings))).map((page) => page.length);
      const { value: page } = await table.listEntities().byPage({ maxPageSize: 400 }).next();
      const rest = await all(table.listEntities().byPage({ maxPageSize: 400, continuationToken: page.continuationToken }));
      const keys = await all(table.listEntities({ queryOptions: { select: ["RowKey"] } }), "rowKey");
      const first = await table.listEntities().next();
      return {
        whole: await sizes(),
        pages: await sizes({ maxPageSize: 400 }),
        exact: await sizes({ maxPageSize: 550 }),
        rest: [rest.map((p) => p.length), rest[0][0].rowKey, rest.at(-1).continuationToken ?? null],
        keys: keys.length === 1100 && keys.every((key, i) => Number(key) === i),
        first: first.value.rowKey,
      };
    },
    want: { whole: [1000, 100], pages: [400, 400, 300], exact: [550, 550], rest: [[400, 300], "00400", null], keys: true, first: "00000" },
  },
  {
    name: "a transaction executes every action of its helper",
    async run({ sdk, client, all }) {
      const table = client("Transactions");
      await table.createTable();
      const entity = (rowKey, more) => ({ partitionKey: "p", rowKey, ...more });
      const tags = {};
      for (const rowKey of ["merged", "replaced", "tagged", "upserted", "deleted"]) {
        tags[rowKey] = (await table.createEntity(entity(rowKey, { old: 1 }))).etag;
      }
      const work = new sdk.TableTransaction();
      work.createEntity(entity("created", { fresh: 1 }));
      work.updateEntity(entity("merged", { fresh: 1 }));
      work.updateEntity(entity("replaced", { fresh: 1 }), "Replace");
      work.updateEntity(entity("tagged", { fresh: 1 }), "Merge", { etag: tags.tagged });
      work.upsertEntity(entity("upserted", { fresh: 1 }), "Replace");
      work.upsertEntity(entity("made", { fresh: 1 }));
      work.deleteEntity("p", "deleted");
      const { status, subResponses, getResponseForEntity } = await table.submitTransaction(work.actions);
      const states = await all(table.listEntities());
      return {
        status,
        parts: subResponses.map((part) => [part.status, part.rowKey ?? null, typeof part.etag]),
        states: states.map(({ rowKey, old = 0, fresh = 0 }) => `${rowKey} ${old}${fresh}`),
        tag: getResponseForEntity("created").etag === states.find(({ rowKey }) => rowKey === "created").etag,
      };
    },
    want: {
      status: 202,
      // The service sends Location for inserts only, so the SDK knows no other row keys.
      parts: [[204, "created", "string"], ...Array(5).fill([204, null, "string"]), [204, null, "undefined"]],
      states: ["created 01", "made 01", "merged 11", "replaced 01", "tagged 11", "upserted 01"],
      tag: true,
    },
  },
  {
    name: "a failed transaction changes nothing",
    async run({ sdk, client, all, refused }) {
      const table = client("Refused");
      await table.createTable();
      const { etag: stale } = await table.createEntity({ partitionKey: "p", rowKey: "there" });
      await table.updateEntity({ partitionKey: "p", rowKey: "there", n: 1 });
      const create = (rowKey, more) => ["create", { partitionKey: "p", rowKey, ...more }];
      const submit = async (actions) => {
        const error = await table.submitTransaction(actions).catch((error) => error);
        if (!(error instanceof Error)) return "done";
        return [...(await refused(Promise.reject(error))), /^\d+:/.exec(error.message)?.[0] ?? null];
      };
      const tagged = new sdk.TableTransaction([create("a")]);
      tagged.updateEntity({ partitionKey: "p", rowKey: "there" }, { etag: stale });
      return {
        exists: await submit([create("a"), create("there")]),
        missing: await submit([create("a"), create("b"), ["delete", { partitionKey: "p", rowKey: "missing" }]]),
        stale: await submit(tagged.actions),
        twice: await submit([create("a"), ["upsert", { partitionKey: "p", rowKey: "a" }]]),
        large: await submit([create("a"), create("b", { text: "x".repeat(32769) })]),
        alone: await submit([create("there")]), // the service omits the index then
        many: await submit(Array.from({ length: 101 }, (_, i) => create(String(i)))),
        partitions: (await refused(table.submitTransaction([create("a"), ["create", { partitionKey: "q", rowKey: "a" }]]))).slice(0, 32),
        left: await all(table.listEntities(), "rowKey"),
      };
    },
    want: {
      exists: [409, "EntityAlreadyExists", "1:"],
      missing: [404, "ResourceNotFound", "2:"],
      stale: [412, "UpdateConditionNotSatisfied", "1:"],
      twice: [400, "InvalidDuplicateRow", "1:"],
      large: [400, "PropertyValueTooLarge", "1:"],
      alone: [409, "EntityAlreadyExists", null],
      many: [400, "InvalidInput", "99:"],
      partitions: "Error: All operations in a trans",
      left: ["there"],
    },
    // Cosmos DB always sends the index, and accepts a duplicate entity and more than 100 operations.
    wantOfCosmos: {
      twice: "done", large: [409, "EntityAlreadyExists", "0:"], alone: [409, "EntityAlreadyExists", "0:"], many: "done",
      left: [...Array.from({ length: 101 }, (_, i) => String(i)).sort(), "a", "there"],
    },
  },
  ...serviceCases,
];
