import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";

import { createCatalog } from "../../support/create-catalog.ts";
import type { AdmissionRequest, LeaseWish } from "../../../src/core/contract/gate/admission.ts";
import type { KeptTool } from "../../../src/core/contract/gate/kept-tool.ts";
import type { ToolsPage } from "../../../src/features/added-tools/stored-tools.ts";
import { digestKey } from "../../../src/cloudflare/http/key-ring.ts";
import { toHeadJson } from "../../../src/core/catalog/tool-head.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { trial } from "../../support/trial.ts";

const KEY = "round-trips";
const ORIGIN = "https://upstream.example";

/** A tenant's object that admits what was planned with its tools, and counts what it is asked. */
class StubGate {
  version = 0;
  tools = new Map<string, KeptTool>();
  calls: string[] = [];
  leases = false;

  put(name: string, path: string): void {
    const declaration = {
      name,
      summary: name,
      description: name,
      category: "added",
      actions: ["read"],
      is_write: false,
      input_schema: { type: "object", properties: { n: { type: "integer" } } },
      http: { method: "GET", url: `${ORIGIN}${path}` },
    };
    this.version += 1;
    const { version } = this;
    const json = JSON.stringify(declaration);
    this.tools.set(name, { name, version, fingerprint: json, headJson: toHeadJson(declaration), json });
  }

  async admit({ toolsVersion }: AdmissionRequest, wishes: readonly LeaseWish[]) {
    this.calls.push("admit");
    const isStale = toolsVersion !== undefined && toolsVersion !== this.version;
    return {
      quota: isStale ? null : { allowed: true, remaining: 900, resetMs: 0, retryAfterMs: 0 },
      denied: [],
      recorded: [],
      refusedJobs: [],
      ...(isStale && { stale: true }),
      ...(this.version > 0 && { toolsVersion: this.version }),
      leases: this.leases
        ? wishes.map(({ limit }) => ({
            bucket: limit.bucket,
            tokens: 100,
            leaseMs: 2_000,
            remaining: 900,
            resetMs: 0,
          }))
        : [],
    };
  }

  async call(_feature: string, method: string, since: number): Promise<ToolsPage> {
    this.calls.push(method);
    const tools = [...this.tools.values()].filter(({ version }) => version > since);
    return { version: this.version, complete: true, names: [...this.tools.keys()], tools };
  }
}

let gate = new StubGate();
const sent: string[] = [];
const env = {
  LLM_BASE_URL: "https://model.example/v1",
  ANTHROPIC_BASE_URL: "https://model.example",
  VOLLEY_KEYS: JSON.stringify([
    {
      name: "key",
      tenant: "acme",
      tools: ["*"],
      quota: { limit: 6_000, window_s: 60 },
      hash: Buffer.from(await digestKey(KEY)).toString("hex"),
      flags: ["manage_tools"],
    },
  ]),
  TENANT_GATE: {
    idFromName: (name: string) => name,
    get: () => ({
      since: async (_begunAt: number, method: "admit" | "call", ...args: never[]) => ({
        answer: await Reflect.apply(gate[method], gate, args),
      }),
    }),
  },
};
const echo = contractOf("echo", { input: z.strictObject({}), run: async () => ({}) });

// Node has no such stream.
Object.assign(globalThis, { IdentityTransformStream: TransformStream });
// Not imported by name: their types need the Workers', which a test in Node has not.
const APP: string = "../../../src/cloudflare/app.ts";
const DEPLOYMENT: string = "../../../src/cloudflare/deployment.ts";
const FEATURES: string = "../../support/all-features.ts";
const { createApp } = await import(APP);
const { createDeployment } = await import(DEPLOYMENT);
const { ALL_FEATURES } = await import(FEATURES);

