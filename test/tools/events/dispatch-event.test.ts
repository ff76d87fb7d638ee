import * as z from "zod/mini";
import { expect, test } from "vitest";
import { Webhook } from "standardwebhooks";

import { dispatchEvent } from "../../../src/tools/events/dispatch-event.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { trial } from "../../support/trial.ts";

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const ARGS = { event: "order.paid", data: { order: 7 } };

interface Posted {
  readonly url: string;
  readonly at: number;
  readonly init: RequestInit;
}

/** Endpoints that answer as told, and what was sent to them. */
class Endpoints extends TestWorld {
  readonly posted: Posted[] = [];

  constructor(answer: (url: string, attempt: number, init: RequestInit) => Response | Promise<Response>) {
    super();
    this.secrets.set("VOLLEY_WEBHOOK_SECRET", SECRET);
    this.fetch = async (url, init) => {
      this.posted.push({ url, at: this.clock.now(), init });
      return answer(url, this.posted.filter((one) => one.url === url).length, init);
    };
  }

  async dispatch(urls: readonly string[], more: object = {}) {
    const envelope = await this.run([dispatchEvent], {
      actions: [{ tool: "dispatch_event", args: { ...ARGS, urls, ...more } }],
    });
    return envelope.results[0]!;
  }

  headersOf(url: string): Record<string, string>[] {
    return this.posted
      .filter((one) => one.url === url)
      .map(({ init }) => init.headers as Record<string, string>);
  }
}

const ok = () => new Response(null, { status: 204 });
const status = (code: number, headers: Record<string, string> = {}) =>
  new Response("no", { status: code, headers });
const hang = (init: RequestInit) =>
  new Promise<Response>((_, reject) => {
    init.signal!.addEventListener("abort", () => reject(init.signal!.reason));
  });
const url = (name: string): string => `https://${name}.hooks.org/in?token=t`;

test("T23 dispatch_event posts to every URL what the Standard Webhooks library would sign", async () => {
  const world = new Endpoints(ok);
  const urls = Array.from({ length: 25 }, (_, n) => url(`h${n}`));
  const result = await world.dispatch(urls);
  expect(result).toMatchObject({
    status: "success",
    data: { deliveries: urls.map((one) => ({ url: one, status: 204, attempts: 1 })) },
  });
  for (const { init } of world.posted) {
    expect(init.method).toBe("POST");
    const body = init.body as string;
    const headers = init.headers as Record<string, string>;
    const time = new Date(1_000 * Number(headers["webhook-timestamp"]));
    expect(headers["webhook-signature"]).toBe(new Webhook(SECRET).sign(headers["webhook-id"]!, time, body));
    expect(time.getTime()).toBe(world.clock.now());
    expect(JSON.parse(body)).toEqual({
      type: "order.paid",
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { order: 7 },
    });
  }
  expect(
    new Set(world.posted.map(({ init }) => (init.headers as Record<string, string>)["webhook-id"])).size,
  ).toBe(25);
});

trial("a delivery has one id for all its attempts, each signed at its own time", async () => {
  const world = new Endpoints((_, attempt) => (attempt < 3 ? status(503) : ok()));
  expect((await world.dispatch([url("a")])).data).toEqual({
    deliveries: [{ url: url("a"), status: 204, attempts: 3 }],
  });
  const headers = world.headersOf(url("a"));
  expect(new Set(headers.map((one) => one["webhook-id"])).size).toBe(1);
  expect(new Set(headers.map((one) => one["webhook-signature"])).size).toBeGreaterThan(1);
});

test("the same URL twice is two deliveries", async () => {
  const world = new Endpoints(ok);
  await world.dispatch([url("a"), url("a")]);
  expect(new Set(world.headersOf(url("a")).map((one) => one["webhook-id"])).size).toBe(2);
});

trial.each([408, 425, 429, 500, 502, 503, 504])("a %d is repeated, three attempts in all", async (code) => {
  const world = new Endpoints(() => status(code));
  expect((await world.dispatch([url("a")])).data).toEqual({
    deliveries: [{ url: url("a"), status: code, attempts: 3 }],
  });
});

test.each([400, 401, 403, 404, 409, 410, 422, 301, 302, 307])(
  "a %d is the endpoint's last word",
  async (code) => {
    const world = new Endpoints(() => status(code, { location: url("elsewhere") }));
    expect((await world.dispatch([url("a")])).data).toEqual({
      deliveries: [{ url: url("a"), status: code, attempts: 1 }],
    });
    expect(world.posted).toHaveLength(1);
  },
);

test("an endpoint cannot be reached: that is said, after three attempts", async () => {
  const world = new Endpoints(() => Promise.reject(new Error("connection refused to 192.0.2.1")));
  const { data } = await world.dispatch([url("a")]);
  expect(data).toEqual({ deliveries: [{ url: url("a"), status: "unreachable", attempts: 3 }] });
});

