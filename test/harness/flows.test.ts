import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { configureKeys } from "../support/configured-keys.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, TestCaller } from "../support/test-caller.ts";

const flags = ["manage_tools"];
const quota = { limit: 100_000, window_s: 60 };
const VOLLEY_KEYS = await configureKeys({
  admin: { name: "admin", tenant: "acme", flags, quota },
  stranger: { name: "stranger", tenant: "else", flags, quota },
  reader: { name: "reader", tenant: "acme", tools: ["flows", "probe-search"], quota },
  blind: { name: "blind", tenant: "acme", tools: ["probe-search"], flags, quota },
});
const { upstream, volley } = await setUpSandbox({ VOLLEY_KEYS });
const as = (key: string, url = volley.url) => new TestCaller(url, key);
const admin = as("admin");

const declare = (changes: object = {}) => ({
  summary: "Find the first item for a word",
  input_schema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  actions: [
    { id: "found", tool: "probe-search", args: { q: { $ref: "input#/word" } } },
    { id: "first", tool: "probe-item", args: { id: { $ref: "found#/items/0/id" } } },
  ],
  answer: { item: { $ref: "first#" } },
  ...changes,
});
const tool = (changes: object = {}) => ({
  summary: "Say a number back",
  description: "The number that was sent. Size: about 10 tokens.",
  category: "numbers",
  actions: ["read"],
  is_write: false,
  input_schema: { type: "object", properties: { n: { type: "integer" } } },
  http: { method: "GET", url: `${upstream.url}/echo` },
  ...changes,
});
const send = (method: string, path: string, body?: unknown, by = admin): Promise<RawAnswer> =>
  by.send({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }) });
const put = (name: string, changes: object = {}, by = admin) =>
  send("PUT", `/v1/flows/${name}`, declare(changes), by);
const show = (name: string, by = admin) => send("GET", `/v1/flows/${name}`, undefined, by);
const remove = (name: string, by = admin) => send("DELETE", `/v1/flows/${name}`, undefined, by);
const json = (answer: RawAnswer) => JSON.parse(answer.text) as Record<string, unknown>;
const refusalOf = (answer: RawAnswer) => [answer.status, problemOf(answer).code];
const listed = async (by = admin) =>
  json(await send("GET", "/v1/flows", undefined, by))["flows"] as Record<string, unknown>[];
const callOf = (name: string) => [{ tool: name, args: { n: 1 } }];

