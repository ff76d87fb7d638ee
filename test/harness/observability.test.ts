import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { sendHook, triggerOf } from "../support/hook-sender.ts";
import { type RawAnswer, TestCaller } from "../support/test-caller.ts";
import { github } from "../features/flows/hooks/sample-senders.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

/* The operator's view of the built bundle: the lines that docs/observability.md describes, and Server-Timing on every answer. */

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CANARY = "CaNaRy";
const { volley, caller } = await setUpSandbox();
const page = await readFile(new URL("../../docs/observability.md", import.meta.url), "utf8");

type Line = Readonly<Record<string, unknown>> & { readonly event: string; readonly request_id: string };

function allLines(): Line[] {
  return volley
    .output()
    .split("\n")
    .filter((line) => line.startsWith('{"level"'))
    .map((line) => JSON.parse(line) as Line);
}

/** Output comes over a pipe, after the answer. */
function linesOf(requestId: unknown, count: number): Promise<Line[]> {
  return eventually(`${count} lines about ${String(requestId)}`, async () => {
    const own = allLines().filter((line) => line.request_id === requestId);
    return own.length >= count ? own : undefined;
  });
}

/** The fields that the page lists for an event. */
function documented(event: string): string[] {
  const [, section = ""] = page.split(`\n### \`${event}\`\n`);
  const [table = ""] = section.split(/\n##/);
  return [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  );
}

const batchOf = (...actions: object[]) => JSON.stringify({ actions });
const echo = { tool: "probe-echo", args: { n: 1 } };

describe("Server-Timing", () => {
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string | undefined>> = {}) =>
    caller.send({ path, body: JSON.stringify(body), headers });
  const chat = {
    messages: [
      {
        role: "assistant",
        tool_calls: [{ id: "c", type: "function", function: { name: "probe-echo", arguments: '{"n":1}' } }],
      },
    ],
  };
  const rpc = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const WHOLE = ["parse", "plan", "admit", "run", "write"];

  test.each<[string, readonly string[], () => ReturnType<typeof caller.send>]>([
    ["a batch", WHOLE, () => caller.send({ body: batchOf(echo) })],
    [
      "a dry run",
      ["parse", "plan", "admit"],
      () => post("/v1/execute_actions", { actions: [echo], dry_run: true }),
    ],
    [
      "a stream",
      ["parse", "plan", "admit", "run"],
      () => caller.send({ body: batchOf(echo), headers: { accept: "text/event-stream" } }),
    ],
    ["a provider's turn", WHOLE, () => post("/v1/openai/tool_calls", chat.messages[0])],
    ["one tool", WHOLE, () => post("/v1/invoke_tool", { tool_name: "probe-echo", parameters: { n: 1 } })],
    [
      "the Orchestration API",
      WHOLE,
      () =>
        post("/api/orchestration/batch", { tools: [{ id: "1", toolName: "read", input: { path: "a" } }] }),
    ],
    ["a list", ["parse", "admit", "run"], () => caller.get("/v1/tools")],
    ["a job that there is not", ["parse", "admit", "run"], () => caller.get("/v1/jobs/none")],
    [
      "an MCP list",
      ["parse", "admit", "run"],
      () => post("/mcp", rpc, { accept: "application/json, text/event-stream" }),
    ],
    ["no JSON", ["parse"], () => caller.send({ body: "{" })],
    ["no key", ["parse"], () => caller.send({ body: batchOf(echo), headers: { authorization: undefined } })],
    ["another method", ["parse"], () => caller.get("/v1/execute_actions")],
    ["an unknown path", ["parse"], () => caller.get("/v1/nothing")],
    ["a hook of no flow", ["parse"], () => post("/hooks/nobody/none", {})],
    ["health", ["parse"], () => caller.get("/healthz")],
  ])("is on the answer to %s", async (_, stages, send) => {
    const { headers } = await send();
    const timing = String(headers["server-timing"]);
    expect(timing).toMatch(/^\w+;dur=\d+(?:, \w+;dur=\d+)*$/);
    expect([...timing.matchAll(/(\w+);dur/g)].map(([, stage]) => stage)).toEqual(stages);
  });
});