/** The answers of a model that calls nothing, by the path at which it is asked. */
const MODEL_ANSWERS: Readonly<Record<string, object>> = {
  "/v1/chat/completions": { choices: [{ message: { role: "assistant", content: "Hello." } }] },
  "/v1/messages": { content: [{ type: "text", text: "Hello." }] },
  "/v1/responses": { status: "completed", output: [] },
};

let app: { fetch(request: Request, env: object, ctx: object): Promise<Response> };

async function call(...tools: readonly string[]): Promise<readonly string[]> {
  const request = new Request("https://volley.test/v1/execute_actions", {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ actions: tools.map((tool) => ({ tool, args: {} })) }),
  });
  const response = await app.fetch(request, env, { waitUntil: () => {} });
  const { results } = (await response.json()) as { results: { status: string; error?: { code: string } }[] };
  return results.map(({ status, error }) => error?.code ?? status);
}

const STREAMED = {
  actions: [
    { tool: "mine", args: {} },
    { tool: "echo", args: {} },
  ],
};

/** The answer to a request: its status, and its text. */
async function ask(
  path: string,
  body: object,
  accept = "application/json, text/event-stream",
): Promise<string> {
  const request = new Request(`https://volley.test${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
      accept,
    },
    body: JSON.stringify(body),
  });
  const response = await app.fetch(request, env, { waitUntil: () => {} });
  return `${response.status} ${await response.text()}`;
}

/** The calls to the object during some work. */
async function callsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  gate.calls = [];
  await work();
  return gate.calls;
}

beforeAll(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterAll(() => void vi.useRealTimers());
beforeEach(() => {
  gate = new StubGate();
  sent.length = 0;
  const deployment = createDeployment(env, {
    catalog: createCatalog([echo]),
    features: ALL_FEATURES,
    send: async (url: string) => {
      sent.push(new URL(url).pathname);
      return Response.json(MODEL_ANSWERS[new URL(url).pathname] ?? {});
    },
  });
  app = createApp(() => deployment, ALL_FEATURES);
  // A clock that goes on from test to test: what was heard in one is old in the next.
  vi.advanceTimersByTime(10_000);
});

describe("what a batch asks of the tenant's object", () => {
  test("where the tenant has no tools is to be admitted, once, whatever names it has", async () => {
    expect(await callsOf(() => call("echo"))).toEqual(["admit"]);
    expect(await callsOf(() => call("nobody", "echo"))).toEqual(["admit"]);
  });

  trial("is nothing for any number of unknown names when quota is at hand", async () => {
    gate.leases = true;
    for (let n = 0; n < 60; n += 1) {
      await call("echo");
      vi.advanceTimersByTime(5);
    }
    const calls = await callsOf(async () => {
      for (let n = 0; n < 50; n += 1) expect(await call(`nobody-${n}`)).toEqual(["UNKNOWN_TOOL"]);
    });
    expect(calls.filter((name) => name === "toolsSince")).toEqual([]);
    expect(calls.length).toBeLessThanOrEqual(2);
  });

  test("is to be admitted, once, when its tools are known", async () => {
    gate.put("mine", "/one");
    await call("mine");
    expect(await callsOf(() => call("mine", "echo"))).toEqual(["admit"]);
    expect(sent).toEqual(["/one", "/one"]);
  });

  test("F28 is the tools once when they have changed, and then to be admitted with them", async () => {
    await call("echo");
    gate.put("mine", "/one");
    expect(await callsOf(() => call("mine"))).toEqual(["admit", "toolsSince", "admit"]);
    gate.put("mine", "/two");
    expect(await callsOf(() => call("mine"))).toEqual(["admit", "toolsSince", "admit"]);
    expect(sent).toEqual(["/one", "/two"]);
  });

  test("is the same where its results are streamed: planned anew, it tells each of them once", async () => {
    await call("echo");
    gate.put("mine", "/one");
    await call("mine");
    gate.put("mine", "/two");
    const calls = await callsOf(async () => {
      const [, ...events] = (await ask("/v1/execute_actions", STREAMED, "text/event-stream")).split(
        "event: ",
      );
      expect(events.map((event) => event.split("\n")[0])).toEqual(["result", "result", "done"]);
    });
    expect(calls).toEqual(["admit", "toolsSince", "admit"]);
    expect(sent).toEqual(["/one", "/two"]);
  });

  test("is no tool at all where it calls none of the tenant's own", async () => {
    gate.put("mine", "/one");
    expect(await callsOf(() => call("echo"))).toEqual(["admit"]);
    expect(await callsOf(() => call("echo"))).toEqual(["admit"]);
    // By then it is known that there are others, so nothing is asked in vain.
    expect(await callsOf(() => call("mine"))).toEqual(["toolsSince", "admit"]);
  });

  test("ends with a refusal when the tools never stay the same", async () => {
    gate.put("mine", "/one");
    const read = gate.call.bind(gate);
    gate.call = async (feature, method, since) => {
      const page = await read(feature, method, since);
      gate.put("mine", "/again");
      return page;
    };
    await expect(call("mine")).rejects.toThrow();
    expect(gate.calls.length).toBeLessThanOrEqual(12);
    expect(sent).toEqual([]);
  });

  test("finds the tools again after the store was set back to an earlier time", async () => {
    gate.put("mine", "/one");
    gate.put("mine", "/two");
    await call("mine");
    gate = new StubGate();
    gate.put("mine", "/earlier");
    expect(await call("mine")).toEqual(["success"]);
    expect(sent.at(-1)).toBe("/earlier");
  });
});

describe("a name of a tool that was added elsewhere a moment ago", () => {
  const go = { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Go" }], input: "Go" };
  /** Have quota at hand, and the tenant's tools known as they were a moment ago. */
  const hearOfTools = async (): Promise<void> => {
    gate.leases = true;
    for (let n = 0; n < 5; n += 1) await call("mine", "echo");
    vi.advanceTimersByTime(50);
  };

  test.for(["/v1/chat/completions", "/v1/messages", "/v1/responses"])(
    "is known in volley.tools at %s, and costs one question",
    async (path) => {
      gate.put("mine", "/one");
      await hearOfTools();
      gate.put("fresh", "/two");
      const calls = await callsOf(async () =>
        expect(await ask(path, { ...go, volley: { tools: ["fresh"] } })).toMatch(/^200 /),
      );
      expect(calls.filter((name) => name === "toolsSince")).toHaveLength(1);
      // Known by now, it costs nothing.
      const again = await callsOf(() => ask(path, { ...go, volley: { tools: ["fresh"] } }));
      expect(again.filter((name) => name === "toolsSince")).toEqual([]);
    },
  );

  test("is offered to a model that is told of all tools, once the object has told of it", async () => {
    gate.put("mine", "/one");
    await call("mine");
    gate.put("fresh", "/two");
    vi.advanceTimersByTime(5_000);
    const clash = { type: "function", function: { name: "fresh" } };
    const answer = await ask("/v1/chat/completions", {
      ...go,
      tools: [clash],
      volley: { surface: "flat" },
    });
    expect(answer).toContain("'fresh' is the name of a tool of Volley's");
  });

  trial("is known where an MCP client calls it", async () => {
    gate.put("mine", "/one");
    await hearOfTools();
    gate.put("fresh", "/two");
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "fresh", arguments: {} } };
    expect(await ask("/mcp", body)).not.toContain("Unknown tool");
    expect(sent.at(-1)).toBe("/two");
  });

  trial("costs no more than one question in a tenth of a second, where names are made up", async () => {
    gate.put("mine", "/one");
    await hearOfTools();
    const calls = await callsOf(async () => {
      for (let n = 0; n < 20; n += 1)
        expect(await ask("/v1/chat/completions", { ...go, volley: { tools: [`nobody-${n}`] } })).toMatch(
          /^422 .*is no tool and no category/,
        );
    });
    expect(calls).toEqual(["toolsSince"]);
  });
});
