import { describe, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { problemOf, type RawAnswer, TestCaller } from "../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox();
const admin = new TestCaller(volley.url, "sandbox-admin-key");

const declare = (changes: object = {}) => ({
  summary: "Say a number back",
  description: "The number that was sent. Size: about 10 tokens.",
  category: "numbers",
  actions: ["read"],
  is_write: false,
  input_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  http: { method: "GET", url: `${upstream.url}/echo` },
  ...changes,
});
const send = (method: string, path: string, body?: unknown, by = admin): Promise<RawAnswer> =>
  by.send({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }) });
const put = (name: string, changes: object = {}, by = admin) =>
  send("PUT", `/v1/tools/${name}`, declare(changes), by);
const remove = (name: string, by = admin) => send("DELETE", `/v1/tools/${name}`, undefined, by);
const json = (answer: RawAnswer) => JSON.parse(answer.text) as Record<string, unknown>;
const post = async (path: string, body: unknown, by = admin) => json(await send("POST", path, body, by));
/** A declaration whose call shows in the upstream's list under this path. */
const at = (path: string) => ({ http: { method: "GET", url: `${upstream.url}${path}` } });

describe("PUT /v1/tools/{name}", () => {
  test("adds a tool that can be called at once, and replaces it", async () => {
    const created = await put("echo-number");
    expect(created.status, created.text).toBe(201);
    expect(json(created)).toMatchObject({ name: "echo-number", category: "numbers" });
    const { results } = await admin.execute([{ tool: "echo-number", args: { n: 7 } }]);
    expect(results[0]).toMatchObject({ status: "success", data: { n: 7 } });

    const replaced = await put("echo-number", at("/search"));
    expect(replaced.status).toBe(200);
    await admin.execute([{ tool: "echo-number", args: { n: 8 } }]);
    expect(upstream.requestsTo("/search")).toHaveLength(1);
    const shown = await send("GET", "/v1/tools/echo-number");
    const { "x-orchestration": contract, ...declared } = json(shown);
    expect(declared).toEqual(json(replaced));
    expect(contract).toEqual({ mode: "parallel-safe", on_error: "partial-success", confirm: "never" });
    // A shown tool can be put as it is.
    const again = await send("PUT", "/v1/tools/echo-number", json(shown));
    expect([again.status, json(again)]).toEqual([200, declared]);
  });

  test("refuses a key without the flag, whatever it asks", async () => {
    for (const answer of [
      await put("not-mine", {}, caller),
      await send("GET", "/v1/tools/echo-number", undefined, caller),
      await remove("echo-number", caller),
    ])
      expect([answer.status, problemOf(answer).code]).toEqual([403, "FORBIDDEN"]);
  });

  test.each([
    "probe-echo",
    "execute_actions",
    "discover_tools",
    "get_tool_schema",
    "invoke_tool",
    "send_email",
  ])("T36 refuses the name of %s, which the deployment has", async (name) => {
    const answer = await put(name);
    expect([answer.status, problemOf(answer).code]).toEqual([409, "NAME_TAKEN"]);
  });

  test("refuses a declaration with all that is wrong with it, by path", async () => {
    const answer = await put("broken", { category: "Not A Word", is_write: "no", extra: 1 });
    expect([answer.status, problemOf(answer).code]).toEqual([422, "INVALID_TOOL"]);
    const { issues } = json(answer) as unknown as { issues: { path: string; hint: string }[] };
    expect(issues.map(({ path }) => path).toSorted()).toEqual(["/category", "/extra", "/is_write"]);
    expect((await send("GET", "/v1/tools/broken")).status).toBe(404);
  });

  test.each([
    ["a name that is none", "1st", {}, "/name"],
    ["another name in the body", "named", { name: "other" }, "/name"],
    ["a dependency that is not there", "needy", needs("nobody"), "/orchestration"],
    ["a dependency on itself", "selfish", needs("selfish"), "/orchestration/depends_on/0/tool"],
    [
      "a limit that tenants would share",
      "shared",
      { orchestration: { mode: "parallel-safe", global_concurrency: 2 } },
      "/orchestration/global_concurrency",
    ],
    [
      "a rate that tenants would share",
      "shared-rate",
      {
        orchestration: {
          mode: "parallel-safe",
          rate_limit: { limit: 5, window_s: 60, scope: "global" },
        },
      },
      "/orchestration/rate_limit/scope",
    ],
    [
      "a host that is private",
      "private",
      { http: { method: "GET", url: "http://127.0.0.1:1/x" } },
      "/http/url",
    ],
    [
      "a secret that is not bound to the host",
      "thief",
      {
        http: {
          method: "GET",
          url: "https://api.example.com/x",
          auth: { secret: "SANDBOX_SECRET", as: "bearer" },
        },
      },
      "/http/auth/secret",
    ],
    [
      "a secret that is not bound at all",
      "thief",
      {
        http: {
          method: "GET",
          url: `${upstream.url}/echo`,
          auth: { secret: "RESEND_API_KEY", as: "bearer" },
        },
      },
      "/http/auth/secret",
    ],
  ])("refuses %s", async (_, name, changes, path) => {
    const answer = await put(name, changes);
    expect(answer.status, answer.text).toBe(422);
    const { issues } = json(answer) as unknown as { issues: { path: string }[] };
    expect(issues.map((issue) => issue.path)).toContain(path);
  });

  test("refuses a circle of dependencies, and keeps a tool whose need is deleted", async () => {
    await put("first-of-two");
    expect((await put("second-of-two", needs("first-of-two"))).status).toBe(201);
    const circle = await put("first-of-two", needs("second-of-two"));
    expect([circle.status, problemOf(circle).code]).toEqual([422, "INVALID_TOOL"]);
    expect((await remove("first-of-two")).status).toBe(204);
    const { results } = await admin.execute([{ tool: "second-of-two", args: { n: 1 } }]);
    expect(results[0]).toMatchObject({ status: "success" });
  });

  test("refuses what is no object, and a body that is too large", async () => {
    expect((await send("PUT", "/v1/tools/list", [])).status).toBe(422);
    const long = declare({ description: "x".repeat(300_000) });
    expect((await send("PUT", "/v1/tools/long", long)).status).toBe(413);
    const schema = { type: "object", properties: { n: { enum: ["x".repeat(70_000)] } } };
    const large = await put("large", { input_schema: schema });
    expect([large.status, problemOf(large).code]).toEqual([422, "INVALID_TOOL"]);
  });
});

