import { TableServiceClient } from "@azure/data-tables";

const service = new TableServiceClient("https://playground.table.core.windows.net");

await service.setProperties({
  cors: [
    {
      allowedOrigins: "https://shop.example",
      allowedMethods: "GET",
      allowedHeaders: "*",
      exposedHeaders: "etag,x-ms-*",
      maxAgeInSeconds: 3600,
    },
  ],
});
