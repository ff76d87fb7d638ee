import { describe, expect, test } from "vitest";
import * as z from "zod";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import * as LIMITS from "../../../../src/features/background/limits.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

const SECOND = 1_000;

const write = defineTool({
  name: "write_it",
  summary: "Write it",
  description: "Write it.",
  category: "notes",
  actions: ["create"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({ batch: z.string(), n: z.optional(z.int()) }),
  hosts: ["notes.dev"],
  timeoutMs: 25_000,
  orchestration: { mode: "sequential-only", on_error: "partial-success" },
  idempotent: "with-key",
  run: async ({ batch, n = 0 }, ctx) =>
    (await ctx.fetch(`https://notes.dev/${batch}/${n}`, { method: "POST" })).json(),
});

/** A Volley whose writes take a second each, and the batch of each write that was sent, with the time. */
async function setUp() {
  const sent: { readonly batch: string; readonly at: number }[] = [];
  const world = { now: () => 0, restarts: 0 };
  const volley = await createTestVolley({
    tools: [write],
    features: ALL_FEATURES,
    key: { quota: { limit: 10_000, window_s: 60 } },
    routes: {
      "POST https://notes.dev/*": async ({ url }, { sleep }) => {
        sent.push({ batch: new URL(url).pathname.split("/")[1]!, at: world.now() });
        const { restarts } = world;
        await sleep(SECOND);
        // The runtime that had asked is gone, and what it would do with an answer.
        return restarts === world.restarts ? { ok: true } : new Promise(() => {});
      },
    },
  });
  world.now = () => volley.now();
  const begin = async (batch: string, count: number): Promise<void> => {
    const headers = { "content-type": "application/json" };
    const args = { batch, n: { $ref: "item#" } };
    const actions = [{ tool: "write_it", for_each: Array.from({ length: count }, (_, n) => n), args }];
    const body = JSON.stringify({ actions, background: true, deadline_ms: 900_000 });
    const { status } = await volley.fetch("/v1/execute_actions", { method: "POST", headers, body });
    expect(status).toBe(202);
  };
  const begun = (): string[] => [...new Set(sent.map(({ batch }) => batch))];
  const restart = (): void => {
    world.restarts += 1;
    volley.evict();
  };
  return { volley, sent, begin, begun, restart };
}

const named = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `b${String(n).padStart(2, "0")}`);

describe("Batches in the background of a tenant", () => {
  trial("have eight turns at once, and the ninth begins when one of those is over", async () => {
    const { volley, begin, begun } = await setUp();
    for (const batch of named(12)) await begin(batch, 60);
    await volley.advance(LIMITS.batchSliceMs - SECOND);
    expect(begun()).toEqual(named(LIMITS.batchesAtOnce));
    await volley.advance(3 * SECOND);
    expect(begun()).toEqual(named(12));
  });

  trial("have their next turn in the order in which they had the last one", async () => {
    const { volley, sent, begin } = await setUp();
    for (const batch of named(16)) await begin(batch, 60);
    await volley.advance(60 * SECOND);
    // A turn of a batch is what it sends without a pause as long as a turn of others.
    const turns = sent.filter(({ batch, at }, index) => {
      const last = sent.slice(0, index).findLast((one) => one.batch === batch);
      return last === undefined || at - last.at > LIMITS.batchSliceMs - SECOND;
    });
    const order = turns.map(({ batch }) => batch);
    for (let round = 0; 16 * (round + 1) <= order.length; round += 1)
      expect(order.slice(16 * round, 16 * (round + 1)).sort()).toEqual(named(16));
  });

  trial("stand behind one that has not begun", async () => {
    const { volley, begin, begun } = await setUp();
    for (const batch of named(40)) await begin(batch, 60);
    await volley.advance(60 * SECOND);
    await begin("short", 1);
    await volley.advance(10 * SECOND);
    expect(begun()).toContain("short");
  });

  test("F40 go on within 15 s of a restart in the middle of their turns, without a call from outside", async () => {
    const { volley, sent, begin, begun, restart } = await setUp();
    for (const batch of named(8)) await begin(batch, 60);
    await volley.advance(2_500);
    expect(begun()).toEqual(named(8));
    const before = sent.length;
    restart();
    // Later the calls time out that were under way, and their attempts ask the object: as no killed runtime does.
    await volley.advance(9 * SECOND);
    const since = sent.slice(before).map(({ batch }) => batch);
    expect([...new Set(since)].sort()).toEqual(named(8));
  });
});