/** A contract that takes `n` from another tool's answer. */
function needs(tool: string): object {
  return { orchestration: { mode: "dependent", depends_on: [{ tool, required_fields: ["n"] }] } };
}

describe("DELETE /v1/tools/{name}", () => {
  test("makes a tool unknown at once, everywhere that it was", async () => {
    await put("short-lived");
    expect((await remove("short-lived")).status).toBe(204);
    expect((await remove("short-lived")).status).toBe(404);
    const { results } = await admin.execute([{ tool: "short-lived", args: { n: 1 } }]);
    expect(results[0]).toMatchObject({ status: "error", error: { code: "UNKNOWN_TOOL" } });
    expect((await send("POST", "/v1/get_tool_schema", { tool_name: "short-lived" })).status).toBe(404);
  });

  test("F28 lets its jobs go on, in the object's alarm as well", async () => {
    const written = { is_write: true, actions: ["create"], execution: "fire-and-forget", idempotent: true };
    const http = { method: "POST", url: `${upstream.url}/background` };
    const answer = upstream.hold("/background", 1);
    await put("in-background", { ...written, http });
    const { results } = await admin.execute([
      { tool: "in-background", args: { n: 1 } },
      { tool: "in-background", args: { n: 2 }, run_at: new Date(Date.now() + 500).toISOString() },
    ]);
    expect(results.map(({ status }) => status)).toEqual(["initiated", "initiated"]);
    expect((await remove("in-background")).status).toBe(204);
    answer();
    for (const { job_id } of results) {
      const ended = await eventually("the job's end", async () => {
        const job = json(await admin.get(`/v1/jobs/${job_id}`));
        return job["status"] === "running" || job["status"] === "retrying" ? undefined : job;
      });
      expect(ended).toMatchObject({ status: "succeeded", tool: "in-background" });
    }
  });
});

