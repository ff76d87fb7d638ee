import { expect, test } from "vitest";
import * as z from "zod";

import type { RequestContext } from "../../../../src/cloudflare/http/request-context.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { IsolateBytes } from "../../../../src/core/egress/isolate-bytes.ts";
import { listTools } from "../../../../src/features/discovery/http/routes.ts";
import { answerMethod } from "../../../../src/features/mcp/http/mcp-methods.ts";
import type { MethodOptions } from "../../../../src/features/mcp/http/method.ts";
import type { RpcRequest } from "../../../../src/features/mcp/http/rpc-message.ts";
import { createCatalog } from "../../../support/create-catalog.ts";
import { valueOf } from "../../../support/unwrap.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const TOOLS = Array.from({ length: 100 }, (_, n) =>
  defineTool({
    name: `tool_${n}`,
    summary: "Do it",
    description: "d".repeat(1_000),
    category: "large",
    actions: ["read"],
    isWrite: false,
    execution: "sync",
    input: z.strictObject({}),
    hosts: [],
    orchestration: { mode: "parallel-safe" },
    run: async () => ({}),
  }),
);

function world() {
  const clock = new VirtualClock();
  const isolate = new IsolateBytes(clock);
  let shown = 0;
  const tools = TOOLS.map((tool) =>
    Object.defineProperty({ ...tool }, "description", { get: () => ((shown += 1), tool.description) }),
  );
  const context = {
    ports: { clock },
    catalog: createCatalog(tools),
    upstreams: { share: () => isolate.open("acme", clock) },
  } as unknown as RequestContext;
  shown = 0;
  let release = (): void => {};
  const options = {
    era: "stateless",
    surface: "flat",
    abilities: {},
    signal: new AbortController().signal,
    onWritten: (give: () => void) => void (release = give),
  } as unknown as MethodOptions;
  const ask = () =>
    answerMethod({ id: 1, method: "tools/list", params: {} } as unknown as RpcRequest, context, options);
  const list = () => listTools.handle(new Request("https://volley.test/v1/tools?surface=flat"), context, "");
  return { clock, isolate, list, ask, release: () => release(), shown: () => shown };
}

/** Take what a tenant has but for little. */
function crowd({ clock, isolate }: ReturnType<typeof world>): void {
  const { bytes, claim } = isolate.limits;
  isolate.open("acme", clock).take(claim, false);
  isolate.open("acme", clock).take((3 / 4) * (bytes / 2 - claim), false);
}

test("T44 a list of tools is written when there is room for it: a caller that waits holds nothing, and is refused in the end", async () => {
  const crowded = world();
  crowd(crowded);
  const { clock, list, shown } = crowded;
  expect(await clock.runUntil(list())).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
  expect(shown()).toBe(0);
});

test("T44 a list of tools that is read holds no more than its own bytes, and none in the end", async () => {
  const { isolate, list, shown } = world();
  const response = valueOf(await list());
  expect(shown()).toBeGreaterThan(0);
  const held = isolate.heldBy("acme");
  expect(held).toBeLessThan((await response.text()).length);
  expect(isolate.held).toBe(0);
});

test("a large list of tools is written once for a catalog, and each caller reads all of it", async () => {
  const { list, shown } = world();
  const first = await valueOf(await list()).text();
  const times = shown();
  const again = valueOf(await list());
  expect(await again.text()).toBe(first);
  expect(again.headers.get("content-type")).toBe("application/json");
  expect(shown()).toBe(times);
});

test("T44 the list of MCP waits for its room too, and holds no more than its own bytes until it is read", async () => {
  const crowded = world();
  crowd(crowded);
  expect(await crowded.clock.runUntil(crowded.ask())).toMatchObject({ ok: false, error: { code: -32000 } });
  const { isolate, ask, release } = world();
  const text = valueOf(await ask());
  expect(isolate.heldBy("acme")).toBeGreaterThan(0);
  expect(isolate.heldBy("acme")).toBeLessThanOrEqual(text.length - LIMITS.uncountedBytes);
  release();
  expect(isolate.held).toBe(0);
});
