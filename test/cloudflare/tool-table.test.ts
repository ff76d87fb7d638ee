import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import {
  callAddedTools,
  type ToolsPage,
  type ToolToKeep,
} from "../../src/features/added-tools/stored-tools.ts";
import type { KeptTool } from "../../src/core/contract/gate/kept-tool.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import * as ADDED_TOOLS_LIMITS from "../../src/features/added-tools/limits.ts";
import { ask } from "./ask-confirmations.ts";
import { countRows } from "./count-rows.ts";
import { HUNDRED_AN_HOUR, makeJobsRequest, makeRequest, makeSpec } from "./gate-requests.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const gateOf = () => env.TENANT_GATE.getByName(`tools-${++tenants}`);
type Stub = ReturnType<typeof gateOf>;

const tool = (name: string, json = `{"name":"${name}"}`, needs: readonly string[] = []): ToolToKeep => ({
  name,
  fingerprint: `${name}:${json.slice(0, 20)}`,
  headJson: "{}",
  json,
  needs,
});
const put = (stub: Stub, one: ToolToKeep) => callAddedTools(stub, "changeTools", { kind: "put", tool: one });

/** Everything that is newer than a version, read page by page. */
async function readSince(stub: Stub, version: number): Promise<ToolsPage> {
  const tools: KeptTool[] = [];
  for (let from = version; ;) {
    const page: ToolsPage = await callAddedTools(stub, "toolsSince", from);
    tools.push(...page.tools);
    if (page.complete) return { ...page, tools };
    expect(page.version).toBeGreaterThan(from);
    from = page.version;
  }
}

describe("the tenant's own tools", () => {
  trial("outlive an eviction and a crash, with the version that they had", async () => {
    const stub = gateOf();
    await put(stub, tool("a"));
    await put(stub, tool("b", "{}", ["a"]));
    await evictDurableObject(stub);
    expect(await readSince(stub, 0)).toMatchObject({ version: 2, names: ["a", "b"] });
    await callAddedTools(stub, "changeTools", { kind: "delete", name: "a" });
    await callAddedTools(stub, "changeTools", { kind: "delete", name: "b" });
    await abortAllDurableObjects();
    const again = env.TENANT_GATE.get(stub.id);
    expect(await callAddedTools(again, "toolsSince", 0)).toEqual({
      version: 4,
      complete: true,
      names: [],
      tools: [],
    });
    expect(await callAddedTools(again, "tool", "a")).toBeNull();
  });

  test("stay what they are: a name is a flow's or a tool's until it is deleted", async () => {
    const stub = gateOf();
    const flow = tool("a", '{"name":"a","flow":{}}');
    await put(stub, tool("a"));
    const refused = { ok: false, error: { reason: "other-kind", names: ["a"] } };
    expect(await put(stub, flow)).toEqual(refused);
    await callAddedTools(stub, "changeTools", { kind: "delete", name: "a" });
    expect(await put(stub, flow)).toMatchObject({ ok: true });
    await evictDurableObject(stub);
    expect(await put(stub, tool("a"))).toEqual(refused);
    expect(await callAddedTools(stub, "tool", "a")).toMatchObject({ json: flow.json, version: 3 });
  });

  trial("are told since a version: what is new, and the names of all that there are", async () => {
    const stub = gateOf();
    for (const name of ["a", "b", "c"]) await put(stub, tool(name));
    await put(stub, tool("a", '{"new":true}'));
    await callAddedTools(stub, "changeTools", { kind: "delete", name: "b" });
    const page = await callAddedTools(stub, "toolsSince", 3);
    expect(page).toMatchObject({ version: 5, complete: true, names: ["a", "c"] });
    expect(page.tools.map(({ name, json }) => [name, json])).toEqual([["a", '{"new":true}']]);
    expect(await callAddedTools(stub, "toolsSince", 5)).toMatchObject({ tools: [] });
  });

  trial("are told the oldest change first, also when memory was read anew", async () => {
    const stub = gateOf();
    for (const name of ["c", "a", "b"]) await put(stub, tool(name));
    await put(stub, tool("c", '{"new":true}'));
    await evictDurableObject(stub);
    await put(stub, tool("d"));
    const { tools } = await callAddedTools(stub, "toolsSince", 1);
    expect(tools.map(({ name, version }) => [name, version])).toEqual([
      ["a", 2],
      ["b", 3],
      ["c", 4],
      ["d", 5],
    ]);
  });

  trial("that are large come in parts, none of which is larger than a message may be", async () => {
    const stub = gateOf();
    const large = `"${"ä".repeat(60_000)}"`;
    const names = Array.from({ length: 60 }, (_, index) => `t${index}`);
    await callAddedTools(stub, "changeTools", {
      kind: "import",
      prefix: "t",
      tools: names.map((name) => tool(name, large)),
    });
    const first = await callAddedTools(stub, "toolsSince", 0);
    expect(first.complete).toBe(false);
    const characters = first.tools.reduce((sum, { json }) => sum + json.length, 0);
    expect(characters).toBeLessThanOrEqual(ADDED_TOOLS_LIMITS.toolPageCharacters);
    const all = await readSince(stub, 0);
    expect(all.tools.map(({ name }) => name)).toEqual(names);
  });

  trial("are no more than all of a tenant may take", async () => {
    const stub = gateOf();
    const large = `"${"x".repeat(LIMITS.declarationBytes - 2)}"`;
    const tools = (count: number) => Array.from({ length: count }, (_, index) => tool(`t${index}`, large));
    const fitting = LIMITS.tenantToolsBytes / LIMITS.declarationBytes;
    const tooMany = await callAddedTools(stub, "changeTools", {
      kind: "import",
      prefix: "t",
      tools: tools(fitting + 1),
    });
    expect(tooMany).toMatchObject({ ok: false, error: { reason: "too-large" } });
    expect(await callAddedTools(stub, "toolsSince", 0)).toMatchObject({ version: 0, names: [] });
    expect(
      await callAddedTools(stub, "changeTools", { kind: "import", prefix: "t", tools: tools(fitting) }),
    ).toMatchObject({
      ok: true,
    });
  });

  test("of a dry run are not kept", async () => {
    const stub = gateOf();
    const answer = await callAddedTools(stub, "changeTools", { kind: "put", tool: tool("a"), dryRun: true });
    expect(answer).toMatchObject({ ok: true, value: { added: ["a"], version: 0 } });
    expect(await callAddedTools(stub, "toolsSince", 0)).toMatchObject({ version: 0, names: [] });
  });

  test("that are put again as they are cost no row", async () => {
    const stub = gateOf();
    await put(stub, tool("a"));
    const written = await countRows(stub);
    await put(stub, tool("a"));
    expect(await written()).toBe(0);
  });

  test("of one tenant are not another's", async () => {
    const [one, other] = [gateOf(), gateOf()];
    await put(one, tool("a"));
    expect(await callAddedTools(other, "toolsSince", 0)).toMatchObject({ version: 0, names: [] });
  });
});