describe("a tool that was added", () => {
  test("is found, described, listed and called in every way", async () => {
    await put("measure_turbidity", { summary: "Measure the turbidity of a lake", category: "limnology" });
    const found = await post("/v1/discover_tools", { query: "turbidity" });
    expect(found).toMatchObject({ tools: [{ name: "measure_turbidity" }] });
    expect(await post("/v1/get_tool_schema", { tool_name: "measure_turbidity" })).toMatchObject({
      input_schema: { required: ["n"] },
    });
    for (const format of ["json-schema", "openai", "openai-responses", "anthropic", "gemini", "mcp"]) {
      const listed = await admin.get(`/v1/tools?surface=flat&format=${format}`);
      expect(listed.text).toContain("measure_turbidity");
    }
    expect((await admin.get("/v1/tools?surface=batch")).text).toContain("measure_turbidity");
    expect(
      await post("/v1/invoke_tool", { tool_name: "measure_turbidity", parameters: { n: 3 } }),
    ).toMatchObject({ status: "success", data: { n: 3 } });
    const call = {
      id: "c1",
      type: "function",
      function: { name: "measure_turbidity", arguments: '{"n":4}' },
    };
    const turn = await admin.answerTo<{ messages: { content: string }[] }>("/v1/openai/tool_calls", {
      role: "assistant",
      content: null,
      tool_calls: [call],
    });
    expect(turn.messages[0]!.content).toContain('"n":4');
    expect(
      await post("/api/orchestration/batch", {
        tools: [{ id: "1", toolName: "measure_turbidity", input: { n: 5 } }],
      }),
    ).toMatchObject({ result: { results: [{ success: true }] } });
    const mcp = await admin.send({
      path: "/mcp?surface=flat",
      headers: { accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "measure_turbidity", arguments: { n: 6 } },
      }),
    });
    expect(mcp.text).toContain('\\"n\\":6');
  });

  test("is another tenant's in no way", async () => {
    await put("ours-alone");
    const { results } = await caller.execute([{ tool: "ours-alone", args: { n: 1 } }]);
    expect(results[0]).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    expect((await caller.get("/v1/tools?surface=flat")).text).not.toContain("ours-alone");
    expect(await post("/v1/discover_tools", { query: "ours-alone" }, caller)).toMatchObject({ total: 0 });
  });

  test("is checked by its schema, and named when a name is misspelt", async () => {
    await put("check-number");
    const { results } = await admin.execute([
      { tool: "check-number", args: { n: "x" } },
      { tool: "check-numbr", args: { n: 1 } },
    ]);
    expect(results[0]).toMatchObject({ error: { code: "INVALID_ARGS" } });
    expect(results[1]).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    expect(results[1]!.error!.hint).toContain("'check-number'");
  });

  test("that was replaced is not what a person said yes to", async () => {
    const remover = {
      is_write: true,
      actions: ["delete"],
      http: { method: "DELETE", url: `${upstream.url}/item` },
    };
    await put("remove-thing", remover);
    const { results } = await admin.execute([{ tool: "remove-thing", args: { n: 1 } }]);
    const { id } = results[0]!.confirmation!;
    await put("remove-thing", { ...remover, http: { method: "DELETE", url: `${upstream.url}/other` } });
    const refused = await send("POST", `/v1/confirmations/${id}`, { decision: "approve" });
    expect([refused.status, problemOf(refused).code]).toEqual([409, "CONFIRMATION_INVALID"]);
    expect(
      [...upstream.requestsTo("/item"), ...upstream.requestsTo("/other")].filter(
        ({ method }) => method === "DELETE",
      ),
    ).toEqual([]);
    await put("remove-thing", remover);
    expect((await send("POST", `/v1/confirmations/${id}`, { decision: "approve" })).status).toBe(200);
  });

  test("that is cached is asked anew when it was replaced", async () => {
    const cached = { orchestration: { mode: "parallel-safe", cache_ttl_s: 60 } };
    await put("cached-number", cached);
    await admin.execute([{ tool: "cached-number", args: { n: 41 } }]);
    const { results } = await admin.execute([{ tool: "cached-number", args: { n: 41 } }]);
    expect(results[0]!.meta).toMatchObject({ cached: true });
    await put("cached-number", { ...cached, ...at("/limited") });
    await admin.execute([{ tool: "cached-number", args: { n: 41 } }]);
    expect(upstream.requestsTo("/limited")).toHaveLength(1);
    // A write of its domain ends what is remembered, although the deployment has nothing of that domain.
    const http = { method: "POST", url: `${upstream.url}/keyed` };
    await put("change-number", { is_write: true, actions: ["update"], http });
    await admin.execute([{ tool: "change-number", args: { n: 41 } }]);
    await admin.execute([{ tool: "cached-number", args: { n: 41 } }]);
    expect(upstream.requestsTo("/limited")).toHaveLength(2);
  });
});

