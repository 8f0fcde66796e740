// Hint: Another site is refused whatever
import { TableServiceClient } from "@azure/data-tables";

const service = new TableServiceClient("https://playground.table.core.windows.net");

await service.setProperties({
  cors: [
    {
      allowedOrigins: "https://shop.example",
      allowedMethods: "GET",
      allowedHeaders: "*",
      exposedHeaders: "x-ms-*",
      maxAgeInSeconds: 3600,
    },
  ],
});

async function preflight(origin, method) {
  const answer = await fetch("https://playground.table.core.windows.net/Orders", {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": method, "access-control-request-headers": "x-ms-version" },
  });
  console.log(method, answer.status, Object.fromEntries(answer.headers));
}

await preflight("https://shop.example", "GET");
await preflight("https://other.example", "DELETE");
