import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

import { github } from "../features/flows/hooks/sample-senders.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { eventually } from "../support/eventually.ts";
import { HOOK_SECRET, sendHook, triggerOf } from "../support/hook-sender.ts";
import type { Answer } from "../support/hostile-answers.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { ModelServer } from "../support/model-server.ts";
import { readStorage } from "../support/read-storage.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { encodingsOf, entitiesOf, escapesOf } from "../support/secret-encodings.ts";
import { type RawRequest, TestCaller } from "../support/test-caller.ts";

/*
 * Secrets that are in nothing else, and a run of all there is against upstreams that repeat what they were sent in every way
 * they know. Then every answer, everything printed and every byte on disk is searched for them.
 */

const CALLER_KEY = "canary-caller-0d41b7c2/key+one==";
const ADMIN_KEY = "canary-admin-93fe02a8/key+two==";
/** As it stands in test/support/hook-sender.ts: what deliveries are signed with. */
const TENANT_SECRET = "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=";
const CANARIES = {
  PROBE_SECRET: 'canary-probe-5b8e/"secret"+\\1==',
  LLM_API_KEY: "canary-model-77aa31/openai",
  ANTHROPIC_API_KEY: "canary-model-18cc90/anthropic",
  VOLLEY_WEBHOOK_SECRET: `whsec_${btoa("canary-webhook-of-32-bytes-here!")}`,
};
const ALL = [...Object.values(CANARIES), TENANT_SECRET, CALLER_KEY, ADMIN_KEY];

/** The sent text, as an upstream may repeat it. */
function repeat(sent: string): object {
  const bare = sent.replace(/^\w+ /, "");
  return {
    id: 1,
    n: 7,
    sent,
    [sent]: "as a key",
    url: encodeURIComponent(sent),
    base64: ["", "x", "xx"].map((before) => Buffer.from(before + sent).toString("base64")),
    web: Buffer.from(bare).toString("base64url"),
    escaped: escapesOf(bare),
    page: `<p>${entitiesOf(sent)}</p>`,
    json: JSON.stringify(JSON.stringify({ sent })),
    few: [{ id: `1 ${sent}` }, { id: 2 }],
    items: Array.from({ length: 100 }, (_, n) => ({ n, id: `${n} ${sent}` })),
  };
}

const echoing: Answer = (query, response, _, { headers }) => {
  const sent = [headers["authorization"], headers["x-api-key"], query.get("key")].filter(Boolean).join(" ");
  const n = Number(query.get("n"));
  const status = n >= 400 ? n : 200;
  const type = query.has("text") ? "text/html" : "application/json";
  response
    .writeHead(status, { "content-type": type, "x-sent": encodeURIComponent(sent), "set-cookie": "k=1" })
    .end(JSON.stringify(repeat(sent)));
};

/** An MCP server of 2025 that writes its caller's secret into what it says of its tools, its results and its errors. */
const echoingServer: Answer = (_, response, _path, { headers, body }) => {
  const sent = String(headers["authorization"]);
  const { id, method, params } = JSON.parse(body === "" ? "{}" : body) as {
    id?: number;
    method?: string;
    params?: { name?: string };
  };
  const text = JSON.stringify(repeat(sent));
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: sent, version: "1" },
      instructions: text,
    },
    "tools/list": {
      tools: ["fine", "broken"].map((name) => ({
        name,
        title: sent,
        description: `Reads with ${sent}, ${escapesOf(sent).join(" ")}`,
        inputSchema: { type: "object", properties: { n: { type: "integer", description: sent } } },
        annotations: { readOnlyHint: true },
      })),
    },
    "tools/call": { content: [{ type: "text", text }], structuredContent: repeat(sent) },
  };
  const result = params?.name === "broken" ? undefined : results[method ?? ""];
  const answer = result === undefined ? { error: { code: -32_000, message: text, data: text } } : { result };
  response
    .writeHead(id === undefined ? 202 : 200, { "content-type": "application/json" })
    .end(id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
};

