import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { HostileUpstream, type SeenRequest } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const SECRET = `whsec_${btoa("a secret of the test, 32 bytes..")}`;
const upstream = await HostileUpstream.start();
afterAll(() => upstream[Symbol.asyncDispose]());
upstream.script("/operator", (_, response) => void response.writeHead(204).end());
const volley = await startRawSandbox({
  vars: {
    PROBE_ORIGIN: upstream.url,
    VOLLEY_WEBHOOK_SECRET: SECRET,
    VOLLEY_EVENTS_URL: `${upstream.url}/operator?token=geheim`,
  },
});
afterAll(() => volley[Symbol.asyncDispose]());
const caller = new TestCaller(volley.url);
const other = new TestCaller(volley.url, "sandbox-other-key");

interface WireEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The event in a request, as the Standard Webhooks library reads it: it throws when the signature is not right. */
function eventOf({ body, headers }: SeenRequest): WireEvent {
  return new Webhook(SECRET).verify(body, headers as Record<string, string>) as WireEvent;
}

const toldOf = (type: string, matches: (data: WireEvent["data"]) => boolean = () => true): WireEvent[] =>
  upstream
    .requestsTo("/operator")
    .map(eventOf)
    .filter((event) => event.type === type && matches(event.data));

const told = (type: string, matches?: (data: WireEvent["data"]) => boolean): Promise<WireEvent> =>
  eventually(`an event '${type}'`, () => toldOf(type, matches)[0]);

async function park(id: string, by = caller): Promise<string> {
  const { results } = await by.execute([{ tool: "probe-delete", args: { id } }]);
  return results[0]!.confirmation!.id;
}

/** Refused until it is dead, which takes a few backoffs; the other tests run meanwhile. */
const doomed = await caller.execute([{ tool: "probe-background", args: { n: 7, status: 500 } }]);

describe("VOLLEY_EVENTS_URL", () => {
  test("is told, signed, of a question and of the decision on it", async () => {
    const id = await park("a-very-secret-lamp");
    const isIts = (data: WireEvent["data"]): boolean => data["confirmation_id"] === id;
    const requested = await told("confirmation.requested", isIts);
    expect(requested).toEqual({
      type: "confirmation.requested",
      timestamp: requested.data["created_at"],
      data: {
        tenant: "sandbox",
        confirmation_id: id,
        requested_by: "sandbox",
        tools: ["probe-delete"],
        created_at: expect.any(String),
        expires_at: expect.any(String),
        url: expect.stringContaining(`${new URL(volley.url).origin}/approvals/sandbox/`),
      },
    });
    expect(toldOf("confirmation.decided", isIts)).toEqual([]);
    await new TestCaller(volley.url).send({
      path: `/v1/confirmations/${id}`,
      body: JSON.stringify({ decision: "approve" }),
    });
    const { data } = await told("confirmation.decided", isIts);
    expect(data).toEqual({
      tenant: "sandbox",
      confirmation_id: id,
      requested_by: "sandbox",
      tools: ["probe-delete"],
      created_at: requested.data["created_at"],
      decision: "approve",
      decided_by: { name: "sandbox", via: "key" },
    });
    expect(upstream.requestsTo("/operator").map(({ body }) => body)).not.toContainEqual(
      expect.stringContaining("a-very-secret-lamp"),
    );
  });

  test("is told of every tenant's, under an id of each event", async () => {
    const ids = [await park("theirs", other), await park("ours")];
    for (const id of ids) await told("confirmation.requested", (data) => data["confirmation_id"] === id);
    const sent = upstream.requestsTo("/operator").map(({ headers }) => String(headers["webhook-id"]));
    expect(sent).toEqual(expect.arrayContaining(ids.map((id) => `confirmation-requested-${id}`)));
    expect(new Set(sent).size).toBe(sent.length);
    expect(upstream.requestsTo("/operator")[0]!.query.get("token")).toBe("geheim");
  });

  test("is told once of a breaker that a request opened, and of no refusal behind it", async () => {
    upstream.script("/echo", (_, response) => void response.writeHead(500).end());
    const reads = Array.from({ length: 25 }, (_, n) => ({ tool: "probe-echo", args: { n } }));
    await caller.execute(reads);
    await caller.execute(reads);
    const { data, timestamp } = await told("breaker.opened", ({ tool }) => tool === "probe-echo");
    expect(data).toEqual({
      tenant: "sandbox",
      key: "sandbox",
      tool: "probe-echo",
      origin: upstream.url,
      until: expect.any(String),
    });
    expect(Date.parse(data["until"] as string)).toBeGreaterThan(Date.parse(timestamp));
    const last = await park("after-the-breaker");
    await told("confirmation.requested", ({ confirmation_id }) => confirmation_id === last);
    expect(toldOf("breaker.opened", ({ tool }) => tool === "probe-echo")).toHaveLength(1);
  });
});

describe("A configuration of it that cannot be right", () => {
  test.each([
    ["http://hooks.example.com/events", "VOLLEY_EVENTS_URL"],
    ["https://127.0.0.1/events", "VOLLEY_EVENTS_URL"],
    ["https://user:geheim@hooks.example.com/", "VOLLEY_EVENTS_URL"],
    ["https://metadata.internal/", "VOLLEY_EVENTS_URL"],
    ["geheim", "VOLLEY_EVENTS_URL"],
  ])("'%s' is refused whole, and health names the variable and not its value", async (url, variable) => {
    await using refused = await startRawSandbox({ vars: { VOLLEY_EVENTS_URL: url } });
    const { status, text } = await new TestCaller(refused.url).get("/healthz");
    expect(status).toBe(503);
    expect(text).toContain(variable);
    expect(text).not.toContain("geheim");
  });

  test("nor is one without a secret to sign with", async () => {
    await using refused = await startRawSandbox({
      vars: { VOLLEY_EVENTS_URL: "https://hooks.example.com/", VOLLEY_WEBHOOK_SECRET: "whsec_short" },
    });
    const { status, text } = await new TestCaller(refused.url).get("/healthz");
    expect([status, text]).toEqual([503, expect.stringContaining("VOLLEY_WEBHOOK_SECRET")]);
    expect(text).not.toContain("whsec_short");
  });
});

describe("VOLLEY_EVENTS_URL, later,", () => {
  test("is told of a job that died", async () => {
    const { results, batch_id } = doomed;
    const id = results[0]!.job_id!;
    const { data } = await told("job.dead", ({ job_id }) => job_id === id);
    expect(data).toEqual({
      tenant: "sandbox",
      job_id: id,
      tool: "probe-background",
      key: "sandbox",
      batch_id,
      attempts: expect.any(Number),
      in_doubt: true,
      created_at: expect.any(String),
      code: "UPSTREAM_ERROR",
    });
    expect((await caller.get(`/v1/jobs/${id}`)).text).toContain('"dead"');
  });
});
