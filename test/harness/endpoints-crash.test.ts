import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const upstream = await HostileUpstream.start();
const storageDir = await mkdtemp(join(tmpdir(), "volley-endpoints-"));
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await rm(storageDir, { recursive: true, force: true });
});

const start = (port?: number) =>
  startRawSandbox({
    storageDir,
    ...(port !== undefined && { port }),
    vars: { PROBE_ORIGIN: upstream.url },
  });

interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(url: string, method: string, path: string, body?: unknown): Promise<Answered> {
  const caller = new TestCaller(url, "sandbox-admin-key");
  const { status, text } = await caller.send({
    method,
    path,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status, body: (text === "" ? {} : JSON.parse(text)) as Answered["body"] };
}

/** How often each endpoint got an event. */
function received(names: readonly string[], event: string): number[] {
  return names.map(
    (name) => upstream.requestsTo(`/${name}`).filter(({ headers }) => headers["webhook-id"] === event).length,
  );
}

/** Wait until all 200 deliveries of an event are delivered. */
const delivered = (url: string, event: string): Promise<unknown> =>
  eventually(`the deliveries of ${event}`, async () => {
    const { body } = await send(url, "GET", `/v1/events/${event}`);
    return (body["deliveries"] as Record<string, number>)["delivered"] === 200 || undefined;
  });

/** Three in every run; `VOLLEY_KILLS=50` as docs/reliability.md tells. */
const KILLS = Number(process.env["VOLLEY_KILLS"] ?? 3);

describe("Endpoints", () => {
  const names = Array.from({ length: 200 }, (_, n) => `fan-${n}`);

  test("F33 killed during fan-outs to 200 endpoints: each gets every event that was answered with 202, and none more often than once more", async () => {
    for (const name of names)
      upstream.script(`/${name}`, (_, response) => void setTimeout(() => response.writeHead(204).end(), 20));
    let volley = await start();
    const secrets = new Map<string, string>();
    for (const name of names) {
      const settings = { url: `${upstream.url}/${name}`, events: ["order.*"] };
      const made = await send(volley.url, "PUT", `/v1/endpoints/${name}`, settings);
      expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 });
      secrets.set(name, made.body["secret"] as string);
    }
    const events: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const published = await send(volley.url, "POST", "/v1/events", { type: "order.paid", data: { kill } });
      expect(published).toMatchObject({ status: 202, body: { endpoints: 200 } });
      const event = published.body["event_id"] as string;
      events.push(event);
      // At once, in the middle, and near the end.
      await eventually(
        "some deliveries",
        () =>
          Promise.resolve(
            received(names, event).filter((count) => count > 0).length >= (kill % 3) * 80 || undefined,
          ),
        { everyMs: 5 },
      );
      await volley.kill("SIGKILL");
      volley = await start(volley.port);
      // One kill for each event: a delivery may be cut off by each that comes while it is under way.
      await delivered(volley.url, event);
    }
    // Published while it is killed: without a 202 nothing is promised; with the same id it is one event.
    const asked = { type: "order.paid", data: { last: true }, id: "last" };
    const cut = send(volley.url, "POST", "/v1/events", asked).catch(() => null);
    await eventually(
      "the first delivery",
      () => Promise.resolve(received(names, "last").some((count) => count > 0) || undefined),
      {
        everyMs: 1,
      },
    );
    await volley.kill("SIGKILL");
    await cut;
    volley = await start(volley.port);
    expect(await send(volley.url, "POST", "/v1/events", asked)).toMatchObject({
      status: 202,
      body: { event_id: "last", endpoints: 200 },
    });
    events.push("last");

    for (const event of events) {
      await delivered(volley.url, event);
      const counts = received(names, event);
      expect(Math.min(...counts)).toBe(1);
      // One attempt that is written down, and one that was cut off.
      expect(Math.max(...counts)).toBeLessThanOrEqual(2);
    }
    const [request] = upstream.requestsTo("/fan-7");
    const event = new Webhook(secrets.get("fan-7")!).verify(
      request!.body,
      request!.headers as Record<string, string>,
    );
    expect(event).toMatchObject({ type: "order.paid", data: { kill: 0 } });
    await volley[Symbol.asyncDispose]();
  });

  test("F33 killed right after a question was asked: the endpoint that asks to be told of it is told, by one event", async () => {
    upstream.script("/told", (_, response) => void response.writeHead(204).end());
    let volley = await start();
    const settings = { url: `${upstream.url}/told`, events: ["volley.confirmation.requested"] };
    expect((await send(volley.url, "PUT", "/v1/endpoints/told", settings)).status).toBe(201);
    const asked: string[] = [];
    for (let kill = 0; kill < 3; kill += 1) {
      const actions = [{ tool: "probe-delete", args: { id: `q${kill}` } }];
      const { status, body } = await send(volley.url, "POST", "/v1/execute_actions", { actions });
      expect(status).toBe(200);
      const [result] = body["results"] as readonly { confirmation: { id: string } }[];
      asked.push(result!.confirmation.id);
      await volley.kill("SIGKILL");
      volley = await start(volley.port);
      // The object of the tenant wakes with its next request, or its alarm.
      await send(volley.url, "GET", "/v1/jobs");
    }
    const told = await eventually("all questions", () => {
      const seen = upstream
        .requestsTo("/told")
        .map(({ body }) => (JSON.parse(body) as { data: { confirmation_id: string } }).data.confirmation_id);
      return new Set(seen).size === asked.length ? seen : undefined;
    });
    expect(new Set(told)).toEqual(new Set(asked));
    // An attempt that was cut off is made once more, under the event's id.
    const { body } = await send(volley.url, "GET", "/v1/events?type=volley.confirmation.requested");
    expect(body["events"]).toHaveLength(asked.length);
    await volley[Symbol.asyncDispose]();
  });

  test("F33 killed right after an account was connected: the endpoint that asks to be told of it is told, by one event", async () => {
    upstream.script("/connected", (_, response) => void response.writeHead(204).end());
    let volley = await start();
    const settings = { url: `${upstream.url}/connected`, events: ["volley.connection.active"] };
    expect((await send(volley.url, "PUT", "/v1/endpoints/connected", settings)).status).toBe(201);
    const connected: string[] = [];
    for (let kill = 0; kill < 3; kill += 1) {
      const wish = { connector: "crm", subject: `person-${kill}`, secret: "a key of the test" };
      const { status, body } = await send(volley.url, "POST", "/v1/connections", wish);
      expect(status, JSON.stringify(body)).toBe(201);
      connected.push(body["connection_id"] as string);
      await volley.kill("SIGKILL");
      volley = await start(volley.port);
    }
    await eventually("all connections", () => {
      const seen = upstream.requestsTo("/connected").map(({ headers }) => String(headers["webhook-id"]));
      return connected.every((id) => seen.some((event) => event.includes(id))) || undefined;
    });
    // An attempt that was cut off is made once more, under the event's id.
    const { body } = await send(volley.url, "GET", "/v1/events?type=volley.connection.active");
    expect(body["events"]).toHaveLength(connected.length);
    await volley[Symbol.asyncDispose]();
  });
});
