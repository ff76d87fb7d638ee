import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { eventually, heldWithin } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";
import type { Workerd } from "../support/workerd.ts";

let upstream: HostileUpstream;
let volley: Workerd;
/** The same tenant's key at two isolates that share its object. */
let here: TestCaller;
let elsewhere: TestCaller;

beforeAll(async () => {
  upstream = await HostileUpstream.start();
  volley = await startRawSandbox({ vars: { PROBE_ORIGIN: upstream.url }, twin: true });
  here = new TestCaller(volley.url, "sandbox-admin-key");
  elsewhere = new TestCaller(volley.twinUrl!, "sandbox-admin-key");
});
afterAll(async () => {
  await volley[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

async function put(name: string, path: string, more: object = {}): Promise<void> {
  const declaration = {
    summary: `Ask for ${name}`,
    description: "What the upstream says. Size: about 10 tokens.",
    category: "numbers",
    actions: ["read"],
    is_write: false,
    input_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    http: { method: "GET", url: `${upstream.url}${path}` },
    ...more,
  };
  const answer = await here.send({
    method: "PUT",
    path: `/v1/tools/${name}`,
    body: JSON.stringify(declaration),
  });
  expect([200, 201], answer.text).toContain(answer.status);
}

const remove = async (name: string): Promise<void> => {
  const answer = await here.send({ method: "DELETE", path: `/v1/tools/${name}` });
  expect(answer.status).toBe(204);
};
/** An isolate's answer to one call of a tool: its status, or the code of its error. */
async function call(name: string, by = elsewhere): Promise<string> {
  const { results } = await by.execute([{ tool: name, args: { n: 1 } }]);
  return results[0]!.error?.code ?? results[0]!.status;
}
/** Wait for an answer: what is asked five seconds after a change is answered by it. */
const within = (what: string, ask: () => Promise<boolean>): Promise<void> =>
  heldWithin(5_000, what, ask, { everyMs: 50 });

describe("a change of the tenant's tools", () => {
  test("is known at once to an isolate that has never heard of the tenant", async () => {
    await put("cold", "/echo");
    expect(await call("cold")).toBe("success");
  });

  test("is known within five seconds where quota is at hand", async () => {
    await put("busy", "/serial");
    const stop = new AbortController();
    const load = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) await call("busy");
    });
    await eventually("the load", async () => upstream.requestsTo("/serial").length > 200 || undefined);
    await put("busy", "/read");
    await within("the new address", async () => {
      const before = upstream.requestsTo("/serial").length;
      await Promise.all(Array.from({ length: 10 }, () => call("busy")));
      return upstream.requestsTo("/serial").length === before;
    });
    await remove("busy");
    await within("its end", async () => (await call("busy")) === "UNKNOWN_TOOL");
    stop.abort();
    await Promise.all(load);
  });

  test("is known to discovery, schemas, lists, MCP and single calls within five seconds", async () => {
    await put("everywhere", "/echo");
    const post = async (path: string, body: object) =>
      elsewhere.send({
        path,
        headers: { accept: "application/json, text/event-stream" },
        body: JSON.stringify(body),
      });
    const mcp = (method: string, params: object) =>
      post("/mcp?surface=flat", { jsonrpc: "2.0", id: 1, method, params });
    const asks: Readonly<Record<string, () => Promise<{ readonly text: string }>>> = {
      discovery: () => post("/v1/discover_tools", { query: "everywhere" }),
      schema: () => post("/v1/get_tool_schema", { tool_name: "everywhere" }),
      list: () => elsewhere.get("/v1/tools?surface=flat"),
      "MCP list": () => mcp("tools/list", { cursor: "50" }),
      "MCP call": () => mcp("tools/call", { name: "everywhere", arguments: { n: 1 } }),
      invocation: () => post("/v1/invoke_tool", { tool_name: "everywhere", parameters: { n: 1 } }),
      partition: () =>
        post("/api/orchestration/partition", {
          tools: [{ id: "1", toolName: "everywhere", input: { n: 1 } }],
        }),
    };
    for (const [what, ask] of Object.entries(asks))
      await within(what, async () => {
        const { text } = await ask();
        return /everywhere|\\"n\\"/.test(text) && !/UNKNOWN_TOOL|Unknown tool|mutating/.test(text);
      });
    await remove("everywhere");
    for (const [what, ask] of Object.entries(asks))
      await within(`the end of ${what}`, async () => {
        const { text } = await ask();
        return /UNKNOWN_TOOL|Unknown tool|mutating/.test(text) || !text.includes('everywhere"');
      });
  });

  test("never lets a yes run what it was not said to", async () => {
    const http = { method: "DELETE", url: `${upstream.url}/item` };
    await put("confirmed", "", { is_write: true, actions: ["delete"], http });
    const { id } = await eventually("the question", async () => {
      const { results } = await elsewhere.execute([{ tool: "confirmed", args: { n: 1 } }]);
      return results[0]!.confirmation;
    });
    await put("confirmed", "", {
      is_write: true,
      actions: ["delete"],
      http: { ...http, url: `${upstream.url}/other` },
    });
    const body = JSON.stringify({ decision: "approve" });
    const refused = await elsewhere.send({ path: `/v1/confirmations/${id}`, body });
    expect([refused.status, problemOf(refused).code]).toEqual([409, "CONFIRMATION_INVALID"]);
    expect(upstream.requestsTo("/other")).toEqual([]);
  });

  test("lets the jobs of a tool that is gone go on", async () => {
    const http = { method: "POST", url: `${upstream.url}/background` };
    await put("later", "", {
      is_write: true,
      actions: ["create"],
      execution: "fire-and-forget",
      idempotent: true,
      http,
    });
    await within("the tool", async () => (await call("later")) === "initiated");
    const runAt = new Date(Date.now() + 300).toISOString();
    const { results } = await elsewhere.execute(
      // More than the tenant's home keeps, so that the others' objects run some.
      Array.from({ length: 12 }, (_, n) => ({ tool: "later", args: { n }, run_at: runAt })),
    );
    expect(results.map(({ status }) => status)).toEqual(results.map(() => "initiated"));
    await remove("later");
    for (const { job_id } of results)
      await eventually("the job's end", async () => {
        const { text } = await here.get(`/v1/jobs/${job_id}`);
        return text.includes('"status":"succeeded"') || undefined;
      });
  });

  test("redrives the dead jobs of a tool that is gone as it was declared, one or all", async () => {
    await put("mortal", "", {
      is_write: true,
      actions: ["create"],
      execution: "fire-and-forget",
      idempotent: true,
      http: { method: "POST", url: `${upstream.url}/mortal` },
    });
    upstream.script("/mortal", (_, response) => void response.writeHead(500).end());
    const { results } = await here.execute([0, 1].map((n) => ({ tool: "mortal", args: { n } })));
    const ids = results.map(({ job_id }) => job_id!);
    const become = (status: string) =>
      eventually(status, async () => {
        const texts = await Promise.all(ids.map(async (id) => (await here.get(`/v1/jobs/${id}`)).text));
        return texts.every((text) => text.includes(`"status":"${status}"`)) || undefined;
      });
    await become("dead");
    await remove("mortal");
    upstream.script("/mortal", (_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"healed":true}');
    });

    const one = await here.send({ path: `/v1/jobs/${ids[0]}/redrive` });
    expect(one.status, one.text).toBe(200);
    const all = await here.send({ path: "/v1/jobs/redrive", body: '{"status":"dead","tool":"mortal"}' });
    expect(JSON.parse(all.text)).toMatchObject({ redriven: 1, not_redriven: 0, tools_gone: [] });
    await become("succeeded");
  });
});
