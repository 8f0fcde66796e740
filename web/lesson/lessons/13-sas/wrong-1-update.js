// Hint: can still change or delete notes
const sas = {
  sp: "rud", // permissions, in the order raud
  se: new Date(Date.now() + 3600_000).toISOString(),
  sv: "2019-02-02",
  tn: "Notes",
};
const resource = "/table/" + account.name + "/" + sas.tn.toLowerCase();
sas.sig = account.sign([sas.sp, "", sas.se, resource, "", "", "", sas.sv, "", "", "", ""].join("\n"));
const query = new URLSearchParams(sas);

const json = { Accept: "application/json;odata=nometadata", "Content-Type": "application/json" };
const read = await fetch(`${account.endpoint}/Notes()?${query}`, { headers: json });
console.log("read", read.status);

const body = JSON.stringify({ PartitionKey: "a", RowKey: "9", text: "mine" });
const write = await fetch(`${account.endpoint}/Notes?${query}`, { method: "POST", headers: json, body });
console.log("write", write.status);