describe("PUT /v1/flows/{name}", () => {
  test("keeps a flow, says what it amounts to, and replaces it", async () => {
    const created = await put("keep-first");
    expect(created.status, created.text).toBe(201);
    expect(json(created)).toEqual({
      name: "keep-first",
      ...declare(),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      is_write: false,
      confirm: false,
    });
    const deletes = { actions: [{ tool: "probe-delete", args: { id: { $ref: "input#/word" } } }] };
    const replaced = await put("keep-first", { ...deletes, answer: undefined });
    expect([replaced.status, json(replaced)]).toEqual([
      200,
      expect.objectContaining({ is_write: true, confirm: true }),
    ]);
    expect(json(replaced)["fingerprint"]).not.toBe(json(created)["fingerprint"]);
  });

  test("takes what was shown as it is", async () => {
    await put("shown-again");
    const shown = json(await show("shown-again"));
    const again = await send("PUT", "/v1/flows/shown-again", shown);
    expect([again.status, json(again)["fingerprint"]]).toEqual([200, shown["fingerprint"]]);
  });

  test("shows when a clock comes next, and of a paused one nothing", async () => {
    const triggers = { cron: "*/5 * * * *", timezone: "Asia/Kathmandu" };
    const open = { input_schema: { type: "object" } };
    const next = json(await put("timed", { ...open, triggers }))["next_run_at"] as string;
    expect(Date.parse(next) % (5 * 60_000)).toBe(0);
    expect(json(await put("timed", { ...open, triggers: { ...triggers, paused: true } }))).not.toHaveProperty(
      "next_run_at",
    );
    expect(json(await show("timed"))["triggers"]).toEqual({ ...triggers, paused: true });
  });

  test("refuses all that is wrong at once, by path, and keeps nothing", async () => {
    const answer = await put("broken", {
      actions: [
        { tool: "probe-serach", args: {} },
        { tool: "probe-item", args: { id: { $ref: "x#" } } },
      ],
      deadline_ms: 0,
      triggers: { cron: "0 7 * * 8", webhook: { verify: "github", secret: "GMAIL_TOKEN" } },
    });
    expect(refusalOf(answer)).toEqual([422, "INVALID_FLOW"]);
    const { issues } = json(answer) as unknown as { issues: { path: string }[] };
    expect(issues.map(({ path }) => path).toSorted()).toEqual([
      "/actions/0/tool",
      "/actions/1/args/id/$ref",
      "/answer/item/$ref",
      "/deadline_ms",
      "/triggers/cron",
      "/triggers/webhook/secret",
    ]);
    expect((await show("broken")).status).toBe(404);
  });

  test.each(["probe-echo", "execute_actions", "discover_tools", "send_email"])(
    "refuses the name of %s, which the deployment has",
    async (name) => expect(refusalOf(await put(name))).toEqual([409, "NAME_TAKEN"]),
  );

  test("refuses a name that is none, and another name in the body", async () => {
    expect(refusalOf(await put("1st"))).toEqual([422, "INVALID_FLOW"]);
    expect(refusalOf(await put("mine", { name: "yours" }))).toEqual([422, "INVALID_FLOW"]);
    expect((await put("mine", { name: "mine" })).status).toBe(201);
  });

  test("refuses the name of a tool of the tenant's own, and a tool that of a flow", async () => {
    expect((await send("PUT", "/v1/tools/is-a-tool", tool())).status).toBe(201);
    expect(refusalOf(await put("is-a-tool"))).toEqual([409, "NAME_TAKEN"]);
    expect((await put("is-a-flow")).status).toBe(201);
    expect(refusalOf(await send("PUT", "/v1/tools/is-a-flow", tool()))).toEqual([409, "NAME_TAKEN"]);
    expect((await show("is-a-flow")).status).toBe(200);
    expect((await send("GET", "/v1/tools/is-a-tool")).status).toBe(200);
  });

  test("refuses a flow that calls a flow, itself among them", async () => {
    await put("inner");
    for (const called of ["inner", "outer"]) {
      const actions = [{ tool: called, args: { word: "a" } }];
      const answer = await put("outer", { actions, answer: undefined });
      expect(refusalOf(answer)).toEqual([422, "INVALID_FLOW"]);
      expect(problemOf(answer).detail).toContain("Flows do not call flows");
    }
  });

  test("refuses a tool that depends on a flow that calls it", async () => {
    await send("PUT", "/v1/tools/called-by-flow", tool());
    await put("calls-tool", { actions: callOf("called-by-flow"), answer: undefined });
    const depends = { depends_on: [{ tool: "calls-tool", required_fields: ["n"] }] };
    const answer = await send(
      "PUT",
      "/v1/tools/called-by-flow",
      tool({ orchestration: { mode: "dependent", ...depends } }),
    );
    expect(refusalOf(answer)).toEqual([422, "INVALID_TOOL"]);
  });
});

describe("a key without the flag manage_tools", () => {
  test("keeps and deletes nothing, and sees what it may call", async () => {
    await put("for-readers");
    const reader = as("reader");
    expect(refusalOf(await put("for-readers", {}, reader))).toEqual([403, "FORBIDDEN"]);
    expect(refusalOf(await remove("for-readers", reader))).toEqual([403, "FORBIDDEN"]);
    expect((await show("for-readers", reader)).status).toBe(200);
  });
});

