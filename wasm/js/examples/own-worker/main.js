import { start } from "./sandtable.js";

const registration = await navigator.serviceWorker.register("worker.js");
const sandtable = await start({ worker: registration });

const endpoint = sandtable.endpoint();
const headers = { Accept: "application/json;odata=nometadata", "Content-Type": "application/json" };
await fetch(`${endpoint}/Tables`, { method: "POST", headers, body: JSON.stringify({ TableName: "Visits" }) }); // 409 from the second visit on

const { value } = await (await fetch(`${endpoint}/Tables`, { headers })).json();
document.querySelector("#tables").value = value.map(({ TableName }) => TableName).join(", ");
document.querySelector("#greeting").value = await (await fetch("greeting")).text();
document.documentElement.dataset.ready = "";
