import { describe, expect, test } from "vitest";

import { openEndpoints } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

const EVENT = { type: "order.paid", data: { n: 1 } };
const events = (count: number) => Array.from({ length: count }, (_, n) => ({ ...EVENT, data: { n } }));

describe("POST /v1/events/batch", () => {
  test("publishes its events in their order, and answers 202 with each one's id and endpoints", async () => {
    const { put, send, sentTo, later } = await openEndpoints();
    await put("a", { ordered: true });
    await put("b", { customer: "c_1", events: ["invoice.*"] });
    const sent = [...events(3), { type: "invoice.due", data: {}, customer: "c_1", id: "i_1" }];
    const { status, body } = await send("POST", "/v1/events/batch", { events: sent });
    expect(status).toBe(202);
    expect(body.events).toEqual([
      ...Array.from({ length: 3 }, () => ({ event_id: expect.stringMatching(/^evt_/), endpoints: 1 })),
      { event_id: "i_1", endpoints: 1 },
    ]);
    await later(5_000);
    expect(sentTo("a").map((one) => JSON.parse(one.body!).data)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    expect(sentTo("a").map((one) => one.headers["webhook-id"])).toEqual(
      body.events.slice(0, 3).map((one: { event_id: string }) => one.event_id),
    );
    // The place alone is not the id: another object's event has the same.
    const first = body.events[0].event_id as string;
    expect((await send("GET", `/v1/events/${first}`)).status).toBe(200);
    expect((await send("GET", `/v1/events/${first.replace(/_[^_]+_/, "_other_")}`)).status).toBe(404);
    const { events: kept } = (await send("GET", "/v1/events")).body;
    expect(kept.map((one: { event_id: string }) => one.event_id)).toEqual(
      body.events.map((one: { event_id: string }) => one.event_id).toReversed(),
    );
  });

  test("has one that is wrong cost itself, and says what is wrong with it at its place", async () => {
    const { put, send, sentTo, later } = await openEndpoints();
    await put("a");
    const schema = { type: "object", properties: { total: { type: "number" } }, required: ["total"] };
    await send("PUT", "/v1/event_types/order.checked", { description: "Checked", schema });
    await send("POST", "/v1/events", { ...EVENT, id: "taken" });
    const { status, body } = await send("POST", "/v1/events/batch", {
      events: [
        EVENT,
        { type: "order.paid" },
        "x",
        { type: "volley.job.dead", data: {} },
        { type: "order.checked", data: { total: "1" } },
        { ...EVENT, data: { n: 2 }, id: "taken" },
        { ...EVENT, dry_run: true },
        EVENT,
      ],
    });
    expect(status).toBe(202);
    const errorAt = (path: string) => ({
      error: {
        code: "INVALID_REQUEST",
        message: expect.stringContaining(path),
        issues: [{ path, expected: expect.any(String), received: expect.any(String) }],
      },
    });
    expect(body.events).toEqual([
      { event_id: expect.any(String), endpoints: 1 },
      errorAt("/events/1/data"),
      errorAt("/events/2"),
      errorAt("/events/3/type"),
      errorAt("/events/4/data/total"),
      { error: { code: "IDEMPOTENCY_CONFLICT", message: expect.any(String) } },
      errorAt("/events/6/dry_run"),
      { event_id: expect.any(String), endpoints: 1 },
    ]);
    await later(5_000);
    expect(sentTo("a")).toHaveLength(3);
  });

  test("takes 1 to 100 events, and refuses a body that is none", async () => {
    const { send } = await openEndpoints();
    expect((await send("POST", "/v1/events/batch", { events: events(100) })).body.events).toHaveLength(100);
    for (const body of [
      { events: [] },
      { events: events(101) },
      { events: {} },
      {},
      { events: [EVENT], x: 1 },
    ])
      expect(await send("POST", "/v1/events/batch", body), JSON.stringify(body)).toMatchObject({
        status: 422,
        body: { code: "INVALID_REQUEST" },
      });
  });

  trial("costs one quota unit an event, all or none: 429 publishes nothing and draws nothing", async () => {
    const { put, send, sentTo, later } = await openEndpoints(undefined, {
      quota: { limit: 10, window_s: 60 },
    });
    await put("a");
    expect((await send("POST", "/v1/events/batch", { events: events(6) })).status).toBe(202);
    const refused = await send("POST", "/v1/events/batch", { events: events(5) });
    expect(refused).toMatchObject({ status: 429, body: { code: "QUOTA_EXCEEDED" } });
    expect(refused.body.detail).toContain("draws 5");
    expect((await send("POST", "/v1/events", EVENT)).status).toBe(202);
    expect((await send("POST", "/v1/events/batch", { events: events(3) })).status).toBe(202);
    expect((await send("POST", "/v1/events", EVENT)).status).toBe(429);
    await later(10_000);
    expect(sentTo("a")).toHaveLength(10);
    const never = await send("POST", "/v1/events/batch", { events: events(11) });
    expect(never).toMatchObject({ status: 429, body: { detail: expect.stringContaining("more than ever") } });
  });

  trial(
    "is one batch for a day under its Idempotency-Key: the same answer and nothing sent again; other content is refused whole",
    async () => {
      const { put, send, sentTo, later } = await openEndpoints();
      await put("a");
      const key = { "idempotency-key": "nightly-7" };
      const batch = { events: [...events(2), { type: "order.paid" }, { ...EVENT, id: "own" }] };
      const first = await send("POST", "/v1/events/batch", batch, key);
      await later(1_000);
      expect(await send("POST", "/v1/events/batch", batch, key)).toEqual(first);
      for (const others of [events(2), events(4), [{ ...EVENT, id: "other" }]])
        expect(await send("POST", "/v1/events/batch", { events: others }, key)).toMatchObject({
          status: 422,
          body: { code: "IDEMPOTENCY_CONFLICT" },
        });
      await later(10_000);
      expect(sentTo("a")).toHaveLength(3);
      await later(24 * 3_600_000);
      const anew = await send("POST", "/v1/events/batch", { events: events(1) }, key);
      expect(anew).toMatchObject({ status: 202, body: { events: [{ endpoints: 1 }] } });
    },
  );

  test("keeps every digit and field of the data", async () => {
    const { put, send, sentTo, later } = await openEndpoints();
    await put("a");
    await send("POST", "/v1/events/batch", '{"events":[{"type":"x","data":{"n":9007199254740993.10}}]}');
    await later(1_000);
    expect(sentTo("a")[0]!.body).toContain("9007199254740993.10");
  });
});
