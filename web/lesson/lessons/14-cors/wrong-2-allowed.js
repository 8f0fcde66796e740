// Hint: are those that a page may **send**
import { TableServiceClient } from "@azure/data-tables";

const service = new TableServiceClient("https://playground.table.core.windows.net");

await service.setProperties({
  cors: [
    {
      allowedOrigins: "https://shop.example",
      allowedMethods: "GET",
      allowedHeaders: "x-ms-*",
      exposedHeaders: "",
      maxAgeInSeconds: 3600,
    },
  ],
});
