// Hint: Only a SAS with `si` ends
async function setPolicies(identifiers) {
  const date = new Date().toUTCString();
  const body = `<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers>${identifiers}</SignedIdentifiers>`;
  const text = ["PUT", "", "application/xml", date, `/${account.name}/Notes?comp=acl`].join("\n");
  const response = await fetch(account.endpoint + "/Notes?comp=acl", {
    method: "PUT",
    headers: {
      "x-ms-date": date,
      "x-ms-version": "2019-02-02",
      Accept: "application/xml",
      "Content-Type": "application/xml",
      Authorization: `SharedKey ${account.name}:${account.sign(text)}`,
    },
    body,
  });
  console.log("policies", response.status);
}

async function read(query) {
  const response = await fetch(`${account.endpoint}/Notes()?${query}`, { headers: { Accept: "application/json;odata=nometadata" } });
  console.log("read", response.status);
}

const expiry = new Date(Date.now() + 3600_000).toISOString();
await setPolicies(`<SignedIdentifier><Id>readers</Id><AccessPolicy><Expiry>${expiry}</Expiry><Permission>r</Permission></AccessPolicy></SignedIdentifier>`);

const resource = "/table/" + account.name + "/notes";
const sas = { si: "readers", sv: "2019-02-02", tn: "Notes" };
sas.sig = account.sign(["", "", "", resource, sas.si, "", "", sas.sv, "", "", "", ""].join("\n"));
const query = new URLSearchParams(sas);
await read(query);

await setPolicies("");
await read("");
