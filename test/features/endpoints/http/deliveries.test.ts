import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";

import type { SentRequest } from "../../../../src/package/testing.ts";
import { importEndpoints } from "../../../../scripts/endpoints/import-endpoints.ts";
import { HOST, openEndpoints, taken, verify } from "./endpoint-world.ts";
import { trial } from "../../../support/trial.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const status = (code: number, headers: Record<string, string> = {}, text = "") =>
  new Response(text, { status: code, headers });

/** The answers of some endpoints. */
const TEXTS: Readonly<Record<string, string>> = {
  long: "y".repeat(100_000),
  wide: "\u6587".repeat(2_000),
  unseen: "\u202e".repeat(2_000),
};

describe("A delivery", () => {
  test("is tried again on the schedule of Standard Webhooks, with at most a tenth of jitter, and then given up", async () => {
    const { put, publish, deliveriesOf, later } = await openEndpoints(() => status(500, {}, "not now"));
    await put("a");
    await publish("x");
    await later(4 * DAY);
    const [delivery] = await deliveriesOf("a");
    expect(delivery).toMatchObject({ status: "failed", next_attempt_at: null });
    const at = delivery!.attempts.map((one) => Date.parse(one.at));
    const pauses = at.slice(1).map((time, index) => time - at[index]!);
    const schedule = [
      5 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      24 * HOUR,
    ];
    expect(pauses).toHaveLength(9);
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(schedule[index]!);
      expect(pause).toBeLessThanOrEqual(schedule[index]! * 1.1 + 50);
    }
    expect(delivery!.attempts[0]).toMatchObject({ status: 500, response: "not now", duration_ms: 0 });
  });

  test("says why Cloudflare's network could not connect, beside its status", async () => {
    const answers = [status(530, {}, "error code: 1016"), status(525, {}, "error code: 525"), taken()];
    const { put, publish, deliveriesOf, later } = await openEndpoints(() => answers.shift());
    await put("a");
    await publish("x");
    await later(HOUR);
    const [delivery] = await deliveriesOf("a");
    expect(delivery!.attempts).toMatchObject([
      { status: 530, code: "NAME_NOT_FOUND", response: "error code: 1016" },
      { status: 525, code: "TLS_FAILED" },
      { status: 204 },
    ]);
  });

  test("waits as long as a Retry-After asks, and follows no redirect", async () => {
    const answers = [
      status(500, { "retry-after": "7200" }),
      status(302, { location: `${HOST}/other` }),
      taken(),
    ];
    const { put, publish, deliveriesOf, sentTo, later } = await openEndpoints(() => answers.shift());
    await put("a");
    await publish("x");
    await later(SECOND);
    const [first] = await deliveriesOf("a");
    const waits = Date.parse(first!.next_attempt_at!) - Date.parse(first!.attempts[0]!.at);
    expect(waits).toBeGreaterThanOrEqual(2 * HOUR);
    await later(3 * HOUR);
    const [last] = await deliveriesOf("a");
    expect(last).toMatchObject({
      status: "delivered",
      attempts: [{ status: 500 }, { status: 302 }, { status: 204 }],
    });
    expect(sentTo("other")).toEqual([]);
  });

  test("that waits for a paused endpoint has no next attempt until that one is active again", async () => {
    const { put, publish, send, deliveriesOf, later } = await openEndpoints(() => status(500));
    await put("a");
    await publish("x");
    await later(SECOND);
    const [due] = await deliveriesOf("a");
    await send("PATCH", "/v1/endpoints/a", { paused: true });
    const [paused] = await deliveriesOf("a");
    expect(paused).toMatchObject({ status: "retrying", next_attempt_at: null });
    const one = await send("GET", `/v1/deliveries/${paused!.delivery_id}`);
    expect(one.body).toMatchObject({ status: "retrying", next_attempt_at: null });
    await send("PATCH", "/v1/endpoints/a", { paused: false });
    expect((await deliveriesOf("a"))[0]!.next_attempt_at).toBe(due!.next_attempt_at);
  });

  test("that waits for its endpoint's rate shows when that lets it through", async () => {
    const { put, publish, deliveriesOf, sentTo, later } = await openEndpoints();
    await put("a", { rate_limit: { limit: 1, window_s: 60 } });
    for (const type of ["x", "y", "z"]) await publish(type);
    await later(SECOND);
    expect(sentTo("a")).toHaveLength(1);
    const shown = (await deliveriesOf("a")).map(({ next_attempt_at: at }) => at);
    expect(shown[2]).toBeNull();
    await later(3 * MINUTE);
    for (const [index, { attempts }] of (await deliveriesOf("a")).slice(0, 2).entries())
      expect(Math.abs(Date.parse(attempts[0]!.at) - Date.parse(shown[index]!))).toBeLessThan(SECOND);
  });

  test("that waits for an endpoint that asked for time is tried no sooner", async () => {
    const answers = [status(429, { "retry-after": "600" })];
    const { put, publish, deliveriesOf, later } = await openEndpoints(() => answers.shift() ?? taken());
    await put("a");
    await publish("x");
    await later(SECOND);
    await publish("y");
    const [second, first] = await deliveriesOf("a");
    expect([first!.status, second!.status]).toEqual(["retrying", "pending"]);
    const asked = Date.parse(first!.attempts[0]!.at) + 10 * MINUTE;
    expect(Date.parse(second!.next_attempt_at!)).toBeGreaterThanOrEqual(asked);
  });

  test("that waits for the one before it, of an ordered endpoint, is tried no sooner than that one", async () => {
    const { put, publish, deliveriesOf, later } = await openEndpoints(() => status(500));
    await put("a", { ordered: true });
    await publish("x");
    await publish("y");
    await later(SECOND);
    const [second, first] = await deliveriesOf("a");
    expect([first!.status, second!.status]).toEqual(["retrying", "pending"]);
    expect(second!.next_attempt_at).toBe(first!.next_attempt_at);
  });

  test("that is not answered within 15 s has failed with that code", async () => {
    const { put, publish, deliveriesOf, later } = await openEndpoints(() => new Promise(() => {}));
    await put("a");
    await publish("x");
    await later(16 * SECOND);
    expect(await deliveriesOf("a")).toMatchObject([
      { status: "retrying", attempts: [{ code: "TIMEOUT", duration_ms: 15_000 }] },
    ]);
  });

  test("keeps at most 1,024 bytes of an answer's text, with what hides in it made visible and the endpoint's own headers taken out", async () => {
    const { put, publish, deliveriesOf, later } = await openEndpoints(({ headers, url }: SentRequest) =>
      status(500, {}, TEXTS[url.split("/").at(-1)!] ?? `\u202e${headers["x-token"]}`),
    );
    await put("a", { headers: { "x-token": "geheim-geheim" } });
    for (const id of Object.keys(TEXTS)) await put(id);
    await publish("x");
    await later(SECOND);
    const [delivery] = await deliveriesOf("a");
    expect(delivery!.attempts[0]).toMatchObject({ response: "\\u{202e}[redacted]" });
    const responseOf = async (id: string) => (await deliveriesOf(id))[0]!.attempts[0];
    expect(await responseOf("long")).toMatchObject({ response: "y".repeat(1_024) });
    // As UTF-8, and no character of three bytes is cut in two; what is made visible counts as it is shown.
    expect(await responseOf("wide")).toMatchObject({ response: "\u6587".repeat(341) });
    expect(await responseOf("unseen")).toMatchObject({ response: "\\u{202e}".repeat(128) });
  });

  trial("is sent once more when asked, under the event's id, to the endpoint's present address", async () => {
    let answer = 500;
    const { put, publish, deliveriesOf, send, sentTo, later } = await openEndpoints(() => status(answer));
    await put("a");
    const event = await publish("x");
    await later(4 * DAY);
    expect(sentTo("a")).toHaveLength(10);
    await send("PATCH", "/v1/endpoints/a", { url: `${HOST}/moved` });
    answer = 200;
    const [{ delivery_id: id } = { delivery_id: "" }] = await deliveriesOf("a");
    expect((await send("POST", `/v1/deliveries/${id}/resend`)).status).toBe(202);
    await later(SECOND);
    expect(sentTo("moved").map(({ headers }) => headers["webhook-id"])).toEqual([event]);
    const shown = await send("GET", `/v1/deliveries/${id}`);
    expect(shown.body).toMatchObject({
      delivery_id: id,
      endpoint: "a",
      event_id: event,
      status: "delivered",
    });
    expect(shown.body.attempts).toHaveLength(11);
    expect((await send("GET", "/v1/deliveries/dl_0_99_99")).status).toBe(404);
    expect((await send("POST", "/v1/deliveries/nonsense/resend")).status).toBe(404);
  });

  trial("is found by endpoint, event and status, a page at a time, the latest event first", async () => {
    const { put, publish, send, later } = await openEndpoints(({ url }: SentRequest) =>
      url.endsWith("/bad") ? status(500) : taken(),
    );
    for (const id of ["a", "b", "bad"]) await put(id);
    const events = [await publish("x"), await publish("y"), await publish("z")];
    await later(SECOND);
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = (await send("GET", `/v1/deliveries?limit=2${cursor && `&cursor=${cursor}`}`)).body;
      expect(page.deliveries.length).toBeLessThanOrEqual(2);
      found.push(
        ...page.deliveries.map(
          (one: { event_id: string; endpoint: string }) => `${one.event_id} ${one.endpoint}`,
        ),
      );
      cursor = page.next_cursor as string | null;
    }
    const wanted = events.toReversed().flatMap((event) => ["bad", "b", "a"].map((id) => `${event} ${id}`));
    expect(found).toEqual(wanted);
    const listed = async (query: string) =>
      (await send("GET", `/v1/deliveries?${query}`)).body.deliveries.map(
        (one: { endpoint: string }) => one.endpoint,
      );
    expect(await listed("status=retrying")).toEqual(["bad", "bad", "bad"]);
    expect(await listed(`event=${events[0]}`)).toEqual(["bad", "b", "a"]);
    expect(await listed("endpoint=a&status=delivered")).toEqual(["a", "a", "a"]);
    expect((await send("GET", "/v1/deliveries?state=failed")).status).toBe(400);
  });
});

