import { expect, test } from "vitest";

import type { Feature, ObjectOptions } from "../../../../src/cloudflare/feature.ts";
import { endpoints } from "../../../../src/features/endpoints/index.ts";
import { openEndpoints, taken } from "./endpoint-world.ts";

const DAY_MS = 86_400_000;
const TABLES = ["portal_links", "event_batches"];

test("A directory keeps no link that has ended, and no key of a batch that may be used again, for a tenant that does nothing more", async () => {
  const opened: DurableObjectState[] = [];
  const { objects, ...rest } = endpoints();
  type Directory = new (ctx: DurableObjectState, env: object) => object;
  const feature: Feature = {
    ...rest,
    objects: {
      ...objects,
      EndpointDirectory: {
        ...objects!.EndpointDirectory,
        create: (options: ObjectOptions) =>
          class extends (objects!.EndpointDirectory.create(options) as unknown as Directory) {
            constructor(ctx: DurableObjectState, env: object) {
              super(ctx, env);
              opened.push(ctx);
            }
          } as never,
      },
    },
  };
  const world = await openEndpoints(taken, { feature });
  const count = (table: string) => opened[0]!.storage.sql.exec(`SELECT * FROM ${table}`).toArray().length;
  const events = [{ type: "order.paid", data: {} }];
  const headers = { "idempotency-key": "k" };
  expect((await world.send("POST", "/v1/events/batch", { events }, headers)).status).toBe(202);
  await world.later(2 * DAY_MS);
  const link = { customer: "c_1", expires_in_s: 3 * 86_400 };
  expect((await world.send("POST", "/v1/portal_links", link)).status).toBe(201);
  expect(TABLES.map(count)).toEqual([1, 0]);
  await world.later(2 * DAY_MS);
  expect(TABLES.map(count)).toEqual([1, 0]);
  await world.later(3 * DAY_MS);
  expect(TABLES.map(count)).toEqual([0, 0]);
});
