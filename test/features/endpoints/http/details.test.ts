import { describe, expect, test } from "vitest";

import { HOST, openEndpoints, taken } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const status = (code: number, headers: Record<string, string> = {}) =>
  new Response("", { status: code, headers });

describe("An event", () => {
  test("under an id of the day before yesterday is another one, which is delivered", async () => {
    const { put, send, sentTo, later } = await openEndpoints();
    await put("a");
    const event = { type: "x", data: { n: 1 }, id: "again" };
    await send("POST", "/v1/events", event);
    await later(23 * HOUR);
    await send("POST", "/v1/events", event);
    expect(sentTo("a")).toHaveLength(1);
    await later(2 * HOUR);
    expect((await send("POST", "/v1/events", { ...event, data: { n: 2 } })).status).toBe(202);
    await later(SECOND);
    expect(sentTo("a")).toHaveLength(2);
  });

  test("is one unit of the key's quota, and a list of events none of it", async () => {
    const { send } = await openEndpoints(taken, { quota: { limit: 3, window_s: 60 } });
    const event = { type: "x", data: {} };
    for (let n = 0; n < 3; n += 1) expect((await send("POST", "/v1/events", event)).status).toBe(202);
    expect(await send("POST", "/v1/events", event)).toMatchObject({
      status: 429,
      body: { code: "QUOTA_EXCEEDED" },
    });
    expect((await send("GET", "/v1/events")).status).toBe(200);
  });

  trial.each([
    ["a type of 257 characters", { type: "x".repeat(257) }],
    ["a type with an empty word", { type: "order..paid" }],
    ["an id of 256 characters", { id: "x".repeat(256) }],
    ["an id with a space", { id: "a b" }],
    ["a customer that begins with a blank", { customer: " a" }],
    ["a customer of 256 characters", { customer: "x".repeat(256) }],
    ["data that is a list", { data: [] }],
  ])("is refused with %s", async (_, more) => {
    const { send } = await openEndpoints();
    const refused = await send("POST", "/v1/events", { type: "x", data: {}, ...more });
    expect(refused).toMatchObject({ status: 422, body: { code: "INVALID_REQUEST" } });
  });

  test("is found by type, customer and time, a page at a time, the latest first", async () => {
    const { publish, send, later, volley } = await openEndpoints();
    const ids = [await publish("x"), await publish("y", {}, { customer: "c_1" })];
    await later(HOUR);
    const between = new Date(volley.now()).toISOString();
    await later(HOUR);
    ids.push(await publish("x"));
    const found = async (query: string) => {
      const { events, next_cursor: next } = (await send("GET", `/v1/events?${query}`)).body as {
        events: { event_id: string }[];
        next_cursor: string | null;
      };
      return { ids: events.map(({ event_id: id }) => id), next };
    };
    expect((await found("type=x")).ids).toEqual([ids[2], ids[0]]);
    expect((await found("customer=c_1")).ids).toEqual([ids[1]]);
    expect((await found(`since=${between}`)).ids).toEqual([ids[2]]);
    expect((await found(`until=${between}`)).ids).toEqual([ids[1], ids[0]]);
    const first = await found("limit=2");
    expect(first.ids).toEqual([ids[2], ids[1]]);
    expect(await found(`limit=2&cursor=${first.next}`)).toEqual({ ids: [ids[0]], next: null });
  });
});

describe("A delivery", () => {
  test("waits no longer than a day, whatever a Retry-After asks", async () => {
    const answers = [status(503, { "retry-after": "999999" })];
    const { put, publish, deliveriesOf, sentTo, later } = await openEndpoints(
      () => answers.shift() ?? taken(),
    );
    await put("a");
    await publish("x");
    await later(SECOND);
    const [first] = await deliveriesOf("a");
    const waits = Date.parse(first!.next_attempt_at!) - Date.parse(first!.attempts[0]!.at);
    expect(waits).toBeGreaterThanOrEqual(24 * HOUR);
    expect(waits).toBeLessThanOrEqual(24 * HOUR * 1.1);
    await later(27 * HOUR);
    expect(sentTo("a")).toHaveLength(2);
  });

  trial(
    "that is still tried again is recovered as one that failed, until a time where one is said",
    async () => {
      let answer = 500;
      const { put, publish, send, sentTo, later, volley } = await openEndpoints(() => status(answer));
      await put("a");
      const since = new Date(volley.now()).toISOString();
      const first = await publish("x");
      await later(10 * 60 * SECOND);
      const until = new Date(volley.now()).toISOString();
      await later(SECOND);
      await publish("y");
      await later(SECOND);
      answer = 200;
      const before = sentTo("a").length;
      const recovered = await send("POST", "/v1/endpoints/a/recover", { since, until });
      expect(recovered.body).toEqual({ deliveries: 1 });
      await later(SECOND);
      expect(
        sentTo("a")
          .slice(before)
          .map(({ headers }) => headers["webhook-id"]),
      ).toEqual([first]);
    },
  );
});

describe("An endpoint", () => {
  test("is given another secret with an overlap from none to thirty days", async () => {
    const { put, send, later, publish, sentTo } = await openEndpoints();
    await put("a");
    for (const overlap_s of [-1, 2_592_001, 0.5])
      expect((await send("POST", "/v1/endpoints/a/rotate", { overlap_s })).status).toBe(422);
    expect((await send("POST", "/v1/endpoints/a/rotate", { overlap_s: 2_592_000 })).status).toBe(200);
    expect((await send("POST", "/v1/endpoints/a/rotate", { overlap_s: 0 })).status).toBe(200);
    await publish("x");
    await later(SECOND);
    // With no overlap nothing before it signs any more.
    expect(sentTo("a")[0]!.headers["webhook-signature"]!.split(" ")).toHaveLength(1);
  });

  trial.each([
    ["a customer that ends with a blank", { customer: "a " }],
    ["a pattern in the middle", { events: ["a.*.b"] }],
    ["101 patterns", { events: Array.from({ length: 101 }, (_, n) => `t${n}`) }],
    ["a filter that is no test", { filter: { "/a": { near: 1 } } }],
    ["a rate limit of none", { rate_limit: { limit: 0, window_s: 1 } }],
  ])("is refused with %s", async (_, more) => {
    const { send } = await openEndpoints();
    const refused = await send("PUT", "/v1/endpoints/a", { url: `${HOST}/a`, events: ["*"], ...more });
    expect(refused).toMatchObject({ status: 422, body: { code: "INVALID_ENDPOINT" } });
    expect(refused.body.issues.length).toBeGreaterThan(0);
  });

  test("of a customer is managed by a key with the flag only", async () => {
    const { send } = await openEndpoints();
    const made = await send("POST", "/v1/keys", { name: "plain", tools: ["*"] });
    const headers = { authorization: `Bearer ${made.body.key as string}` };
    for (const [method, path] of [
      ["GET", "/v1/endpoints"],
      ["GET", "/v1/events"],
      ["GET", "/v1/deliveries"],
      ["GET", "/v1/event_types"],
      ["DELETE", "/v1/portal_links?customer=c"],
    ] as const)
      expect((await send(method, path, undefined, headers)).status, path).toBe(403);
  });

  test("has portal links from a second to a week", async () => {
    const { send } = await openEndpoints();
    const link = (expires_in_s: number) =>
      send("POST", "/v1/portal_links", { customer: "c_1", expires_in_s });
    for (const seconds of [0, 604_801]) expect((await link(seconds)).status).toBe(422);
    for (const seconds of [1, 604_800]) expect((await link(seconds)).status).toBe(201);
  });
});
