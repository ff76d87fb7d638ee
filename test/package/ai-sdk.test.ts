import { describe, expect, test } from "vitest";

import { volleyTools, type VolleyToolsOptions } from "../../src/package/ai-sdk.ts";

interface Sent {
  readonly path: string;
  readonly headers: Headers;
  readonly body: { readonly actions?: readonly { readonly tool: string; readonly args: unknown }[] };
}

const TOOLS = ["execute_actions", "discover_tools", "get_tool_schema", "invoke_tool", "get_weather"].map(
  (name) => ({ name, description: `About ${name}`, input_schema: { type: "object", required: [name] } }),
);

/** The tool set of a server that answers each action with what it was asked for; or as `answer` says. */
async function toolSet(more: Partial<VolleyToolsOptions> = {}, answer?: () => Response) {
  const sent: Sent[] = [];
  const tools = await volleyTools({
    url: "https://volley.example.com",
    key: "k",
    ...more,
    sleep: async () => {},
    fetch: async (url, { body, headers, signal }) => {
      signal?.throwIfAborted();
      const { pathname, search } = new URL(url);
      if (pathname === "/v1/tools") return Response.json({ tools: TOOLS, asked: search });
      const asked: Sent = {
        path: pathname,
        headers: new Headers(headers),
        body: JSON.parse(String(body)) as Sent["body"],
      };
      sent.push(asked);
      return answer?.() ?? Response.json({ results: asked.body.actions ?? [] });
    },
  });
  return { tools, sent };
}

describe("A tool set for the AI SDK", () => {
  test("has each listed tool with the deployment's own words and schema, marked as the SDK marks schemas", async () => {
    const { tools } = await toolSet();
    expect(Object.keys(tools)).toEqual(TOOLS.map(({ name }) => name));
    const { description, inputSchema, strict } = tools["get_weather"]!;
    expect([description, strict]).toEqual(["About get_weather", false]);
    expect(inputSchema).toMatchObject({
      [Symbol.for("vercel.ai.schema")]: true,
      jsonSchema: { required: ["get_weather"] },
    });
  });

  test("sends a batch as it is, under a key of its own, and the whole envelope is the model's", async () => {
    const { tools, sent } = await toolSet({ subject: "u_1" });
    const batch = { actions: [{ tool: "get_weather", args: { city: "Phoenix" } }] };
    expect(await tools["execute_actions"]!.execute(batch)).toEqual({ results: batch.actions });
    await tools["execute_actions"]!.execute(batch);
    expect(sent.map(({ path }) => path)).toEqual(["/v1/execute_actions", "/v1/execute_actions"]);
    const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys).size).toBe(2);
    expect(sent[0]!.headers.get("volley-subject")).toBe("u_1");
  });

  test("sends the calls of one step as one batch, at most 50 in each, and gives each call its own result", async () => {
    const { tools, sent } = await toolSet({ surface: "flat" });
    const { execute } = tools["get_weather"]!;
    const cities = Array.from({ length: 51 }, (_, index) => ({ city: `c${index}` }));
    const results = await Promise.all(cities.map((city) => execute(city)));
    expect(results).toEqual(cities.map((args) => ({ tool: "get_weather", args })));
    expect(sent.map(({ body }) => body.actions!.length)).toEqual([50, 1]);
    await execute({ city: "later" });
    expect(sent).toHaveLength(3);
  });

  test("asks the meta-tools by their paths", async () => {
    const { tools, sent } = await toolSet({ surface: "meta" });
    for (const name of ["discover_tools", "get_tool_schema", "invoke_tool"]) await tools[name]!.execute({});
    expect(sent.map(({ path }) => path)).toEqual([
      "/v1/discover_tools",
      "/v1/get_tool_schema",
      "/v1/invoke_tool",
    ]);
  });

  test("tells the model why a batch was refused, and rejects where another batch would not help", async () => {
    const issues = [{ path: "/actions", expected: "an array", received: "nothing", hint: "Send one." }];
    const refuse = (status: number, code: string) => () =>
      Response.json({ code, detail: "Do otherwise.", status, issues }, { status });
    const invalid = await toolSet({}, refuse(422, "INVALID_BATCH"));
    expect(await invalid.tools["execute_actions"]!.execute({})).toEqual({
      error: { code: "INVALID_BATCH", hint: "Do otherwise.", issues },
    });
    const unknown = await toolSet({}, refuse(401, "UNAUTHORIZED"));
    await expect(unknown.tools["execute_actions"]!.execute({})).rejects.toMatchObject({ status: 401 });
  });

  test("stops where the SDK stops", async () => {
    const { tools } = await toolSet();
    const abortSignal = AbortSignal.abort(new Error("enough"));
    await expect(tools["execute_actions"]!.execute({}, { abortSignal })).rejects.toThrow("enough");
  });
});