test("P7: T16 no secret is in any answer, line, event or file after a run of everything there is", async () => {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-canaries-"));
  onTestFinished(() => rm(storageDir, { recursive: true, force: true }));
  await using upstream = await HostileUpstream.start();
  await using model = await ModelServer.start();
  for (const path of ["/secret", "/own", "/basic"]) upstream.script(path, echoing);
  upstream.script("/mcp-echo", echoingServer);
  upstream.script("/hook", (_, response) => void response.writeHead(500).end("no"));
  await using volley = await startRawSandbox({
    vars: {
      ...CANARIES,
      PROBE_ORIGIN: upstream.url,
      VOLLEY_EVENTS_URL: `${upstream.url}/events`,
      LLM_BASE_URL: model.baseUrl,
      ANTHROPIC_BASE_URL: model.baseUrl.replace(/\/v1$/, ""),
      VOLLEY_KEYS: await configureKeys({
        [CALLER_KEY]: {
          name: "caller",
          tenant: "sandbox",
          quota: { limit: 10_000, window_s: 60 },
          flags: ["approve"],
        },
        [ADMIN_KEY]: { name: "admin", tenant: "sandbox-admin", flags: ["manage_tools"] },
      }),
    },
    storageDir,
  });
  const caller = new TestCaller(volley.url, CALLER_KEY);
  const admin = new TestCaller(volley.url, ADMIN_KEY);
  const seen: string[] = [];
  const statuses: number[] = [];
  const send = async (request: RawRequest, by = caller): Promise<string> => {
    const { status, headers, text } = await by.send(request);
    seen.push(text, JSON.stringify(headers));
    statuses.push(status);
    return text;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}, by = caller) =>
    send({ path, body: JSON.stringify(body), headers }, by);
  const get = (path: string, by = caller) => send({ method: "GET", path }, by);
  const put = (path: string, body: unknown) =>
    send({ method: "PUT", path, body: JSON.stringify(body) }, admin);
  const batch = (body: object, headers = {}, by = caller) => post("/v1/execute_actions", body, headers, by);
  const SSE = { accept: "text/event-stream" };
  const secret = (n: number, more: object = {}): object => ({
    id: `s${n}`,
    tool: "probe-secret",
    args: { n },
    ...more,
  });

  // Batches: plain, as events, kept and replayed, cut and recalled, failed, with loops, selections and references.
  await batch({ actions: [secret(1), secret(500), { tool: "probe-secret", args: { n: "x" } }] });
  await batch({ actions: [secret(2), secret(500)] }, SSE);
  for (let times = 0; times < 2; times += 1)
    await batch({ actions: [secret(3), secret(500)] }, { "idempotency-key": "canary" });
  const cut = JSON.parse(await batch({ actions: [secret(4)], max_tokens: 300 })) as {
    results: { meta: { handle: string } }[];
  };
  await batch({
    actions: [{ tool: "read", args: { all: { $ref: `${cut.results[0]!.meta.handle}#` } } }],
  });
  const parked = JSON.parse(
    await batch({
      actions: [
        secret(5),
        { tool: "probe-echo", args: { n: { $ref: "s5#/sent" } } },
        { tool: "probe-echo", args: { n: { $ref: "s5#/nothing" } } },
        { tool: "read", args: { text: { $template: "{{s5#/sent}} {{s5#/escaped}}" } } },
        { id: "loop", tool: "probe-item", args: { id: { $ref: "item#/id" } }, for_each: { $ref: "s5#/few" } },
        secret(6, { select: ["/sent", "/base64", "/none"] }),
        { id: "gone", tool: "probe-delete", args: { id: { $ref: "s5#/sent" } } },
      ],
    }),
  ) as { results: { confirmation?: { id: string } }[] };
  await batch({ actions: [secret(7)], dry_run: true });
  await get("/v1/confirmations?status=waiting&limit=10");
  for (const { confirmation } of parked.results)
    if (confirmation !== undefined) {
      await get(`/v1/confirmations/${confirmation.id}`);
      await post(`/v1/confirmations/${confirmation.id}`, { decision: "approve" });
    }

  // Jobs: one that a deadline makes, one that fails and calls back in vain; looked at, listed, called off.
  const release = upstream.hold("/secret", 40);
  const made = JSON.parse(await batch({ actions: [secret(40)], deadline_ms: 1_000 })) as {
    results: { job_id: string }[];
  };
  release();
  const job = made.results[0]!.job_id;
  await eventually("the job to end", async () =>
    (await get(`/v1/jobs/${job}`)).includes('"succeeded"') ? true : undefined,
  );
  const callback = `${upstream.url}/hook`;
  await batch({
    actions: [
      { tool: "probe-background", args: { n: 1, status: 422 }, callback_url: callback },
      { tool: "probe-background", args: { n: 2 }, callback_url: callback },
    ],
  });
  await eventually("callbacks", () => (upstream.requestsTo("/hook").length > 1 ? true : undefined));
  await eventually("an event", () => (upstream.requestsTo("/events").length > 0 ? true : undefined));
  await get("/v1/jobs?limit=50");
  await post(`/v1/jobs/${job}/cancel`, {});
  await post(`/v1/jobs/${job}/redrive`, {});

  // Every other way in.
  const call = { name: "probe-secret", arguments: { n: 8 } };
  const asTurn = { id: "c1", type: "function", function: { name: call.name, arguments: '{"n":8}' } };
  const message = { role: "assistant", content: null, tool_calls: [asTurn] };
  await post("/v1/openai/tool_calls", { choices: [{ message }] });
  await post("/v1/invoke_tool", { tool_name: "probe-secret", parameters: { n: 9 } });
  await post("/api/orchestration/batch", {
    tools: [{ id: "1", toolName: "probe-secret", input: { n: 10 } }],
  });
  const rpc = { jsonrpc: "2.0", id: 1, method: "tools/call", params: call };
  const accept = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" };
  await post("/mcp?surface=flat", rpc, accept);
  await post("/v1/discover_tools", { query: "secret" });
  await post("/v1/get_tool_schema", { tool_name: "probe-secret" });
  for (const path of ["/v1/tools", "/v1/tools?format=openai", "/openapi.json", "/healthz", "/v1/usage", "/"])
    await get(path);

  // The additions of a tenant: tools that carry a bound secret in each way, an MCP server, a flow by its name and by a delivery.
  const declare = (as: unknown, path: string) => ({
    summary: "Read with a secret",
    description: "Reads.",
    category: "own",
    actions: ["read"],
    is_write: false,
    input_schema: { type: "object", properties: { n: { type: "integer" } } },
    http: { method: "GET", url: `${upstream.url}${path}`, auth: { secret: HOOK_SECRET, as } },
  });
  await put("/v1/tools/own-bearer", declare("bearer", "/own"));
  await put("/v1/tools/own-basic", declare("basic", "/basic"));
  await put("/v1/tools/own-header", declare({ header: "x-api-key" }, "/own"));
  await put("/v1/tools/own-query", declare({ query: "key" }, "/own"));
  await put("/v1/tools/own-bound", {
    ...declare("bearer", "/own"),
    http: { method: "GET", url: `${upstream.url}/own`, auth: { secret: "PROBE_SECRET", as: "bearer" } },
  });
  const auth = { secret: HOOK_SECRET, as: "bearer" };
  const imported = await post(
    "/v1/tools/import",
    { prefix: "echo", mcp: { url: `${upstream.url}/mcp-echo`, auth } },
    {},
    admin,
  );
  expect(imported).toContain("echo_fine");
  const own = ["own-bearer", "own-basic", "own-header", "own-query", "echo_fine", "echo_broken"];
  const calls = own.flatMap((tool) => [
    { tool, args: { n: 1 } },
    { tool, args: { n: 500 } },
  ]);
  await batch({ actions: calls }, {}, admin);
  await batch({ actions: calls }, SSE, admin);
  for (const tool of own) await get(`/v1/tools/${tool}`, admin);
  await get("/v1/tools?surface=flat", admin);
  const flow = {
    summary: "Read with secrets",
    input_schema: { type: "object" },
    actions: [
      { id: "own", tool: "own-bearer", args: { n: 1 } },
      { id: "probe", tool: "probe-secret", args: { n: 11 } },
      { id: "bad", tool: "own-header", args: { n: 404 } },
    ],
    answer: { all: { $ref: "own#" }, text: { $template: "{{probe#/sent}} {{own#/json}}" } },
    triggers: { webhook: triggerOf(github) },
  };
  await put("/v1/flows/canary", flow);
  await post("/v1/flows/canary/run", { input: {} }, {}, admin);
  await get("/v1/flows/canary", admin);
  for (const wrong of [{}, { secret: "wrong" }]) {
    const { status, text } = await sendHook(volley.url, "canary", github, wrong);
    seen.push(text);
    statuses.push(status);
  }
  await eventually("the run to end", async () => {
    const { jobs } = JSON.parse(await get("/v1/jobs?limit=50", admin)) as { jobs: { status: string }[] };
    return jobs.length > 0 && jobs.every(({ status }) => !/^(?:running|retrying)$/.test(status))
      ? true
      : undefined;
  });

  // The agent loop: results go back to a model that repeats its own key, in answers, streams and errors.
  const keys = `${CANARIES.LLM_API_KEY} ${CANARIES.ANTHROPIC_API_KEY}`;
  const asked = { model: "m", messages: [{ role: "user", content: "Go" }] };
  const modelCall = (n: number) => ({ name: "execute_actions", args: { actions: [secret(n)] } });
  for (const stream of [false, true]) {
    model.willSay({ calls: [modelCall(12)] }, { text: "Done." });
    await post("/v1/chat/completions", { ...asked, stream });
    model.willSay({ calls: [modelCall(13)] }, { text: "Done." });
    await post("/v1/messages", { ...asked, max_tokens: 100, stream });
    for (const [path, more] of [
      ["/v1/chat/completions", {}],
      ["/v1/messages", { max_tokens: 100 }],
    ] as const) {
      model.willSay({ status: 400, body: { error: { type: "x", message: keys } } });
      await post(path, { ...asked, ...more, stream });
    }
  }

  // Refusals, and keys in the wrong places.
  for (const headers of [
    { authorization: ALL.join(" ") },
    { authorization: CALLER_KEY },
    { "x-api-key": ADMIN_KEY },
  ])
    await send({ body: "{}", headers: { authorization: undefined, ...headers } });
  await send({ body: "{", headers: {} });
  await get(`/v1/tools?api_key=${encodeURIComponent(CALLER_KEY)}`);

  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(40);
  // A refusal of its key's server is 502; nothing else is ours to blame.
  expect(new Set(statuses.filter((status) => status >= 500))).toEqual(new Set([502]));
  expect(model.problems).toEqual([]);
  // Proof that secrets were on their way, were repeated and found, and that what repeats them was kept.
  const sent = upstream.requests
    .map(({ headers, query }) => JSON.stringify([headers, [...query]]))
    .join("\n");
  expect(sent).toContain(JSON.stringify(CANARIES.PROBE_SECRET).slice(1, -1));
  expect(sent).toContain(`Bearer ${TENANT_SECRET}`);
  expect(seen.filter((text) => text.includes("[redacted]")).length).toBeGreaterThan(20);
  expect(model.requests.filter(({ text }) => text.includes("[redacted]")).length).toBeGreaterThanOrEqual(4);
  const printed = volley.output();
  // A longer output keeps only its end.
  expect(printed.length).toBeLessThan(100_000);
  await volley.kill("SIGKILL");
  const rows = await readStorage(storageDir);
  expect(rows).toContain("[redacted]");

  const places: Readonly<Record<string, string>> = {
    ...Object.fromEntries(seen.map((text, at) => [`answer ${at >> 1}`, text])),
    printed,
    "what upstreams were sent in bodies": upstream.requests.map(({ body }) => body).join("\n"),
    "what the model was told": model.requests.map(({ text }) => text).join("\n"),
    disk: rows,
  };
  const found = ALL.flatMap((canary) =>
    encodingsOf(canary).flatMap((encoding) =>
      Object.entries(places).flatMap(([place, text]) =>
        text.includes(encoding) ? [`${canary} as ${encoding} in ${place}`] : [],
      ),
    ),
  );
  expect(found).toEqual([]);
}, 180_000);
