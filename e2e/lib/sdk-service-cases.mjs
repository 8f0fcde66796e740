// The cases of sdk-cases.mjs with XML documents: access policies, service
// properties and statistics.

export const serviceCases = [
  {
    name: "access policies are stored as set",
    async run({ client, refused }) {
      const table = client("Policies");
      await table.createTable();
      const read = await refused(table.getAccessPolicy());
      if (read !== "done") return { read, write: await refused(table.setAccessPolicy([])) };
      const states = [];
      const set = async (...policies) => {
        await table.setAccessPolicy(policies);
        states.push([...(await table.getAccessPolicy())]);
      };
      const start = new Date("2020-01-01T00:00:00Z");
      const expiry = new Date("2030-01-01T00:00:01Z");
      await set({ id: "whole & <odd>", accessPolicy: { start, expiry, permission: "raud" } }, { id: "part", accessPolicy: { permission: "r" } });
      await set({ id: "name alone" });
      await set();
      const six = Array.from({ length: 6 }, (_, i) => ({ id: `${i}` }));
      return {
        states,
        six: await refused(table.setAccessPolicy(six)),
        without: [await refused(client("None").getAccessPolicy()), await refused(client("None").setAccessPolicy([]))],
      };
    },
    want: {
      states: [
        [
          { id: "whole & <odd>", accessPolicy: { start: "2020-01-01T00:00:00.000Z", expiry: "2030-01-01T00:00:01.000Z", permission: "raud" } },
          { id: "part", accessPolicy: { permission: "r" } },
        ],
        [{ id: "name alone", accessPolicy: {} }],
        [],
      ],
      six: [400, "InvalidXmlDocument"],
      without: [[404, "TableNotFound"], [404, "TableNotFound"]],
    },
    cosmosLacks: true,
    // A SAS cannot grant access to policies.
    wantWithSAS: { read: [403, "AuthorizationFailure"], write: [403, "AuthorizationFailure"] },
  },
  {
    name: "service properties are stored, and omitted ones keep their values",
    async run({ service, refused }) {
      const bare = ({ logging, hourMetrics, minuteMetrics, cors }) => ({ logging, hourMetrics, minuteMetrics, cors });
      const off = { version: "1.0", enabled: false, retentionPolicy: { enabled: false } };
      const whole = {
        logging: { version: "1.0", read: true, write: true, delete: false, retentionPolicy: { enabled: true, days: 5 } },
        hourMetrics: { version: "1.0", enabled: true, includeAPIs: true, retentionPolicy: { enabled: true, days: 365 } },
        minuteMetrics: { version: "1.0", enabled: true, includeAPIs: false, retentionPolicy: { enabled: false } },
        cors: [
          // The first rule keeps access for a page of another origin.
          { allowedOrigins: "*", allowedMethods: "DELETE,GET,HEAD,MERGE,POST,OPTIONS,PUT,PATCH", allowedHeaders: "*", exposedHeaders: "*", maxAgeInSeconds: 0 },
          { allowedOrigins: "https://example.com", allowedMethods: "GET", allowedHeaders: "accept,x-ms-*", exposedHeaders: "", maxAgeInSeconds: 60 },
        ],
      };
      const same = async (want) => {
        const got = bare(await service.getProperties());
        const sorted = (value) => JSON.stringify(value, (_, v) => (v?.constructor === Object ? Object.fromEntries(Object.entries(v).sort()) : v));
        return sorted(got) === sorted(want) || got;
      };
      const before = bare(await service.getProperties());
      await service.setProperties(whole);
      const kept = await same(whole);
      await service.setProperties({ minuteMetrics: off });
      const partly = await same({ ...whole, minuteMetrics: off });
      const rules = Array(6).fill(whole.cors[0]);
      const refusals = [
        await refused(service.setProperties({ cors: rules })),
        await refused(service.setProperties({ hourMetrics: { ...whole.hourMetrics, retentionPolicy: { enabled: true, days: 366 } } })),
      ];
      await service.setProperties(before);
      return { kept, partly, refusals, back: await same(before) };
    },
    want: { kept: true, partly: true, refusals: [[400, "InvalidXmlDocument"], [400, "InvalidXmlDocument"]], back: true },
    cosmosLacks: true,
  },
  {
    name: "the secondary endpoint returns statistics",
    async run({ service }) {
      const { geoReplication } = await service.getStatistics();
      return [geoReplication.status, Math.abs(Date.now() - geoReplication.lastSyncTime) < 60_000];
    },
    want: ["live", true],
    cosmosLacks: true,
  },
];
