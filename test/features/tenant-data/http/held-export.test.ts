import { expect, test } from "vitest";

import type { KeptTool } from "../../../../src/core/contract/gate/kept-tool.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import type { ToolSource, TenantPart } from "../../../../src/cloudflare/feature.ts";
import type { RequestContext } from "../../../../src/cloudflare/http/request-context.ts";
import { IsolateBytes } from "../../../../src/core/egress/isolate-bytes.ts";
import { makeExport } from "../../../../src/features/tenant-data/http/export.ts";
import { valueOf } from "../../../support/unwrap.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";
import { trial } from "../../../support/trial.ts";

/** A tool whose declaration has so many characters. */
const toolOf = (name: string, characters: number) =>
  ({
    name,
    headJson: JSON.stringify({ category: "crm" }),
    json: JSON.stringify({ name, description: "x".repeat(characters) }),
  }) as unknown as KeptTool;
const TOOLS = Array.from({ length: 20 }, (_, n) => toolOf(`tool_${n}`, 50_000));
const FLOW = {
  name: "a_flow",
  headJson: JSON.stringify({ category: "flows" }),
  json: JSON.stringify({ name: "a_flow", flow: { summary: "Flows" }, is_write: false }),
} as unknown as KeptTool;
const KEYS: TenantPart = { field: "keys", exportJson: async () => "[]" } as unknown as TenantPart;

/** @param kept the tools and flows of the tenant, where they can be read, and where the Worker keeps any */
function world(kept: readonly KeptTool[] | "unreadable" | "not listed" = [...TOOLS, FLOW]) {
  const clock = new VirtualClock();
  const isolate = new IsolateBytes(clock);
  let reads = 0;
  const added = {
    readAll: async () => {
      reads += 1;
      if (typeof kept === "string") throw new Error("down");
      return kept;
    },
  } as unknown as ToolSource;
  const ask = (caller: object = { flags: ["manage_tools", "manage_keys"] }, query = "") => {
    const context = {
      caller: { name: "admin", tenant: "acme", tools: ["*"], ...caller },
      ports: { clock },
      upstreams: { share: () => isolate.open("acme", clock) },
    } as unknown as RequestContext;
    const request = new Request(`https://volley.test/v1/export${query}`);
    return clock.runUntil(
      makeExport([KEYS], kept === "not listed" ? undefined : added).handle(
        request,
        context,
        "",
      ) as Promise<never>,
    );
  };
  return { clock, isolate, ask, reads: () => reads };
}

test("T44 an export holds its tenant's bytes until its client has read it", async () => {
  const { isolate, ask } = world();
  const response: Response = valueOf(await ask());
  const held = isolate.heldBy("acme");
  expect(held).toBeGreaterThan(20 * 50_000 - LIMITS.uncountedBytes);
  expect(held).toBeLessThan(21 * 50_000);
  const { tools, keys } = (await response.json()) as { tools: unknown[]; keys: unknown[] };
  expect([tools.length, keys]).toEqual([20, []]);
  expect(isolate.held).toBe(0);
});

test("T44 an export for which its tenant's bytes have no room is refused before anything is read", async () => {
  const { clock, isolate, ask, reads } = world();
  const other = isolate.open("acme", clock);
  expect(other.take(isolate.limits.claim, false)).toBe(true);
  expect(await ask()).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
  expect(reads()).toBe(0);
  // Keys alone are few, and need no turn.
  expect(await ask({ flags: ["manage_keys"] })).toMatchObject({ ok: true });
  other.give(isolate.limits.claim);
  expect(await ask()).toMatchObject({ ok: true });
});

test("T44 an export that cannot be read whole, or is not allowed, is refused and holds nothing", async () => {
  const { isolate, ask } = world("unreadable");
  expect(await ask()).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
  expect(await ask({ flags: [] })).toMatchObject({ ok: false, error: { code: "FORBIDDEN" } });
  expect(isolate.held).toBe(0);
});

test("an export of a Worker without tools of tenants has none, and says so", async () => {
  const { ask } = world("not listed");
  expect(await valueOf<Response>(await ask()).json()).toMatchObject({ tools: [], flows: [], keys: [] });
});

test("an export has every flow, in the order they are kept", async () => {
  const other = { ...FLOW, json: JSON.stringify({ name: "b_flow", flow: { summary: "Too" } }) };
  const { ask } = world([FLOW, other]);
  expect(await valueOf<Response>(await ask()).json()).toMatchObject({
    flows: [
      { name: "a_flow", summary: "Flows" },
      { name: "b_flow", summary: "Too" },
    ],
  });
});

test("T02 an export holds what its key may call and manage, tools and flows apart", async () => {
  const { ask } = world();
  const shown = async (caller: object) =>
    (await valueOf<Response>(await ask(caller)).json()) as Record<string, { name: string }[]>;
  const all = await shown({ flags: ["manage_tools"] });
  expect(all).toMatchObject({
    volley_export: 1,
    tenant: "acme",
    flows: [{ name: "a_flow", summary: "Flows" }],
  });
  expect(all["tools"]).toHaveLength(TOOLS.length);
  const few = await shown({ flags: ["manage_tools"], tools: ["tool_3"] });
  expect([few["tools"]!.map(({ name }) => name), few["flows"]]).toEqual([["tool_3"], []]);
  const flows = await shown({ flags: ["manage_tools"], tools: ["flows"] });
  expect([flows["tools"], flows["flows"]!.map(({ name }) => name)]).toEqual([[], ["a_flow"]]);
  expect(await shown({ flags: ["manage_keys"] })).not.toHaveProperty("tools");
});

test("an export goes on where a cursor says, and refuses one that it has not given", async () => {
  const { ask } = world();
  const cursorOf = (place: unknown) =>
    `?cursor=${btoa(encodeURIComponent(JSON.stringify(place))).replaceAll("=", "")}`;
  const flags = { flags: ["manage_tools", "manage_keys"] };
  const page = await valueOf<Response>(await ask(flags, cursorOf(["keys", null]))).json();
  expect(page).toMatchObject({ volley_export: 1, cursor: expect.any(String), keys: [] });
  expect(page).not.toHaveProperty("tools");
  for (const query of [
    "?cursor=",
    "?cursor=%00",
    "?cursor=a",
    cursorOf(["none", null]),
    cursorOf(7),
    "?page=2",
  ])
    expect([query, await ask(flags, query)]).toMatchObject([query, { error: { code: "INVALID_QUERY" } }]);
});

trial("a page that is full of tools has no other part, and the next one has those that follow", async () => {
  const { ask } = world(Array.from({ length: 100 }, (_, n) => toolOf(`tool_${n}`, 50_000)));
  const flags = { flags: ["manage_tools", "manage_keys"] };
  type Page = { tools?: unknown[]; keys?: unknown[]; cursor?: string; next_cursor?: string };
  const first = (await valueOf<Response>(await ask(flags)).json()) as Page;
  expect([first.tools?.length, first.keys]).toEqual([100, undefined]);
  const then = (await valueOf<Response>(await ask(flags, `?cursor=${first.next_cursor!}`)).json()) as Page;
  expect(then).toMatchObject({ keys: [], cursor: first.next_cursor });
  expect([then.tools, then.next_cursor]).toEqual([undefined, undefined]);
});
