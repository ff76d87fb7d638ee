import * as z from "zod";
import fc from "fast-check";
import { expect, test } from "vitest";

import type { Tool, ToolDeclaration } from "../../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../../src/core/catalog/tool-failure.ts";
import { TestWorld, type WireEnvelope } from "../../../support/execute-batch.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { samples } from "../../../support/samples.ts";

const BATCHES = samples(2_000);

const WRITE = { isWrite: true, actions: ["create"] };
const CONTRACTS: Readonly<Record<string, Partial<ToolDeclaration>>> = {
  free: {},
  serial: { orchestration: { mode: "sequential-only" } },
  limited: { orchestration: { mode: "fan-out-bounded", max_concurrency: 3 } },
  agenda: { domain: "calendar" },
  book: { ...WRITE, domain: "calendar" },
  strict: { ...WRITE, domain: "files", orchestration: { mode: "parallel-safe", on_error: "fail-fast" } },
  file: { domain: "files" },
  mail: { ...WRITE, execution: "fire-and-forget", domain: "calendar" },
  next: { orchestration: { mode: "dependent", depends_on: [{ tool: "free", required_fields: ["x"] }] } },
  metered: {
    orchestration: { mode: "parallel-safe", rate_limit: { limit: 9, window_s: 9, scope: "tenant" } },
  },
};

/** One call of a tool, as it really was. */
interface Call {
  readonly id: string;
  readonly tool: string;
  readonly from: number;
  readonly to: number;
}

/** A world whose tools take the time they are told, fail when they are told, and write down when they ran. */
class RecordedWorld extends TestWorld {
  readonly calls: Call[] = [];
  readonly peaks = new Map<string, number>();
  readonly tools: Tool[];

  constructor() {
    super();
    const active = new Map<string, number>();
    this.tools = Object.entries(CONTRACTS).map(([tool, declaration]) =>
      contractOf(tool, {
        input: z.looseObject({ id: z.string(), ms: z.int(), fail: z.boolean() }),
        ...declaration,
        run: async (args) => {
          const { id, ms, fail } = args as { id: string; ms: number; fail: boolean };
          const now = (active.get(tool) ?? 0) + 1;
          active.set(tool, now);
          this.peaks.set(tool, Math.max(now, this.peaks.get(tool) ?? 0));
          const from = this.clock.now();
          await this.clock.sleep(ms);
          active.set(tool, active.get(tool)! - 1);
          this.calls.push({ id, tool, from, to: this.clock.now() });
          if (fail) throw new ToolFailure("NOT_FOUND");
          return { x: id, list: [1, 2], fail: false };
        },
      }),
    );
  }
}

const pick = fc.record({
  tool: fc.constantFrom(...Object.keys(CONTRACTS), "unknown"),
  ms: fc.integer({ min: 0, max: 50 }),
  fate: fc.nat(11),
  depends: fc.array(fc.nat(), { maxLength: 1 }),
  refers: fc.array(fc.record({ to: fc.nat(), pointer: fc.constantFrom("", "/x", "/list/0", "/nope") }), {
    maxLength: 2,
  }),
  loop: fc.option(fc.constantFrom<unknown>([], [false, true], [1, 2, 3]), { freq: 4 }),
});

/** Random batches. References mostly lead to earlier actions, some to later ones, so that a few are cycles. */
const batches = fc.record({
  on_error: fc.constantFrom("partial-success", "fail-fast"),
  picks: fc.array(pick, { minLength: 1, maxLength: 12 }),
});

interface Asked {
  readonly id: string;
  readonly tool: string;
  readonly needs: readonly string[];
  readonly body: object;
}

function toActions(picks: readonly (typeof pick extends fc.Arbitrary<infer P> ? P : never)[]): Asked[] {
  return picks.map(({ tool, ms, fate, depends, refers, loop }, index) => {
    const near = (pick: number): string =>
      `s${pick % 16 === 0 ? pick % picks.length : pick % Math.max(1, index)}`;
    const depends_on = index === 0 ? [] : depends.map(near);
    const references = index === 0 ? [] : refers.map(({ to, pointer }) => ({ id: near(to), pointer }));
    const args = {
      id: `s${index}`,
      ms,
      fail: fate === 0 ? true : loop !== null && fate < 3 ? { $ref: "item#" } : fate === 11 ? "wrong" : false,
      ...Object.fromEntries(references.map(({ id, pointer }, n) => [`r${n}`, { $ref: `${id}#${pointer}` }])),
    };
    return {
      id: `s${index}`,
      tool,
      needs: [...depends_on, ...references.map(({ id }) => id)],
      body: { id: `s${index}`, tool, args, depends_on, ...(loop !== null && { for_each: loop }) },
    };
  });
}

const conflict = (a: string, b: string): boolean => {
  const [first, second] = [CONTRACTS[a], CONTRACTS[b]];
  if (a === "mail" || b === "mail" || first?.domain === undefined) return false;
  return first.domain === second?.domain && (first.isWrite === true || second.isWrite === true);
};

function check(envelope: WireEnvelope, actions: readonly Asked[], world: RecordedWorld): void {
  const { results, summary } = envelope;
  expect(results.map(({ id, index }) => [id, index])).toEqual(actions.map(({ id }, index) => [id, index]));
  const { total, ...counts } = summary;
  expect(total).toBe(actions.length);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(total);

  expect(world.peaks.get("serial") ?? 0).toBeLessThanOrEqual(1);
  expect(world.peaks.get("limited") ?? 0).toBeLessThanOrEqual(3);

  const resultOf = new Map(results.map((result) => [result.id, result]));
  const callsOf = Map.groupBy(world.calls, ({ id }) => id);
  for (const { id, tool, needs } of actions) {
    const result = resultOf.get(id)!;
    const calls = callsOf.get(id) ?? [];
    if (result.status === "success" && calls.length === 0) expect(result.data).toEqual([]);
    if (result.status === "skipped") {
      expect(calls).toEqual([]);
      expect(resultOf.get(result.because!)!.status).toBe("error");
    }
    for (const needed of calls.length > 0 ? needs : []) {
      expect(["success", "initiated"]).toContain(resultOf.get(needed)!.status);
      // A recorded job is waited for only that long; it runs whenever it does.
      for (const { tool, to } of callsOf.get(needed) ?? [])
        if (tool !== "mail") expect(to).toBeLessThanOrEqual(calls[0]!.from);
    }
    for (const other of actions) {
      if (other.id === id || !conflict(tool, other.tool)) continue;
      for (const mine of calls)
        for (const theirs of callsOf.get(other.id) ?? []) {
          if (mine.to > theirs.from && theirs.to > mine.from) throw new Error(`${id} and ${other.id} met`);
        }
    }
  }
}

test(`P1: ${BATCHES} random batches: nothing omitted, order kept, caps, dependencies and hazards respected`, async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(batches, async ({ on_error, picks }) => {
      const world = new RecordedWorld();
      const actions = toActions(picks);
      const answer = await world.execute(world.tools, { on_error, actions: actions.map(({ body }) => body) });
      if (!answer.ok) {
        refused += 1;
        expect(answer.error.refusal.hint).toContain("→");
        expect(world.calls).toEqual([]);
        expect(world.gate.requests).toEqual([]);
        return;
      }
      await world.drain();
      // A call that was aborted here does not listen to its signal.
      await world.clock.advance(1_000);
      check(JSON.parse(answer.value.json) as WireEnvelope, actions, world);
      expect(world.clock.pending).toBe(0);
    }),
    { numRuns: BATCHES },
  );
  expect(refused).toBeLessThan(BATCHES / 2);
});