describe("POST /v1/tools/import", () => {
  /** A document of operations that each answer what `/echo` does. */
  const documentOf = (...ids: readonly string[]) => ({
    openapi: "3.1.0",
    info: { title: "Numbers", version: "1" },
    servers: [{ url: upstream.url }],
    paths: Object.fromEntries(
      ids.map((id) => [
        `/echo/${id}`,
        {
          get: {
            operationId: id,
            summary: `Say ${id}`,
            parameters: [{ name: "n", in: "query", required: true, schema: { type: "integer" } }],
            responses: {},
          },
        },
      ]),
    ),
  });
  const importAs = async (prefix: string, openapi: unknown, more: object = {}) => {
    const answer = await send("POST", "/v1/tools/import", { prefix, openapi, ...more });
    return { status: answer.status, body: json(answer), answer };
  };
  const namesOf = (body: Record<string, unknown>) =>
    (body["tools"] as { name: string }[]).map(({ name }) => name);

  test("makes a tool of each operation, which can be called at once", async () => {
    const { status, body } = await importAs("num", documentOf("one", "two"));
    expect([status, namesOf(body)]).toEqual([200, ["num_one", "num_two"]]);
    const { results } = await admin.execute([{ tool: "num_two", args: { n: 2 } }]);
    expect(upstream.requestsTo("/echo/two").length, JSON.stringify(results)).toBe(1);
    expect(json(await send("GET", "/v1/tools/num_one"))).toMatchObject((body["tools"] as object[])[0]!);
  });

  test("replaces what the same prefix had, and touches nothing else", async () => {
    await put("rep_by_hand");
    await importAs("rep", documentOf("one", "two"));
    const { body } = await importAs("rep", documentOf("two", "three"));
    expect(body).toMatchObject({ removed: ["rep_one"] });
    const there = await Promise.all(
      ["rep_one", "rep_two", "rep_three", "rep_by_hand"].map(
        async (name) => (await send("GET", `/v1/tools/${name}`)).status,
      ),
    );
    expect(there).toEqual([404, 200, 200, 200]);
  });

  test("of a dry run keeps nothing", async () => {
    const { status, body } = await importAs("dry", documentOf("one"), { dry_run: true });
    expect([status, namesOf(body)]).toEqual([200, ["dry_one"]]);
    expect((await send("GET", "/v1/tools/dry_one")).status).toBe(404);
  });

  test("T36 keeps all or nothing: one secret that is not bound, and none is there", async () => {
    const secured = {
      ...documentOf("one", "two"),
      components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
      security: [{ key: [] }],
    };
    const refused = await importAs("sec", secured, { auth: { secret: "RESEND_API_KEY" } });
    expect([refused.status, problemOf(refused.answer).code]).toEqual([422, "INVALID_TOOL"]);
    expect((await send("GET", "/v1/tools/sec_one")).status).toBe(404);
    const taken = await importAs("sec", secured, { auth: { secret: "SANDBOX_SECRET" } });
    expect(taken.status, JSON.stringify(taken.body)).toBe(200);
  });

  test("takes the document as text, JSON or YAML, and says where it goes wrong", async () => {
    const text = await importAs("txt", JSON.stringify(documentOf("one")));
    expect(namesOf(text.body)).toEqual(["txt_one"]);
    const yaml = `openapi: 3.1.0
info: { title: Numbers, version: "1" }
servers: [{ url: "${upstream.url}" }]
paths:
  /echo/yaml:
    get: { operationId: yaml, summary: Say yaml, responses: {} }
`;
    expect(namesOf((await importAs("yml", yaml)).body)).toEqual(["yml_yaml"]);
    const broken = await importAs("bad", "openapi: [");
    expect([broken.status, problemOf(broken.answer).code]).toEqual([422, "INVALID_TOOL"]);
  });

  test("takes a document of megabytes", async () => {
    const padded = (bytes: number) => ({ ...documentOf("one"), "x-padding": "x".repeat(bytes) });
    expect((await importAs("big", padded(4_000_000))).status).toBe(200);
  });

  test("refuses names that the deployment or somebody else has, and fields that there are not", async () => {
    await put("tak_one");
    const taken = await importAs("tak", documentOf("one"));
    expect([taken.status, problemOf(taken.answer).code]).toEqual([409, "NAME_TAKEN"]);
    const shipped = await importAs("probe", documentOf("echo"), {
      overrides: { echo: { name: "probe-echo" } },
    });
    expect([shipped.status, problemOf(shipped.answer).code]).toEqual([409, "NAME_TAKEN"]);
    const unknown = await importAs("unk", documentOf("one"), { dryRun: true });
    expect([unknown.status, problemOf(unknown.answer).code]).toEqual([422, "INVALID_REQUEST"]);
  });

  test("holds no more than a tenant may have", async () => {
    const ids = Array.from({ length: 501 }, (_, index) => `op${index}`);
    const many = await importAs("many", documentOf(...ids));
    expect([many.status, problemOf(many.answer).code]).toEqual([422, "INVALID_TOOL"]);
    expect((await send("GET", "/v1/tools/many_op0")).status).toBe(404);
  });
});
