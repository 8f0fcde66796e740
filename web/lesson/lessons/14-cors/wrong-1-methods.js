// Hint: Pages that only read need
import { TableServiceClient } from "@azure/data-tables";

const service = new TableServiceClient("https://playground.table.core.windows.net");

await service.setProperties({
  cors: [
    {
      allowedOrigins: "https://shop.example",
      allowedMethods: "GET,POST",
      allowedHeaders: "*",
      exposedHeaders: "",
      maxAgeInSeconds: 3600,
    },
  ],
});
