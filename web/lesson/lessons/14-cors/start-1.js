import { TableServiceClient } from "@azure/data-tables";

const service = new TableServiceClient("https://playground.table.core.windows.net");

await service.setProperties({
  cors: [
    {
      allowedOrigins: "*",
      allowedMethods: "GET,PUT,POST,MERGE,DELETE",
      allowedHeaders: "*",
      exposedHeaders: "",
      maxAgeInSeconds: 3600,
    },
  ],
});