test("an endpoint's Retry-After is waited for where the time allows, and ends its attempts where it does not", async () => {
  const world = new Endpoints((where, attempt) =>
    attempt > 1 ? ok() : status(429, { "retry-after": where === url("soon") ? "3" : "60" }),
  );
  const { data } = await world.dispatch([url("soon"), url("late")]);
  expect(data).toEqual({
    deliveries: [
      { url: url("soon"), status: 204, attempts: 2 },
      { url: url("late"), status: 429, attempts: 1 },
    ],
  });
  const [first, second] = world.posted.filter((one) => one.url === url("soon"));
  expect(second!.at - first!.at).toBe(3_000);
});

test("endpoints that hang cost their own entries only, and the call is answered in its time", async () => {
  const world = new Endpoints((where, _, init) => (where.includes("hang") ? hang(init) : ok()));
  const urls = [url("hang1"), url("a"), url("hang2"), url("b")];
  const result = await world.dispatch(urls);
  expect(result).toMatchObject({ status: "success" });
  expect(result.data).toEqual({
    deliveries: [
      { url: url("hang1"), status: "unreachable", attempts: 3 },
      { url: url("a"), status: 204, attempts: 1 },
      { url: url("hang2"), status: "unreachable", attempts: 3 },
      { url: url("b"), status: 204, attempts: 1 },
    ],
  });
  expect(result.meta.duration_ms).toBeLessThan(14_000);
});

test("twenty-five endpoints that hang are answered in the call's time, and nothing is sent afterwards", async () => {
  const world = new Endpoints((_, __, init) => hang(init));
  const result = await world.dispatch(Array.from({ length: 25 }, (_, n) => url(`h${n}`)));
  expect(result).toMatchObject({ status: "success" });
  const { deliveries } = result.data as { deliveries: { status: string }[] };
  expect(deliveries.map(({ status: said }) => said)).toEqual(Array.from({ length: 25 }, () => "unreachable"));
  const sent = world.posted.length;
  await world.clock.runUntil(new Promise<void>((resolve) => void world.clock.after(120_000, resolve)));
  expect(world.posted).toHaveLength(sent);
});

test("an endpoint that answers and then never ends its body has taken the event", async () => {
  const world = new Endpoints(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })));
  expect((await world.dispatch([url("a")])).data).toEqual({
    deliveries: [{ url: url("a"), status: 200, attempts: 1 }],
  });
});

test("an address that may not be called costs its own entry, and is sent nothing", async () => {
  const world = new Endpoints(ok);
  const bad = [
    "http://a.hooks.org/",
    "https://127.0.0.1/",
    "https://user@a.hooks.org/",
    "https://a.hooks.org:8443/",
    "https://metadata.google.internal/",
  ];
  const { data } = await world.dispatch([...bad, url("a")]);
  expect(data).toEqual({
    deliveries: [
      ...bad.map((one) => ({ url: one, status: "not_allowed", attempts: 0 })),
      { url: url("a"), status: 204, attempts: 1 },
    ],
  });
  expect(world.posted).toHaveLength(1);
});

test("when no address may be called the call fails, and says why", async () => {
  const world = new Endpoints(ok);
  expect(await world.dispatch(["https://10.0.0.1/", "https://localhost/"])).toMatchObject({
    status: "error",
    error: { code: "EGRESS_DENIED", hint: expect.stringContaining("10.0.0.1") },
  });
});

test("without a secret, or with one that cannot sign, nothing is sent", async () => {
  for (const secret of [undefined, "plain"]) {
    const world = new Endpoints(ok);
    if (secret === undefined) world.secrets.clear();
    else world.secrets.set("VOLLEY_WEBHOOK_SECRET", secret);
    expect(await world.dispatch([url("a")])).toMatchObject({
      status: "error",
      error: { code: "MISCONFIGURED" },
    });
    expect(world.posted).toHaveLength(0);
  }
});

test("while one secret replaces another, both sign", async () => {
  const next = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
  const world = new Endpoints(ok);
  world.secrets.set("VOLLEY_WEBHOOK_SECRET", `${next} ${SECRET}`);
  await world.dispatch([url("a")]);
  expect(world.headersOf(url("a"))[0]!["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/);
});

test.each([
  { urls: [] },
  { urls: Array.from({ length: 26 }, () => url("a")) },
  { urls: ["not a url"] },
  { urls: url("a") },
  { urls: [url("a")], event: "" },
  { urls: [url("a")], event: "x".repeat(101) },
  { urls: [url("a")], data: "text" },
])("dispatch_event does not accept %j", (args) => {
  expect(z.safeParse(dispatchEvent.input, { ...ARGS, ...args }).success).toBe(false);
});
