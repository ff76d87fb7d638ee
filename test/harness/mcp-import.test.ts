import { afterAll, describe, expect, test } from "vitest";

import { startSandbox } from "../support/sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";

/** The sandbox's own upstream, which has MCP servers. */
const ORIGIN = "https://probe.sandbox.test";
const volley = await startSandbox();
afterAll(() => volley[Symbol.asyncDispose]());
const admin = new TestCaller(volley.url, "sandbox-admin-key");

async function importServer(prefix: string, mcp: object, more: object = {}) {
  const body = JSON.stringify({ prefix, mcp, ...more });
  const answer = await admin.send({ path: "/v1/tools/import", body });
  return { answer, body: JSON.parse(answer.text) as { tools: { name: string; mcp: object }[] } };
}

describe.each(["/mcp-server", "/mcp-server-2025"])("an import of the MCP server at %s", (path) => {
  const prefix = path.endsWith("2025") ? "old" : "new";

  test("makes tools of its tools, which can be called at once", async () => {
    const { answer, body } = await importServer(prefix, { url: `${ORIGIN}${path}` });
    expect(answer.status, answer.text).toBe(200);
    const greet = body.tools.find(({ name }) => name === `${prefix}_greet`);
    expect(greet, answer.text).toMatchObject({ mcp: { tool: "greet", url: `${ORIGIN}${path}` } });
    const { results } = await admin.execute([{ tool: `${prefix}_greet`, args: { name: "Ada" } }]);
    expect(results[0], JSON.stringify(results[0])).toMatchObject({ status: "success" });
  });
});

test("a tool whose server says otherwise of it is not called until it is imported again", async () => {
  const server = { url: `${ORIGIN}/mcp-server` };
  await importServer("drift", server, {});
  const call = () => admin.execute([{ tool: "drift_greet", args: { name: "Ada" } }]);
  await admin.execute([{ tool: "probe-any", args: { path: "/mcp-server/change?description=other" } }]);
  await importServer("drift", server);
  expect((await call()).results[0]).toMatchObject({ status: "success" });
});

test("a server's secret goes only where it is bound, and its absence is said", async () => {
  const url = `${ORIGIN}/mcp-server-private`;
  const bound = await importServer("priv", { url, auth: { secret: "SANDBOX_SECRET", as: "bearer" } });
  expect(bound.answer.status, bound.answer.text).toBe(200);
  const unbound = await importServer("priv2", { url, auth: { secret: "RESEND_API_KEY", as: "bearer" } });
  expect([unbound.answer.status, problemOf(unbound.answer).code]).toEqual([422, "INVALID_TOOL"]);
  const without = await importServer("priv3", { url });
  expect([without.answer.status, problemOf(without.answer).code]).toEqual([422, "INVALID_TOOL"]);
  expect(problemOf(without.answer).detail).toMatch(/wants to know who asks: give 'auth'/);
});

test("what is no MCP server, or a host that is private, is refused with what to do", async () => {
  for (const url of [`${ORIGIN}/echo?n=1`, "http://127.0.0.1:1/mcp", "not a url"]) {
    const { answer } = await importServer("none", { url });
    expect([answer.status, problemOf(answer).code], url).toEqual([422, "INVALID_TOOL"]);
  }
  const elsewhere = await importServer("none", { url: `${ORIGIN}/echo?n=1` });
  expect(problemOf(elsewhere.answer).detail).toMatch(/There is no MCP server at this address/);
  const both = await importServer("none", { url: `${ORIGIN}/mcp-server` }, { openapi: {} });
  expect([both.answer.status, problemOf(both.answer).code]).toEqual([422, "INVALID_REQUEST"]);
});
