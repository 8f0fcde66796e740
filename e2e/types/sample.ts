// What a program in TypeScript writes. It is compiled, not run.

import { AzureSASCredential, TableClient, TableServiceClient } from "@azure/data-tables";
import "sandtable/elements";
import { createClient, describeError, formatError, start, SandtableError, version, type Account, type Expectation, type FaultState, type Counts, type Sandtable, type SandtableErrorCode, type Status } from "sandtable";

export async function use(): Promise<void> {
  const sandtable: Sandtable = await start({
    worker: new URL("https://example.com/worker.js"),
    scope: "/",
    accounts: ["demo", { name: "closed", access: "strict" }],
    durability: "strict",
    seed: async (s) => void (await s.load("seed.jsonl")),
    fallback: "worker",
  });
  const client = new TableClient(sandtable.endpoint(), "Customers", { httpClient: sandtable.httpClient });
  await client.createTable();
  const service = new TableServiceClient(sandtable.endpoint("demo"), new AzureSASCredential("sig=x"), { httpClient: sandtable.httpClient });
  await service.createTable("Orders");
  TableClient.fromConnectionString(await sandtable.connectionString("demo"), "Orders");
  const url: string = await sandtable.sasUrl("demo", { table: "Orders", permissions: "r", expiresOn: new Date() });
  const accounts: Account[] = await sandtable.accounts.list();
  await sandtable.accounts.create("more", { access: "open" });
  await sandtable.accounts.setAccess("more", "strict");
  await sandtable.accounts.delete("more");
  const archive: Blob = await sandtable.dump({ account: "demo" });
  const counts: Counts = await sandtable.load(archive, { account: "other", onProgress: ({ entities, bytes, totalBytes }) => console.log(entities, bytes, totalBytes ?? 0) });
  await sandtable.reset({ account: "demo" });
  const { problemCount, problems } = await sandtable.verify({ onProgress: ({ entities }) => console.log(entities), signal: AbortSignal.timeout(60_000) });
  const { before, after } = await sandtable.compact({ onProgress: ({ blocks }) => console.log(blocks) });
  console.log(problemCount, problems.join(), before.bytes - after.bytes);
  const { mode, lost, store }: Status = await sandtable.status();
  const off: () => void = sandtable.on("change", ({ kind, table }) => console.log(kind, table));
  sandtable.on("request", ({ status, milliseconds }) => console.log(status, milliseconds));
  const state: FaultState = await sandtable.faults.set("demo", { seed: 1, rules: [{ operation: "any write", effect: "ServerBusy", share: 0.2, until: new Date() }] });
  await sandtable.faults.set(undefined, { rules: state.rules, keepCounts: true });
  await sandtable.faults.switch("demo", false);
  await sandtable.faults.clear();
  const expectation: Expectation = await sandtable.expectRequests({ account: "demo" });
  await expectation.toBe([{ operation: "Get Entity", status: 200 }]);
  await expectation.toInclude({ plan: "point", times: 2 });
  await expectation.notToInclude({ plan: "table scan" });
  new TableClient(sandtable.endpoint(), "Customers", { httpClient: sandtable.labelled("run 1") });
  sandtable.on("request", ({ fault, label, operations }) => console.log(fault?.rule, label, operations?.length), { account: "demo" });
  console.log(describeError(new Error("x")).code, formatError("y"));
  const { port1, port2 } = new MessageChannel();
  const disconnect: () => void = sandtable.connect(port1, { accounts: ["demo"], operations: ["Query Entities"] });
  const sandboxed = createClient(port2);
  new TableClient(sandtable.endpoint("demo"), "Orders", { httpClient: sandboxed.httpClient });
  console.log((await sandboxed.fetch("https://demo.table.core.windows.net/Tables")).status);
  sandboxed.close();
  disconnect();
  const sandbox = sandtable.createSandbox({ accounts: ["demo"], limits: { time: 5000 }, label: "run 1" });
  const run = sandbox.run("console.log(1)", { log: (level, text, line, values) => console.log(level, text, line, values?.[0].members?.length), table: ({ rows }) => console.log(rows.length) });
  run.stop();
  console.log((await run.ended).outcome satisfies "finished" | "failed" | "stopped" | "time" | "limit");
  document.createElement("sandtable-playground").sandtable = sandtable;
  sandtable.on("update", async ({ take }) => take());
  sandtable.on("error", ({ code, message, reset }) => console.log(code, message, reset));
  const recovered: () => void = sandtable.on("recovered", ({ code }) => console.log(code satisfies SandtableErrorCode));
  sandtable.on("change", ({ before, after }) => console.log(before?.RowKey, after?.PartitionKey), { values: true });
  const { partitions, next } = await sandtable.partitions("shop", "orders", { limit: 10 });
  console.log(partitions[0].bytes, next, (await sandtable.setClock(new Date())).offset);
  const { id } = await sandtable.snapshot("shop", { name: "before the demo" });
  const { before: replaced } = await sandtable.restore("shop", id);
  const { comeBack, first } = await sandtable.snapshots.compare("shop", id, { limit: 10 });
  console.log(replaced?.name, comeBack, first[0].after?.RowKey, (await sandtable.snapshots.open("shop", await sandtable.dump({ account: "shop", snapshot: id }))).bytes);
  recovered();
  off();
  await sandtable.close();
  console.log(url, accounts.length, counts.entities, mode, lost.join(), store, version);
}

export function explain(error: unknown): SandtableErrorCode | undefined {
  return error instanceof SandtableError ? error.code : undefined;
}

// What must not compile.
export async function misuse(sandtable: Sandtable): Promise<void> {
  // @ts-expect-error there is no such option
  await start({ workers: 1 });
  // @ts-expect-error nor such a limit
  sandtable.createSandbox({ limits: { seconds: 1 } });
  // @ts-expect-error nor such an access
  await sandtable.accounts.create("a", { access: "closed" });
  // @ts-expect-error nor such an effect
  await sandtable.faults.set("a", { rules: [{ effect: "Sometimes" }] });
  // @ts-expect-error nor such an event
  sandtable.on("changed", () => {});
  // @ts-expect-error a SAS needs its end
  await sandtable.sasUrl("demo", { permissions: "r" });
}