describe("an admission", () => {
  test("says nothing of tools where the tenant never had any", async () => {
    const stub = gateOf();
    const answer = await stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR, toolsVersion: 0 }));
    expect(answer).not.toHaveProperty("toolsVersion");
    expect(answer.quota).toMatchObject({ allowed: true });
  });

  test("F28 of a plan with other tools than there are counts nothing, records nothing and says the version", async () => {
    const stub = gateOf();
    await put(stub, tool("a"));
    const jobs = makeJobsRequest(makeSpec("10000000-0000-4000-8000-000000000000", ["succeed"]));
    const stale = await stub.admit({ ...jobs, quota: HUNDRED_AN_HOUR, toolsVersion: 0 });
    expect(stale).toMatchObject({ stale: true, toolsVersion: 1, quota: null, recorded: [] });
    const fresh = await stub.admit({ ...jobs, quota: HUNDRED_AN_HOUR, toolsVersion: 1 });
    expect(fresh).toMatchObject({ toolsVersion: 1, quota: { remaining: 99 } });
    expect(fresh.recorded).toHaveLength(1);
  });

  test("that depends on no tool of the tenant's own is admitted whatever there is, and told of the version", async () => {
    const stub = gateOf();
    await put(stub, tool("a"));
    const answer = await stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }));
    expect(answer).toMatchObject({ toolsVersion: 1, quota: { allowed: true } });
    expect(answer).not.toHaveProperty("stale");
  });

  trial("of a confirmation planned with other tools claims nothing", async () => {
    const stub = gateOf();
    const [parked] = await ask(stub).park([{ id: "c1", groupJson: "{}" }]);
    await put(stub, tool("a"));
    const claim = { id: parked!.id, by: "run-1" };
    const request = makeRequest({ quota: HUNDRED_AN_HOUR });
    const stale = await ask(stub).approve(claim, { ...request, toolsVersion: 0 });
    expect(stale).toMatchObject({ refused: null, admission: { stale: true } });
    expect(await ask(stub).confirmation("c1")).toMatchObject({ status: "pending" });
    const fresh = await ask(stub).approve(claim, { ...request, toolsVersion: 1 });
    expect(fresh).toMatchObject({ refused: null, admission: { quota: { allowed: true } } });
  });
});
