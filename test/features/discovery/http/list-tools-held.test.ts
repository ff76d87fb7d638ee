import { expect, test } from "vitest";
import * as z from "zod";

import type { RequestContext } from "../../../../src/cloudflare/http/request-context.ts";
import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { IsolateBytes } from "../../../../src/core/egress/isolate-bytes.ts";
import { listTools } from "../../../../src/features/discovery/http/routes.ts";
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
  const list = () => listTools.handle(new Request("https://volley.test/v1/tools?surface=flat"), context, "");
  return { clock, isolate, list, shown: () => shown };
}

test("T44 a list of tools is written when there is room for it: a caller that waits holds nothing, and is refused in the end", async () => {
  const { clock, isolate, list, shown } = world();
  const { bytes, claim } = isolate.limits;
  isolate.open("acme", clock).take(claim, false);
  isolate.open("acme", clock).take((3 / 4) * (bytes / 2 - claim), false);
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