describe("A line", () => {
  test("is written for every batch, with the fields that the page has", async () => {
    const traced = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const body = batchOf(echo, { tool: "probe-item", args: { id: CANARY } }, { tool: CANARY, args: {} });
    const { headers } = await caller.send({ body, headers: traced });
    const [line] = await linesOf(headers["x-request-id"], 1);
    expect(line).toMatchObject({
      event: "batch",
      trace_id: TRACE,
      tenant: "sandbox",
      route: "POST /v1/execute_actions",
      kind: "run",
      total: 3,
    });
    // Fields that are there only where a limiter is late, and only of a flow.
    expect([...Object.keys(line!), "degraded", "flow"].toSorted()).toEqual(documented("batch").toSorted());
  });

  test.each<[string, string, string, string]>([
    ["a stream", "/v1/execute_actions", batchOf(echo), "text/event-stream"],
    [
      "a turn",
      "/v1/anthropic/tool_use",
      JSON.stringify({
        role: "assistant",
        content: [{ type: "tool_use", id: "t", name: "probe-echo", input: { n: 1 } }],
      }),
      "*/*",
    ],
    ["one tool", "/v1/invoke_tool", JSON.stringify({ tool_name: "probe-echo", parameters: { n: 1 } }), "*/*"],
    [
      "the Orchestration API",
      "/api/orchestration/batch",
      JSON.stringify({ tools: [{ id: "1", toolName: "read", input: {} }] }),
      "*/*",
    ],
    [
      "an MCP call",
      "/mcp",
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "execute_actions", arguments: { actions: [echo] } },
      }),
      "application/json, text/event-stream",
    ],
  ])("is written for the batch of %s", async (_, path, body, accept) => {
    const { headers, text } = await caller.send({ path, body, headers: { accept } });
    expect(text).not.toBe("");
    const lines = await linesOf(headers["x-request-id"], 1);
    expect(lines).toMatchObject([{ event: "batch", kind: "run", total: 1 }]);
    expect(String(lines[0]!["route"])).toContain(path);
  });

  test("is written for what a confirmation runs, under the request of the decision", async () => {
    const asked = await caller.execute([{ tool: "probe-delete", args: { id: "x" } }]);
    const { id } = asked.results[0]!.confirmation!;
    const decided = await caller.send({ path: `/v1/confirmations/${id}`, body: '{"decision":"approve"}' });
    expect(decided.status).toBe(200);
    const [line] = await linesOf(decided.headers["x-request-id"], 1);
    expect(line).toMatchObject({
      event: "batch",
      route: "POST /v1/confirmations/:id",
      tools: { "probe-delete": 1 },
    });
    expect(JSON.stringify(line)).not.toContain(id);
  });

  test("is written once for each attempt of a job, with the request that asked for it", async () => {
    const traced = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const body = batchOf({ tool: "probe-background", args: { n: 1, status: 404 } });
    const { headers } = await caller.send({ body, headers: traced });
    const lines = await linesOf(headers["x-request-id"], 2);
    const attempts = lines.filter(({ event }) => event === "job_attempt");
    expect(attempts).toMatchObject([
      { end: "failed", tool: "probe-background", attempt: 1, trace_id: TRACE },
    ]);
    expect([...Object.keys(attempts[0]!), "trigger"].toSorted()).toEqual(
      documented("job_attempt").toSorted(),
    );
  });

  test("is written for the attempts of the object's alarm too", async () => {
    const body = batchOf({ tool: "probe-background", args: { n: 2, status: 503 } });
    const { headers } = await caller.send({ body });
    const lines = await linesOf(headers["x-request-id"], 3);
    const attempts = lines.filter(({ event }) => event === "job_attempt").slice(0, 2);
    expect(attempts).toMatchObject([
      { end: "lost", code: "UPSTREAM_ERROR", attempt: 1, tenant: "sandbox" },
      { end: "lost", code: "UPSTREAM_ERROR", attempt: 2, tenant: "sandbox" },
    ]);
  });

  test("is written for a run that a webhook causes: of its batch, and of its attempt", async () => {
    const admin = new TestCaller(volley.url, "sandbox-admin-key");
    const flow = {
      summary: "Takes a delivery",
      input_schema: { type: "object" },
      actions: [echo],
      triggers: { webhook: triggerOf(github) },
    };
    await admin.send({ method: "PUT", path: "/v1/flows/seen", body: JSON.stringify(flow) });
    const delivered = await sendHook(volley.url, "seen", github, {});
    expect(delivered.status).toBe(202);
    const { job_id: job } = JSON.parse(delivered.text) as { job_id: string };
    const lines = await linesOf(job, 2);
    expect(lines.toSorted((a, b) => a.event.localeCompare(b.event))).toMatchObject([
      {
        event: "batch",
        flow: "seen",
        key: "webhook:seen",
        tenant: "sandbox-admin",
        tools: { "probe-echo": 1 },
        route: "other",
      },
      { event: "job_attempt", trigger: "webhook", tool: "seen", end: "succeeded", attempt: 1, job_id: job },
    ]);
  });

  test("names the flow that a batch is, by itself, in a dry run and as an action; of any other batch none", async () => {
    const admin = new TestCaller(volley.url, "sandbox-admin-key");
    const flow = { summary: "Says one", input_schema: { type: "object" }, actions: [echo] };
    await admin.send({ method: "PUT", path: "/v1/flows/named", body: JSON.stringify(flow) });
    const flowsOf = async (sent: Promise<RawAnswer>, count: number) => {
      const lines = await linesOf((await sent).headers["x-request-id"], count);
      return lines.filter(({ event }) => event === "batch").map((line) => line["flow"]);
    };
    const run = { path: "/v1/flows/named/run" };
    expect(await flowsOf(admin.send({ ...run, body: "{}" }), 1)).toEqual(["named"]);
    expect(await flowsOf(admin.send({ ...run, body: '{"dry_run":true}' }), 1)).toEqual(["named"]);
    expect(await flowsOf(admin.send({ body: batchOf({ tool: "named" }) }), 2)).toEqual(["named", undefined]);
  });

  test.each<[string, string, number, string, () => ReturnType<typeof caller.send>]>([
    [
      "no key",
      "UNAUTHORIZED",
      401,
      "POST /v1/execute_actions",
      () => caller.send({ body: "{}", headers: { authorization: `Basic ${CANARY}` } }),
    ],
    [
      "no key, sent by HEAD",
      "UNAUTHORIZED",
      401,
      "GET /v1/jobs",
      () => caller.send({ method: "HEAD", path: "/v1/jobs", body: "", headers: { authorization: CANARY } }),
    ],
    ["no JSON", "MALFORMED_JSON", 400, "POST /v1/execute_actions", () => caller.send({ body: `{${CANARY}` })],
    [
      "no batch",
      "INVALID_BATCH",
      422,
      "POST /v1/execute_actions",
      () => caller.send({ body: `{"actions":[],"${CANARY}":1}` }),
    ],
    [
      "another method",
      "METHOD_NOT_ALLOWED",
      405,
      "/v1/execute_actions",
      () => caller.get("/v1/execute_actions"),
    ],
    ["an unknown path", "NOT_FOUND", 404, "other", () => caller.get(`/v1/${CANARY}?key=${CANARY}`)],
    ["a job of no tenant", "NOT_FOUND", 404, "GET /v1/jobs/:id", () => caller.get(`/v1/jobs/${CANARY}`)],
    [
      "the Orchestration API's own words",
      "INVALID_REQUEST",
      400,
      "POST /api/orchestration/batch",
      () => caller.send({ path: "/api/orchestration/batch", body: "{}" }),
    ],
    ["MCP's own words", "METHOD_NOT_ALLOWED", 405, "/mcp", () => caller.get("/mcp")],
    [
      "a hook of no flow",
      "UNAUTHORIZED",
      401,
      "POST /hooks/:tenant/:id",
      () => caller.send({ path: `/hooks/${CANARY}/x`, body: "{}" }),
    ],
    [
      "no model",
      "INVALID_REQUEST",
      422,
      "POST /v1/chat/completions",
      () => caller.send({ path: "/v1/chat/completions", body: "{}" }),
    ],
  ])("is written once for a request that is refused for %s", async (_, code, status, route, send) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    const lines = await linesOf(answer.headers["x-request-id"], 1);
    expect(lines).toMatchObject([{ event: "request_refused", code, status, route }]);
    const known = documented("request_refused");
    expect(Object.keys(lines[0]!).filter((field) => !known.includes(field))).toEqual([]);
  });

  test("is written for a batch that is refused inside of an MCP answer", async () => {
    const params = { name: "execute_actions", arguments: { actions: [] } };
    const answer = await caller.send({
      path: "/mcp",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      headers: { accept: "application/json, text/event-stream" },
    });
    expect(answer.status).toBe(200);
    expect(await linesOf(answer.headers["x-request-id"], 1)).toMatchObject([
      { event: "request_refused", code: "INVALID_BATCH", status: 200, route: "/mcp", key: "sandbox" },
    ]);
  });

  test("has nothing of what callers send where it does not belong, and is one line, whatever they send", async () => {
    const hostile = {
      traceparent: `00-${CANARY}`,
      "user-agent": CANARY,
      "x-request-id": CANARY,
      "idempotency-key": `${CANARY}-1`,
      "x-forwarded-for": CANARY,
    };
    const body = batchOf(
      { tool: "probe-any", args: { path: `/${CANARY}` } },
      { tool: "probe-echo", args: { n: CANARY } },
    );
    await caller.send({ body, headers: hostile });
    await caller.send({ body, headers: hostile });
    const { headers } = await caller.send({
      body,
      headers: { ...hostile, authorization: `Bearer ${CANARY}` },
    });
    await linesOf(headers["x-request-id"], 1);
    expect(allLines().filter(({ kind }) => kind === "replay")).toHaveLength(1);
    expect(volley.output()).not.toContain(CANARY);
  });
});