describe("GET /v1/flows", () => {
  test("lists the flows and no tools", async () => {
    await put("in-the-list");
    await send("PUT", "/v1/tools/flow-like", tool({ category: "flows" }));
    const flows = await listed();
    expect(flows).toContainEqual({
      name: "in-the-list",
      summary: "Find the first item for a word",
      is_write: false,
      fingerprint: json(await show("in-the-list"))["fingerprint"],
      paused: false,
      triggers: [],
    });
    expect(flows.map(({ name }) => name)).not.toContain("flow-like");
    expect((await show("flow-like")).status).toBe(404);
  });

  test("says of a flow that cannot run any more why, until it is kept again", async () => {
    await send("PUT", "/v1/tools/will-change", tool());
    await put("on-changing", { actions: callOf("will-change"), answer: undefined });
    const broken = async () => (await listed()).find(({ name }) => name === "on-changing")!["broken"];
    expect(await broken()).toBeUndefined();
    await send("PUT", "/v1/tools/will-change", tool({ is_write: true }));
    expect(await broken()).toBe("Action 'a0': 'will-change' writes by now; keep the flow again.");
    await put("on-changing", { actions: callOf("will-change"), answer: undefined });
    expect(await broken()).toBeUndefined();
    await send("DELETE", "/v1/tools/will-change");
    expect(await broken()).toMatch(/^Action 'a0': No tool is named 'will-change'/);
    const shown = json(await show("on-changing"));
    expect([shown["broken"], shown["plan"]]).toEqual([await broken(), undefined]);
  });

  test("plans with the tools of the key that asks", async () => {
    await put("beyond-reader");
    const flows = await listed(as("reader"));
    expect(flows.find(({ name }) => name === "beyond-reader")).toMatchObject({
      broken: expect.stringContaining("Action 'first'"),
    });
  });
});

describe("GET /v1/flows/{name}", () => {
  test("shows the flow with its plan", async () => {
    const kept = json(await put("planned"));
    expect(json(await show("planned"))).toEqual({
      ...kept,
      plan: expect.objectContaining({
        waves: [["found"], ["first"]],
        edges: [{ from: "found", to: "first", reason: "reference" }],
      }),
    });
  });
});

describe("DELETE /v1/flows/{name}", () => {
  test("makes it unknown everywhere", async () => {
    await put("short-lived");
    expect((await remove("short-lived")).status).toBe(204);
    expect(refusalOf(await remove("short-lived"))).toEqual([404, "NOT_FOUND"]);
    expect((await show("short-lived")).status).toBe(404);
    expect((await listed()).map(({ name }) => name)).not.toContain("short-lived");
  });

  test("deletes no tool, and the other way deletes no flow", async () => {
    await send("PUT", "/v1/tools/tool-to-stay", tool());
    await put("flow-to-stay");
    expect((await remove("tool-to-stay")).status).toBe(404);
    expect((await send("DELETE", "/v1/tools/flow-to-stay")).status).toBe(404);
    expect((await send("GET", "/v1/tools/flow-to-stay")).status).toBe(404);
    expect((await show("flow-to-stay")).status).toBe(200);
  });
});