describe("An endpoint", () => {
  test("is made with a secret that is shown once, replaced, changed, listed and deleted", async () => {
    const { send, put } = await openEndpoints();
    const body = {
      url: `${HOST}/hooks`,
      customer: "c_42",
      events: ["order.paid"],
      rate_limit: { limit: 50, window_s: 1 },
    };
    const made = await send("PUT", "/v1/endpoints/shop", body);
    expect(made).toMatchObject({
      status: 201,
      body: { ...body, id: "shop", state: "active", ordered: false },
    });
    expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const replaced = await send("PUT", "/v1/endpoints/shop", { ...body, description: "d" });
    expect(replaced).toMatchObject({ status: 200, body: { description: "d" } });
    expect(replaced.body.secret).toBeUndefined();
    const changed = await send("PATCH", "/v1/endpoints/shop", { description: null, paused: true });
    expect(changed.body).toMatchObject({ state: "paused", customer: "c_42" });
    expect(changed.body.description).toBeUndefined();
    await put("other");
    const list = async (query = "") => (await send("GET", `/v1/endpoints${query}`)).body;
    const ids = ({ endpoints }: { endpoints: { id: string }[] }) => endpoints.map(({ id }) => id);
    expect(ids(await list())).toEqual(["other", "shop"]);
    expect(ids(await list("?state=paused"))).toEqual(["shop"]);
    expect(ids(await list("?customer=c_42"))).toEqual(["shop"]);
    const page = await list("?limit=1");
    expect(ids(page)).toEqual(["other"]);
    expect(await list(`?limit=1&cursor=${page.next_cursor}`)).toMatchObject({
      endpoints: [{ id: "shop" }],
      next_cursor: null,
    });
    expect((await send("GET", "/v1/endpoints/shop")).body).toMatchObject({
      last_24h: { delivered: 0, failed: 0, failed_attempts: 0, pending: 0, p95_ms: null },
    });
    expect(JSON.stringify(await list())).not.toContain("whsec_");
    expect((await send("DELETE", "/v1/endpoints/shop")).status).toBe(204);
    expect((await send("GET", "/v1/endpoints/shop")).status).toBe(404);
    expect((await send("DELETE", "/v1/endpoints/shop")).status).toBe(404);
  });

  test("that brings its own secret signs with it, and it is never shown", async () => {
    const { send, publish, sentTo, later } = await openEndpoints();
    const secret = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
    const settings = { url: `${HOST}/a`, events: ["*"] };
    const made = await send("PUT", "/v1/endpoints/a", { ...settings, secret });
    expect([made.status, made.body.secret]).toEqual([201, undefined]);
    await publish("x");
    await later(SECOND);
    verify(sentTo("a")[0]!, secret);
    // Without one the endpoint keeps the one that it has.
    await send("PUT", "/v1/endpoints/a", settings);
    await publish("y");
    await later(SECOND);
    verify(sentTo("a")[1]!, secret);
    for (const path of ["/v1/endpoints/a", "/v1/endpoints", "/v1/export"])
      expect(JSON.stringify((await send("GET", path)).body)).not.toContain("whsec_");
    for (const bad of ["short", "whsec_eA==", `${secret} ${secret}`, 7]) {
      const refused = await send("PUT", "/v1/endpoints/b", { ...settings, secret: bad });
      expect(refused).toMatchObject({ status: 422, body: { issues: [{ path: "/secret" }] } });
      expect(JSON.stringify(refused.body)).not.toContain(secret);
    }
    expect((await send("PATCH", "/v1/endpoints/a", { secret })).status).toBe(422);
  });

  trial(
    "that is only to be made, by If-None-Match, replaces none: an import that is run again leaves a rotated secret",
    async () => {
      const { send, publish, sentTo, later, volley } = await openEndpoints();
      const old = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
      const text = JSON.stringify([{ id: "a", url: `${HOST}/a`, app: "c_1", secret: old }]);
      const run = () =>
        importEndpoints(
          { service: "svix", text },
          { url: "", key: "" },
          {
            fetch: async (url, { method = "", headers, body }) => {
              const sent = new Headers(headers);
              sent.delete("authorization");
              return volley.fetch(url, { method, headers: sent, body: body! });
            },
            sleep: async () => {},
            now: () => volley.now(),
            print: () => {},
          },
        );
      expect(await run()).toMatchObject([{ is: "new" }]);
      const rotated = await send("POST", "/v1/endpoints/a/rotate", { overlap_s: 0 });
      expect(await run()).toMatchObject([
        { is: "replaced", notes: [expect.stringContaining("keeps the secret")] },
      ]);
      await publish("x");
      await later(SECOND);
      verify(sentTo("a")[0]!, rotated.body.secret as string);
      const settings = { url: `${HOST}/a`, events: ["*"] };
      const onlyNew = { "if-none-match": "*" };
      expect(await send("PUT", "/v1/endpoints/a", settings, onlyNew)).toMatchObject({
        status: 409,
        body: { code: "NAME_TAKEN" },
      });
      expect((await send("PUT", "/v1/endpoints/b", settings, onlyNew)).status).toBe(201);
    },
  );

  test("that is made under the id of a deleted one is another: a resend of what that one got does not reach it", async () => {
    const { put, publish, send, sentTo, later, deliveriesOf } = await openEndpoints(() => status(500));
    await put("a");
    await publish("x");
    await later(SECOND);
    const [old] = await deliveriesOf("a");
    await send("DELETE", "/v1/endpoints/a");
    await put("a");
    const before = sentTo("a").length;
    expect((await send("POST", `/v1/deliveries/${old!.delivery_id}/resend`)).status).toBe(422);
    await later(HOUR);
    expect(sentTo("a")).toHaveLength(before);
  });

  trial(
    "that is disabled while an attempt is under way has that one discarded when it fails, and none after it",
    async () => {
      const { put, publish, sentTo, later, deliveriesOf } = await openEndpoints(
        async (request: SentRequest, { sleep }: { sleep: (ms: number) => Promise<void> }) => {
          if (warm) return taken();
          const { n } = (request.json() as { data: { n: number } }).data;
          await sleep(n * SECOND);
          return status(n === 1 ? 410 : 500);
        },
      );
      let warm = true;
      await put("a");
      await publish("x", { n: 0 });
      await later(SECOND);
      warm = false;
      await publish("x", { n: 3 });
      await publish("x", { n: 1 });
      await later(DAY);
      expect((await deliveriesOf("a")).map((one) => one.status)).toEqual([
        "failed",
        "discarded",
        "delivered",
      ]);
      expect(sentTo("a")).toHaveLength(3);
    },
  );

  trial(
    "T54 that points inside, or at what is no public https address, is refused with each issue",
    async () => {
      const { send } = await openEndpoints();
      for (const url of [
        "http://shop.acme.dev/x",
        "https://127.0.0.1/x",
        "https://10.0.0.1/x",
        "https://metadata.google.internal/",
        "https://user:pw@shop.acme.dev/",
        "https://shop.acme.dev:8443/",
        "data:text/plain,x",
        "nonsense",
      ])
        expect(await send("PUT", "/v1/endpoints/a", { url, events: ["*"] }), url).toMatchObject({
          status: 422,
          body: { code: "INVALID_ENDPOINT", issues: [{ path: "/url" }] },
        });
      const wrong = { url: `${HOST}/x`, events: [], colour: "red", headers: {} };
      const refused = await send("PUT", "/v1/endpoints/a", wrong);
      expect(refused.body.issues.map((one: { path: string }) => one.path)).toEqual(["/events", "/colour"]);
      for (const headers of [
        { host: "x" },
        { "webhook-id": "x" },
        { "Content-Type": "x" },
        { "x-a": "b\r\nc: d" },
      ])
        expect(
          (await send("PUT", "/v1/endpoints/a", { url: `${HOST}/x`, events: ["*"], headers })).status,
        ).toBe(422);
    },
  );

  test("is refused for all that is wrong with it at once: id, url, types, filter, rate and headers", async () => {
    const { send } = await openEndpoints();
    const wrong = {
      url: "htp:/nope",
      events: ["order paid", "Order!"],
      filter: "{bad",
      rate_limit: { limit: -5, window_s: 1 },
      headers: { host: "x" },
    };
    const { status, body } = await send("PUT", "/v1/endpoints/bad%20id!!", wrong);
    expect(status).toBe(422);
    expect((body.issues as { path: string }[]).map(({ path }) => path)).toEqual([
      "/id",
      "/url",
      "/events/0",
      "/events/1",
      "/filter",
      "/rate_limit/limit",
      "/headers",
    ]);
    expect(body.detail).toBe(
      "/id must be 1 to 128 letters, digits, '_', '.', '@', ':' or '-', received the string \"bad id!!\".",
    );
  });

  test.each([
    [{ evnts: ["x"] }, "There is no field /evnts. Did you mean 'events' instead of 'evnts'?"],
    [
      { filter: { "/total": { gtee: 1 } } },
      "There is no field /filter/~1total/gtee. Did you mean 'gte' instead of 'gtee'?",
    ],
    [
      { url: "https://10.0.0.1/x" },
      "/url must be a public https address, on port 443, without user name, received another one ('10.0.0.1' is an IP address; only public host names may be called).",
    ],
    [
      { headers: { Host: "x" } },
      "/headers must be headers that a request may have, received another one (A tool may not set the header 'host').",
    ],
  ])("declared as %j is refused in words that say what to write", async (fields, detail) => {
    const { send } = await openEndpoints();
    const refused = await send("PUT", "/v1/endpoints/a", { url: `${HOST}/x`, events: ["*"], ...fields });
    expect(refused).toMatchObject({ status: 422, body: { detail } });
    expect(JSON.stringify(refused.body)).not.toContain("..");
  });

  test("whose secret was rotated is signed for with both until the overlap is over", async () => {
    const { put, publish, send, sentTo, later, volley } = await openEndpoints();
    const old = await put("a");
    const rotated = await send("POST", "/v1/endpoints/a/rotate", { overlap_s: 60 });
    const fresh = rotated.body.secret as string;
    expect(fresh).not.toBe(old);
    await publish("x");
    await later(SECOND);
    for (const secret of [old, fresh]) verify(sentTo("a")[0]!, secret);
    await later(MINUTE);
    await publish("y");
    await later(SECOND);
    const { headers, body } = sentTo("a")[1]!;
    const signed = (secret: string) =>
      new Webhook(secret).sign(
        headers["webhook-id"]!,
        new Date(Number(headers["webhook-timestamp"]) * 1_000),
        body!,
      );
    expect(headers["webhook-signature"]).toBe(signed(fresh));
    expect(volley.now()).toBeGreaterThan(0);
  });

  trial(
    "gets nothing while it is paused; what it missed is recovered with `all`, and what failed without",
    async () => {
      const { put, publish, send, sentTo, later, deliveriesOf, volley } = await openEndpoints(() =>
        status(answer),
      );
      let answer = 500;
      await put("a");
      const since = new Date(volley.now()).toISOString();
      const failed = await publish("failed");
      await later(4 * DAY);
      await send("PATCH", "/v1/endpoints/a", { paused: true });
      await later(SECOND);
      const missed = await publish("missed");
      await later(SECOND);
      expect(await deliveriesOf("a")).toHaveLength(1);
      answer = 200;
      await send("PATCH", "/v1/endpoints/a", { paused: false });
      const before = sentTo("a").length;
      expect(await send("POST", "/v1/endpoints/a/recover", { since })).toEqual({
        status: 202,
        body: { deliveries: 1 },
      });
      await later(SECOND);
      const idsSince = () =>
        sentTo("a")
          .slice(before)
          .map(({ headers }) => headers["webhook-id"]);
      expect(idsSince()).toEqual([failed]);
      const all = await send("POST", "/v1/endpoints/a/recover", { since, all: true });
      expect(all.body).toEqual({ deliveries: 1 });
      await later(SECOND);
      expect(idsSince()).toEqual([failed, missed]);
      expect((await send("POST", "/v1/endpoints/a/recover", { since, all: true })).body).toEqual({
        deliveries: 0,
      });
      expect((await send("POST", "/v1/endpoints/a/recover", { since: "yesterday" })).status).toBe(422);
    },
  );

  trial(
    "that answers 410, or `webhook-delivery: disable`, is disabled at once, and what waits for it is discarded",
    async () => {
      for (const [because, last] of [
        ["gone", status(410)],
        ["asked", status(503, { "webhook-delivery": "disable" })],
      ] as const) {
        const answers = [status(500), last];
        const { put, publish, send, later, deliveriesOf, sentTo } = await openEndpoints(
          () => answers.shift() ?? taken(),
        );
        await put("a");
        await publish("first");
        await later(SECOND);
        await publish("second");
        await later(SECOND);
        expect((await send("GET", "/v1/endpoints/a")).body).toMatchObject({
          state: "disabled",
          disabled_because: because,
        });
        expect((await deliveriesOf("a")).map((one) => one.status)).toEqual(["failed", "discarded"]);
        await publish("third");
        await later(HOUR);
        expect(sentTo("a")).toHaveLength(2);
        const enabled = await send("PATCH", "/v1/endpoints/a", { paused: false });
        expect(enabled.body).toMatchObject({ state: "active" });
        await publish("fourth");
        await later(SECOND);
        expect(sentTo("a")).toHaveLength(3);
      }
    },
  );

  trial(
    "that nothing got through to for five days is disabled, and one that answers meanwhile is not",
    async () => {
      let answer = 500;
      const { put, publish, send, later } = await openEndpoints(({ url }: SentRequest) =>
        status(url.endsWith("/mended") ? answer : 500),
      );
      await put("dead");
      await put("mended");
      await put("one-bad-hour", { events: ["once"] });
      await publish("x");
      await publish("once");
      await later(4 * DAY);
      const stateOf = async (id: string) => (await send("GET", `/v1/endpoints/${id}`)).body.state as string;
      expect(await stateOf("dead")).toBe("active");
      answer = 200;
      await publish("y");
      await later(DAY + HOUR);
      expect(await stateOf("dead")).toBe("disabled");
      expect(await stateOf("mended")).toBe("active");
      const dead = await send("GET", "/v1/endpoints/dead");
      expect(dead.body).toMatchObject({ disabled_because: "failing", failing_since: expect.any(String) });
    },
  );

  trial(
    "that is deleted has what waited for it discarded, and its secret and address are kept nowhere",
    async () => {
      const { put, publish, send, later, deliveriesOf } = await openEndpoints(() => status(500));
      await put("a");
      await publish("x");
      await later(SECOND);
      await send("DELETE", "/v1/endpoints/a");
      await later(HOUR);
      expect(await deliveriesOf("a")).toMatchObject([{ status: "discarded", attempts: [{ status: 500 }] }]);
      const exported = await send("GET", "/v1/export");
      expect(exported.body.endpoints).toMatchObject({ endpoints: [], events: [{ type: "x" }] });
    },
  );

  trial(
    "that is ordered gets one event after the other, the next when the one before is delivered or given up",
    async () => {
      let answer = 500;
      const { put, publish, sentTo, later } = await openEndpoints(() => status(answer));
      await put("a", { ordered: true });
      const events = [await publish("x"), await publish("y"), await publish("z")];
      await later(MINUTE);
      const ids = () => sentTo("a").map(({ headers }) => headers["webhook-id"]);
      expect(new Set(ids())).toEqual(new Set([events[0]]));
      answer = 200;
      await later(HOUR);
      expect(ids().slice(-3)).toEqual(events);
    },
  );

  trial("with a rate limit gets no more than so many in a window", async () => {
    const { put, publish, sentTo, later } = await openEndpoints();
    await put("a", { rate_limit: { limit: 2, window_s: 10 } });
    for (let n = 0; n < 6; n += 1) await publish("x", { n });
    await later(SECOND);
    expect(sentTo("a")).toHaveLength(2);
    await later(10 * SECOND);
    expect(sentTo("a")).toHaveLength(4);
    await later(20 * SECOND);
    expect(sentTo("a")).toHaveLength(6);
  });

  trial(
    "that answers 429, 502 or 504 has its other deliveries wait too; after a 500 they do not",
    async () => {
      for (const [code, tries] of [
        [429, 1],
        [502, 1],
        [504, 1],
        [500, 3],
      ] as const) {
        const answers = [status(code, code === 429 ? { "retry-after": "60" } : {})];
        const { put, publish, sentTo, later } = await openEndpoints(() => answers.shift() ?? taken());
        await put("a", { rate_limit: { limit: 1, window_s: 1 } });
        await publish("x");
        await publish("y");
        await publish("z");
        await later(3 * SECOND);
        expect(sentTo("a"), String(code)).toHaveLength(tries);
        await later(6 * MINUTE);
        expect(sentTo("a"), String(code)).toHaveLength(4);
      }
    },
  );

  trial(
    "T54 that hangs holds one call of its own, and the others of its object get theirs at once",
    async () => {
      const { put, publish, sentTo, later, volley } = await openEndpoints(({ url }: SentRequest) =>
        url.includes("hang") ? new Promise(() => {}) : taken(),
      );
      // Sixteen endpoints go into one object each, so these lie in the same ones, two and two.
      for (let n = 0; n < 16; n += 1) await put(`hang${n}`);
      for (let n = 0; n < 16; n += 1) await put(`well${n}`);
      await publish("first");
      await later(20 * SECOND);
      const before = volley.now();
      for (let n = 0; n < 10; n += 1) await publish("more", { n });
      await later(SECOND);
      expect(volley.now() - before).toBeLessThan(2 * SECOND);
      for (let n = 0; n < 16; n += 1) {
        expect(sentTo(`well${n}`)).toHaveLength(11);
        expect(sentTo(`hang${n}`).length).toBeLessThanOrEqual(3);
      }
    },
  );

  trial.each([
    ["answers 200 after 10 s", 10],
    ["answers 200 after 8 s", 8],
    ["hangs", 60],
  ])(
    "F35 T62 that %s takes one place of its object, and its neighbours get each event within 2 s",
    async (_, seconds) => {
      const began = new Map<string, number>();
      const { put, publish, sentTo, later, volley } = await openEndpoints(
        async (request: SentRequest, { sleep }: { sleep: (ms: number) => Promise<void> }) => {
          const { n } = (request.json() as { data: { n: number } }).data;
          began.set(`${request.url.split("/").at(-1)} ${n}`, volley.now());
          await sleep(request.url.endsWith("/slow") ? seconds * SECOND : 20);
          return taken();
        },
      );
      // Eight endpoints of one customer lie in one object.
      const quick = Array.from({ length: 7 }, (__, n) => `quick${n}`);
      for (const id of ["slow", ...quick]) await put(id, { customer: "c_1" });
      const published: number[] = [];
      for (let n = 0; n < 24; n += 1) {
        published.push(volley.now());
        await publish("x", { n });
        await later(250);
      }
      await later(2 * SECOND);
      const waits = quick.flatMap((id) =>
        published.map((at, n) => (began.get(`${id} ${n}`) ?? Infinity) - at),
      );
      waits.sort((a, b) => a - b);
      expect(waits.at(-1)).toBeLessThan(2 * SECOND);
      expect(sentTo("slow").length).toBeLessThanOrEqual(2);
    },
  );

  trial("is sent its type's example as a test, which no other endpoint gets", async () => {
    const { put, send, sentTo, later } = await openEndpoints();
    await send("PUT", "/v1/event_types/order.paid", { description: "Paid", example: { total: 7 } });
    const secret = await put("a", { events: ["order.paid"], filter: { "/total": { gt: 100 } } });
    await put("b");
    const tested = await send("POST", "/v1/endpoints/a/test", {});
    expect(tested).toMatchObject({ status: 202, body: { event_id: expect.any(String) } });
    await later(SECOND);
    expect(verify(sentTo("a")[0]!, secret)).toMatchObject({ type: "order.paid", data: { total: 7 } });
    expect(sentTo("b")).toEqual([]);
    await send("PATCH", "/v1/endpoints/a", { paused: true });
    expect((await send("POST", "/v1/endpoints/a/test", {})).status).toBe(422);
  });

  trial("is sent a test of a type only: a prefix that it asks for is none", async () => {
    const { put, send, sentTo, later } = await openEndpoints();
    await put("a", { events: ["invoice.*"] });
    for (const type of ["invoice.*", "invoice..paid", "*", "invoice", 5])
      expect((await send("POST", "/v1/endpoints/a/test", { type })).status, String(type)).toBe(422);
    expect((await send("POST", "/v1/endpoints/a/test", { type: "invoice.paid" })).status).toBe(202);
    await later(SECOND);
    expect(sentTo("a").map((one) => (one.json() as { type: string }).type)).toEqual(["invoice.paid"]);
  });

  trial("tells how its last day went", async () => {
    const { put, publish, send, later } = await openEndpoints(
      async ({ url }: SentRequest, { sleep }: { sleep: (ms: number) => Promise<void> }) => {
        await sleep(40);
        return url.endsWith("/a") ? taken() : status(410);
      },
    );
    await put("a");
    await put("b");
    await publish("x");
    await publish("y");
    await later(SECOND);
    expect((await send("GET", "/v1/endpoints/a")).body.last_24h).toEqual({
      delivered: 2,
      failed: 0,
      failed_attempts: 0,
      pending: 0,
      p95_ms: 40,
    });
    expect((await send("GET", "/v1/endpoints/b")).body.last_24h).toMatchObject({ failed: 2 });
    await later(2 * DAY);
    expect((await send("GET", "/v1/endpoints/a")).body.last_24h).toMatchObject({ delivered: 0 });
  });
});

