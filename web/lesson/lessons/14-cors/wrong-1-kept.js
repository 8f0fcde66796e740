// Hint: No rule may have it
import { TableServiceClient } from "@azure/data-tables";

const service = new TableServiceClient("https://playground.table.core.windows.net");

await service.setProperties({
  cors: [
    {
      allowedOrigins: "https://shop.example",
      allowedMethods: "GET",
      allowedHeaders: "*",
      exposedHeaders: "",
      maxAgeInSeconds: 3600,
    },
    {
      allowedOrigins: "*",
      allowedMethods: "GET,PUT,POST,MERGE,DELETE",
      allowedHeaders: "*",
      exposedHeaders: "",
      maxAgeInSeconds: 3600,
    },
  ],
});