describe("a flow", () => {
  test("is found by discovery, and listed in every format", async () => {
    await put("survey_plankton", { summary: "Survey the plankton of a bay" });
    const post = async (path: string, body: object) => json(await send("POST", path, body));
    expect(await post("/v1/discover_tools", { query: "plankton" })).toMatchObject({
      tools: [{ name: "survey_plankton", category: "flows", actions: ["run"], is_write: false }],
    });
    expect(await post("/v1/discover_tools", { categories: ["flows"], query: "plankton" })).toMatchObject({
      total: 1,
    });
    expect(await post("/v1/get_tool_schema", { tool_name: "survey_plankton" })).toMatchObject({
      input_schema: {
        required: ["word"],
        "x-orchestration": { mode: "parallel-safe", confirm: "never" },
      },
    });
    for (const format of ["json-schema", "openai", "openai-responses", "anthropic", "gemini", "mcp"]) {
      const tools = await admin.get(`/v1/tools?surface=flat&format=${format}`);
      expect(tools.text).toContain("survey_plankton");
    }
  });

  test("that is kept can be run by its name, and called in a batch", async () => {
    const actions = [{ id: "said", tool: "probe-echo", args: { n: { $ref: "input#/n" } } }];
    const input_schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const kept = await put("say-it", { actions, input_schema, answer: { $ref: "said#/n" } });
    expect(kept.status, kept.text).toBe(201);
    const ran = await send("POST", "/v1/flows/say-it/run", { input: { n: 7 } });
    expect([ran.status, json(ran)["answer"]]).toEqual([200, 7]);
    const { results } = await admin.execute([{ tool: "say-it", args: { n: 8 } }]);
    expect(results[0]).toMatchObject({ tool: "say-it", status: "success", data: 8 });
  });

  test("of another tenant is as unknown as one that there is not", async () => {
    await put("ours-alone");
    const stranger = as("stranger");
    const unknown = (answer: RawAnswer) =>
      problemOf(answer).detail.replace(/'[^']*'/, "'…'") + String(answer.status);
    expect(unknown(await show("ours-alone", stranger))).toBe(unknown(await show("nobodys", stranger)));
    expect(unknown(await remove("ours-alone", stranger))).toBe(unknown(await remove("nobodys", stranger)));
    expect(await listed(stranger)).toEqual([]);
    expect((await put("ours-alone", {}, stranger)).status).toBe(201);
    expect((await remove("ours-alone", stranger)).status).toBe(204);
    expect((await show("ours-alone")).status).toBe(200);
  });

  test("that a key may not call is unknown to it", async () => {
    await put("not-for-all");
    const blind = as("blind");
    expect((await show("not-for-all", blind)).status).toBe(404);
    expect((await remove("not-for-all", blind)).status).toBe(404);
    expect(await listed(blind)).toEqual([]);
    expect((await show("not-for-all")).status).toBe(200);
  });

  test("that a key may not call is not replaced by it, nor is such a tool: the name is taken", async () => {
    const blind = as("blind");
    const actions = [{ tool: "probe-search", args: { q: "mine" } }];
    const before = json(await put("unseen-flow"))["fingerprint"];
    const overwritten = await put("unseen-flow", { actions, answer: undefined }, blind);
    expect(refusalOf(overwritten)).toEqual([409, "NAME_TAKEN"]);
    expect(json(await show("unseen-flow"))["fingerprint"]).toBe(before);
    await send("PUT", "/v1/tools/unseen-tool", tool());
    expect(refusalOf(await send("PUT", "/v1/tools/unseen-tool", tool(), blind))).toEqual([409, "NAME_TAKEN"]);
    expect((await put("unseen-flow", { summary: "Seen" })).status).toBe(200);
  });

  test("is one of the 500 tools that a tenant may have", async () => {
    const ids = Array.from({ length: 499 }, (_, index) => `op${index}`);
    const stranger = as("stranger");
    const imported = await send(
      "POST",
      "/v1/tools/import",
      {
        prefix: "many",
        openapi: {
          openapi: "3.1.0",
          info: { title: "Many", version: "1" },
          servers: [{ url: upstream.url }],
          paths: Object.fromEntries(
            ids.map((id) => [`/echo/${id}`, { get: { operationId: id, summary: id, responses: {} } }]),
          ),
        },
      },
      stranger,
    );
    expect(imported.status, imported.text.slice(0, 500)).toBe(200);
    expect((await put("the-500th", {}, stranger)).status).toBe(201);
    expect(refusalOf(await put("the-501st", {}, stranger))).toEqual([422, "INVALID_FLOW"]);
    expect((await put("the-500th", { summary: "Another" }, stranger)).status).toBe(200);
  });

  test("outlives a restart", async () => {
    const storageDir = await mkdtemp(join(tmpdir(), "volley-flows-"));
    afterAll(() => rm(storageDir, { recursive: true, force: true }));
    const vars = { VOLLEY_KEYS, PROBE_ORIGIN: upstream.url };
    let kept: unknown;
    {
      await using first = await startRawSandbox({ storageDir, vars });
      kept = json(await put("durable", {}, as("admin", first.url)));
    }
    await using second = await startRawSandbox({ storageDir, vars });
    expect(json(await show("durable", as("admin", second.url)))).toMatchObject(kept as object);
  });

  test("is known at once to an isolate that has never heard of the tenant", async () => {
    const vars = { VOLLEY_KEYS, PROBE_ORIGIN: upstream.url };
    await using pair = await startRawSandbox({ vars, twin: true });
    await put("from-afar", {}, as("admin", pair.url));
    const shown = await show("from-afar", as("admin", pair.twinUrl!));
    expect(json(shown)).toMatchObject({ name: "from-afar", plan: { waves: [["found"], ["first"]] } });
  });
});