describe("A tenant", () => {
  trial(
    "is told of an endpoint that was disabled and a delivery that was given up, where it asks, and never by the endpoint itself",
    async () => {
      const { put, publish, sentTo, later } = await openEndpoints(({ url }: SentRequest) =>
        url.includes("/watch") || url.endsWith("/all") ? taken() : status(410),
      );
      await put("watch", { events: ["volley.*"] });
      await put("watch-customer", { events: ["volley.*"], customer: "c_1" });
      await put("all", { events: ["*"] });
      await put("gone", { events: ["x", "volley.*"] });
      await publish("x", { n: 1 });
      await later(MINUTE);
      const types = (id: string) =>
        sentTo(id)
          .map((one) => (one.json() as { type: string }).type)
          .toSorted();
      expect(types("watch")).toEqual(["volley.delivery.failed", "volley.endpoint.disabled"]);
      expect(types("watch-customer")).toEqual([]);
      expect(types("all")).toEqual(["x"]);
      expect(types("gone")).toEqual(["x"]);
      const told = sentTo("watch").map((one) => one.json() as { type: string; data: object });
      expect(told.find(({ type }) => type === "volley.endpoint.disabled")!.data).toMatchObject({
        endpoint: "gone",
        because: "gone",
      });
    },
  );

  trial("T03 that is deleted leaves nothing: no endpoint, event or delivery", async () => {
    const { put, publish, send, sentTo, later } = await openEndpoints(() => status(500));
    await put("a");
    const event = await publish("x");
    await later(SECOND);
    const erased = await send("POST", "/v1/tenant/delete", { tenant: "test" });
    expect(erased.status, JSON.stringify(erased.body)).toBeLessThan(300);
    const before = sentTo("a").length;
    await later(DAY);
    expect(sentTo("a")).toHaveLength(before);
    expect((await send("GET", `/v1/events/${event}`)).status).toBe(404);
    expect((await send("GET", "/v1/deliveries")).body.deliveries).toEqual([]);
    expect((await send("GET", "/v1/endpoints")).body.endpoints).toEqual([]);
  });

  trial(
    "T03 that is deleted and goes on makes its endpoints anew: another secret, and no event for those that it had",
    async () => {
      const { put, publish, send, sentTo, later } = await openEndpoints();
      const secret = await put("a");
      await put("b");
      await send("POST", "/v1/tenant/delete", { tenant: "test" });
      await later(SECOND);
      expect(await put("a")).not.toBe(secret);
      await publish("x");
      await later(SECOND);
      expect([sentTo("a").length, sentTo("b").length]).toEqual([1, 0]);
    },
  );

  trial("forgets events and deliveries after 30 days", async () => {
    const { put, publish, send, later, deliveriesOf } = await openEndpoints();
    await put("a");
    const event = await publish("x");
    await later(29 * DAY);
    await publish("y");
    expect((await send("GET", `/v1/events/${event}`)).status).toBe(200);
    await later(3 * DAY);
    await publish("z");
    await later(MINUTE);
    expect((await send("GET", `/v1/events/${event}`)).status).toBe(404);
    expect(await deliveriesOf("a")).toHaveLength(2);
  });
});
