import type { DirectoryMethods, TypeQuery } from "../../../../src/features/endpoints/directory-methods.ts";
import { endpoints } from "../../../../src/features/endpoints/index.ts";
import { describe, expect, test } from "vitest";

import { HOST, openEndpoints, taken, verify } from "./endpoint-world.ts";
import type { ObjectOptions } from "../../../../src/cloudflare/feature.ts";
import { trial } from "../../../support/trial.ts";

describe("An event", () => {
  test("is delivered to the endpoints that ask for its type, signed as Standard Webhooks", async () => {
    const { put, sentTo, later, send } = await openEndpoints();
    const secret = await put("a", { events: ["order.paid"] });
    await put("b", { events: ["order.*"] });
    await put("c", { events: ["invoice.*", "order"] });
    await put("d");
    const published = await send("POST", "/v1/events", { type: "order.paid", data: { total: 12 } });
    expect(published).toEqual({ status: 202, body: { event_id: expect.any(String), endpoints: 3 } });
    await later(1_000);
    expect([sentTo("a").length, sentTo("b").length, sentTo("c").length, sentTo("d").length]).toEqual([
      1, 1, 0, 1,
    ]);
    const [request] = sentTo("a");
    expect(verify(request!, secret)).toEqual({
      type: "order.paid",
      timestamp: expect.any(String),
      data: { total: 12 },
    });
    expect(request!.headers["webhook-id"]).toBe(published.body.event_id);
  });

  test("with a customer goes to that customer's endpoints only, and none that fits is no error", async () => {
    const { put, publish, sentTo, later, send } = await openEndpoints();
    await put("a", { customer: "c_1" });
    await put("b", { customer: "c_2" });
    await put("c");
    await publish("x", {}, { customer: "c_1" });
    await later(1_000);
    expect([sentTo("a").length, sentTo("b").length, sentTo("c").length]).toEqual([1, 0, 0]);
    const none = await send("POST", "/v1/events", { type: "x", data: {}, customer: "c_9" });
    expect(none).toMatchObject({ status: 202, body: { endpoints: 0 } });
  });

  test("goes through an endpoint's filter on its data", async () => {
    const { put, publish, sentTo, later } = await openEndpoints();
    await put("large", { filter: { "/total": { gte: 100 } } });
    await put("without", { filter: { "/total": { exists: false } } });
    await publish("order.paid", { total: 99 });
    await publish("order.paid", { total: 100 });
    await publish("order.paid", {});
    await later(1_000);
    expect(sentTo("large")).toHaveLength(1);
    expect(sentTo("without")).toHaveLength(1);
  });

  trial(
    "is one event for a day under its id, or its request's Idempotency-Key, and other content is refused",
    async () => {
      const { put, send, sentTo, later } = await openEndpoints();
      await put("a");
      const event = { type: "x", data: { n: 1, m: 2 }, id: "ev-1" };
      const first = await send("POST", "/v1/events", event);
      expect(first).toEqual({ status: 202, body: { event_id: "ev-1", endpoints: 1 } });
      await later(1_000);
      const again = await send("POST", "/v1/events", { ...event, data: { m: 2, n: 1 } });
      expect(again).toEqual(first);
      const other = await send("POST", "/v1/events", { ...event, data: { n: 2 } });
      expect(other).toMatchObject({ status: 422, body: { code: "IDEMPOTENCY_CONFLICT" } });
      const keyed = { "idempotency-key": "k1" };
      const key1 = await send("POST", "/v1/events", { type: "y", data: {} }, keyed);
      await put("late");
      expect(await send("POST", "/v1/events", { type: "y", data: {} }, keyed)).toEqual(key1);
      expect((await send("POST", "/v1/events", { type: "z", data: {} }, keyed)).status).toBe(422);
      await later(1_000);
      expect(sentTo("a").map(({ headers }) => headers["webhook-id"])).toEqual(["ev-1", key1.body.event_id]);
      expect(sentTo("late")).toEqual([]);
    },
  );

  trial("that is a dry run says of each endpoint why it would not get it, and sends nothing", async () => {
    const { put, send, sentTo, later } = await openEndpoints();
    await put("a", { events: ["x"] });
    await put("b", { events: ["y"] });
    await put("c", { paused: true });
    await put("d", { filter: { "/n": { eq: 1 } } });
    const dry = await send("POST", "/v1/events", { type: "x", data: {}, dry_run: true });
    expect(dry.status).toBe(200);
    expect(dry.body.matched).toBe(1);
    const byId = Object.fromEntries(
      (dry.body.endpoints as { endpoint: string; because?: string }[]).map((one) => [
        one.endpoint,
        one.because,
      ]),
    );
    expect(byId).toEqual({
      a: undefined,
      b: "it asks for other types",
      c: "the endpoint is paused",
      d: "the data does not fit its filter",
    });
    await later(1_000);
    expect(sentTo("a")).toEqual([]);
    expect((await send("GET", "/v1/events")).body.events).toEqual([]);
  });

  trial(
    "must fit the schema of its type, where that is described, and an undescribed type is free",
    async () => {
      const { send } = await openEndpoints();
      const schema = { type: "object", properties: { total: { type: "number" } }, required: ["total"] };
      const described = { description: "An order was paid", schema, example: { total: 1 } };
      expect((await send("PUT", "/v1/event_types/order.paid", described)).status).toBe(201);
      expect((await send("PUT", "/v1/event_types/order.paid", described)).status).toBe(200);
      const misfit = await send("POST", "/v1/events", { type: "order.paid", data: { total: "1" } });
      expect(misfit).toMatchObject({ status: 422, body: { code: "INVALID_REQUEST", path: "/data/total" } });
      expect((await send("POST", "/v1/events", { type: "order.paid", data: { total: 2 } })).status).toBe(202);
      expect((await send("POST", "/v1/events", { type: "order.sent", data: { total: "1" } })).status).toBe(
        202,
      );
      const bare = { description: "Nothing", schema: null, example: null };
      expect((await send("PUT", "/v1/event_types/bare", bare)).body).not.toHaveProperty("schema");
      expect((await send("DELETE", "/v1/event_types/bare")).status).toBe(204);
      const bad = await send("PUT", "/v1/event_types/x", { ...described, example: { total: "1" } });
      expect(bad).toMatchObject({ status: 422, body: { path: "/example/total" } });
      const other = await send("PUT", "/v1/event_types/x", { description: "No", schema: { type: "array" } });
      expect(other).toMatchObject({ status: 422, body: { path: "/schema/type" } });
      expect(other.body.detail).toContain("at the top of 'schema'");
      const listed = await send("GET", "/v1/event_types");
      expect(listed.body.event_types).toMatchObject([{ type: "order.paid", schema, example: { total: 1 } }]);
      expect((await send("DELETE", "/v1/event_types/order.paid")).status).toBe(204);
      expect((await send("GET", "/v1/event_types/order.paid")).status).toBe(404);
    },
  );

  test("keeps every digit of its data", async () => {
    const { put, send, sentTo, later } = await openEndpoints();
    await put("a");
    await send("POST", "/v1/events", '{"type":"x","data":{"n":12345678901234567890}}');
    await later(1_000);
    expect(sentTo("a")[0]!.body).toContain('"data":{"n":12345678901234567890}');
  });

  trial("fits a described type by the value of a number, however many digits it has", async () => {
    const { put, send, sentTo, later } = await openEndpoints();
    await put("a");
    const schema = { type: "object", properties: { n: { type: "number", maximum: 1e20 } } };
    expect((await send("PUT", "/v1/event_types/x", { description: "An x", schema })).status).toBe(201);
    const publish = (n: string) => send("POST", "/v1/events", `{"type":"x","data":{"n":${n}}}`);
    expect((await publish("12345678901234567890")).status).toBe(202);
    expect(await publish("123456789012345678901")).toMatchObject({ status: 422, body: { path: "/data/n" } });
    expect((await publish("1e400")).status).toBe(422);
    await later(1_000);
    expect(sentTo("a").map(({ body }) => body)).toEqual([
      expect.stringContaining('"n":12345678901234567890}'),
    ]);
  });

  test("has a type of our own only from us: none is described, and no customer is offered one", async () => {
    const volley = endpoints();
    const { send } = await openEndpoints(undefined, {
      feature: {
        ...volley,
        objects: {
          ...volley.objects!,
          EndpointDirectory: {
            ...volley.objects!.EndpointDirectory,
            create(options: ObjectOptions) {
              const Made = volley.objects!.EndpointDirectory.create(options);
              // A type that was described by an earlier version.
              const Before = class extends (Made as unknown as new (...args: unknown[]) => DirectoryMethods) {
                override types(query: TypeQuery) {
                  for (const type of ["order.paid", "volley.run.failed"])
                    this.putType({ type, description: "Ours", schema: null, example: null });
                  return super.types(query);
                }
              };
              return Before as unknown as typeof Made;
            },
          },
        },
      },
    });
    for (const type of ["volley.run.failed", "volley.mine"])
      expect(await send("PUT", `/v1/event_types/${type}`, { description: "Ours" })).toMatchObject({
        status: 422,
        body: { code: "INVALID_REQUEST", detail: expect.stringContaining("are ours") },
      });
    expect((await send("PUT", "/v1/event_types/volleyball.won", { description: "Won" })).status).toBe(201);
    const { url } = (await send("POST", "/v1/portal_links", { customer: "c_1" })).body as { url: string };
    const authorization = `Bearer ${new URL(url).hash.slice("#token=".length)}`;
    const offered = await send("GET", "/v1/portal/event_types", undefined, { authorization });
    const names = offered.body.event_types.map(({ type }: { type: string }) => type);
    expect(names).toEqual(["order.paid", "volleyball.won"]);
    expect((await send("GET", "/v1/event_types")).body.event_types).toHaveLength(3);
  });

  test("has a type of our own only from us, and unknown fields are refused", async () => {
    const { send } = await openEndpoints();
    expect((await send("POST", "/v1/events", { type: "volley.x", data: {} })).body.path).toBe("/type");
    for (const type of ["", "a..b", ".a", "a b", "x".repeat(257)])
      expect((await send("POST", "/v1/events", { type, data: {} })).status, type).toBe(422);
    expect((await send("POST", "/v1/events", { type: "x", data: {}, to: "y" })).status).toBe(422);
    expect((await send("POST", "/v1/events", { type: "x", data: [] })).status).toBe(422);
    expect((await send("POST", "/v1/events", { type: "x", data: {}, id: "x".repeat(256) })).status).toBe(422);
  });

  trial("is listed with its data, and shown with how many of its deliveries have each status", async () => {
    let status = 204;
    const { put, publish, later, send } = await openEndpoints(({ url }: { url: string }) =>
      url.endsWith("/bad") ? new Response("no", { status: (status = 500) }) : taken(),
    );
    await put("good");
    await put("bad");
    const first = await publish("x", { n: 1 }, { customer: undefined });
    const second = await publish("y", { n: 2 });
    await later(1_000);
    expect(status).toBe(500);
    const shown = await send("GET", `/v1/events/${first}`);
    expect(shown.body).toMatchObject({
      event_id: first,
      type: "x",
      data: { n: 1 },
      deliveries: { delivered: 1, retrying: 1, pending: 0, failed: 0, discarded: 0 },
    });
    const page = await send("GET", "/v1/events?limit=1");
    expect(page.body.events.map((one: { event_id: string }) => one.event_id)).toEqual([second]);
    const rest = await send("GET", `/v1/events?limit=1&cursor=${page.body.next_cursor}`);
    expect(rest.body).toMatchObject({ events: [{ event_id: first }], next_cursor: null });
    expect((await send("GET", "/v1/events?type=y")).body.events).toHaveLength(1);
    expect((await send("GET", "/v1/events?until=2020-01-01T00:00:00Z")).body.events).toEqual([]);
  });

  test("is published by a tool as well, once for a call", async () => {
    const { volley, put, sentTo, later } = await openEndpoints();
    await put("a", { customer: "c_1" });
    const { results } = await volley.run({
      actions: [
        {
          tool: "publish_event",
          args: { type: "x", data: { n: 1 }, customer: "c_1" },
          idempotency_key: "one",
        },
      ],
    });
    expect(results[0]).toMatchObject({
      status: "success",
      data: { event_id: expect.any(String), endpoints: 1 },
    });
    await later(1_000);
    expect(sentTo("a")).toHaveLength(1);
    expect(sentTo("a")[0]!.url).toBe(`${HOST}/a`);
  });
});
