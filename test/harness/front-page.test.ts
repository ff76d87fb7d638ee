import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { beforeAll, expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";

/* The programs of the front page are run as a reader would paste them, with a key in place of YOUR_KEY. */

const run = promisify(execFile);
const { volley } = await setUpSandbox();
const codes = new Map<string, string>();

beforeAll(async () => {
  const page = await (await fetch(volley.url, { headers: { accept: "text/html" } })).text();
  for (const [, id, code] of page.matchAll(/<label for="(\w+)">.*?<code>(.*?)<\/code><\/pre>/gs))
    codes.set(id!, unescape(code!).replaceAll("YOUR_KEY", "sandbox-key"));
});

/** Read markup's entities as a browser does. */
function unescape(markup: string): string {
  const entities = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return markup.replaceAll(/&\S+?;/g, (one) => entities[one as keyof typeof entities]);
}

test("The front page's curl finds a tool and describes it in one batch", async () => {
  const { stdout } = await run("bash", ["-c", codes.get("curl")!.replace("curl", "curl -s")]);
  const { results } = JSON.parse(stdout) as { results: readonly { tool: string; status: string }[] };
  expect(results.map(({ tool, status }) => [tool, status])).toEqual([
    ["discover_tools", "success"],
    ["get_tool_schema", "success"],
  ]);
});

test("The front page's TypeScript prints both results", async () => {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", codes.get("typescript")!]);
  expect(stdout).toBe("discover_tools success\nget_tool_schema success\n");
});

test("The front page's Python prints both results", async ({ skip }) => {
  const hasPython = await run("python3", ["--version"]).then(
    () => true,
    () => false,
  );
  if (!hasPython) return skip("This machine has no Python");
  const { stdout } = await run("python3", ["-c", codes.get("python")!]);
  expect(stdout).toBe("discover_tools success\nget_tool_schema success\n");
});

test("The front page's MCP configuration leads to a server that lists its tools", async () => {
  interface Configuration {
    readonly mcpServers: {
      readonly volley: { readonly url: string; readonly headers: Record<string, string> };
    };
  }
  const { url, headers } = (JSON.parse(codes.get("mcp")!) as Configuration).mcpServers.volley;
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const { result } = (await answer.json()) as { result: { tools: readonly { name: string }[] } };
  expect(result.tools.map(({ name }) => name)).toContain("execute_actions");
});

test("A client of JSON is told of the missing key at / as at any other path", async () => {
  const ask = async (path: string) => {
    const answer = await fetch(volley.url + path, { headers: { accept: "application/json" } });
    const { code, detail } = (await answer.json()) as { code: string; detail: string };
    return { status: answer.status, code, detail };
  };
  expect(await ask("/")).toEqual(await ask("/v1/tools"));
  expect(await ask("/")).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
});
