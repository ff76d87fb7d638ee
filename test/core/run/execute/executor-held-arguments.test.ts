import fc from "fast-check";
import * as z from "zod";
import { beforeEach, describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { IsolateBytes } from "../../../../src/core/egress/isolate-bytes.ts";
import { TestWorld, type WireEnvelope } from "../../../support/execute-batch.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { trial } from "../../../support/trial.ts";

const KIB = 1024;
const SIZE = 60 * KIB;
/** Half of it is 800 KiB: one request of 500 leads, and the others have 300 beside it. */
const LIMITS_HERE = { bytes: 1_600 * KIB, claim: 500 * KIB, waiting: 10 };

let world: TestWorld;
let isolate: IsolateBytes;
let opened: number;
let most: number;
/** The sizes of what was sent. */
let sent: number[];
beforeEach(() => {
  world = new TestWorld();
  isolate = new IsolateBytes(world.clock, LIMITS_HERE);
  [opened, most, sent] = [0, 0, []];
});

const make = contractOf("make", {
  input: z.strictObject({ size: z.int() }),
  run: async (args) => ({ text: "x".repeat((args as { size: number }).size) }),
});
const send = contractOf("send", {
  input: z.strictObject({ text: z.string() }),
  run: async (args, { time }) => {
    sent.push((args as { text: string }).text.length);
    most = Math.max(most, isolate.held);
    await time.sleep(100);
    return {};
  },
});

const batchOf = (size: number, sends: number, more: object = {}) => ({
  actions: [
    { id: "r", tool: "make", args: { size } },
    ...Array.from({ length: sends }, (_, n) => ({
      id: `s${n}`,
      tool: "send",
      args: { text: { $template: `${n} {{r#/text}}` } },
    })),
    { id: "plain", tool: "send", args: { text: "hello" }, depends_on: ["r"] },
  ],
  ...more,
});

const wait = contractOf("wait", {
  run: async (_, { time }) => {
    await time.sleep(9_000);
    return {};
  },
});
const remove = contractOf("remove", {
  input: z.strictObject({ text: z.string() }),
  actions: ["delete"],
  isWrite: true,
  run: () => Promise.resolve({}),
});

function run(body: object): Promise<WireEnvelope> {
  const { upstreams } = world.execution([]);
  const share = () => {
    opened += 1;
    return isolate.open("acme", world.clock);
  };
  return world.run([make, send, wait, remove], body, { upstreams: { ...upstreams, share } });
}

const codesOf = ({ results }: WireEnvelope) => results.map(({ status, error }) => error?.code ?? status);

describe("P6: T44 Arguments that references make", () => {
  trial(
    "are counted for the tenant until the answer is written, and batches that find no room wait for each other",
    async () => {
      const startedAt = world.clock.now();
      const answers = await Promise.all(Array.from({ length: 12 }, () => run(batchOf(SIZE, 5))));
      for (const answer of answers) expect(new Set(codesOf(answer))).toEqual(new Set(["success"]));
      expect(sent).toHaveLength(12 * 6);
      expect(most).toBeLessThanOrEqual(LIMITS_HERE.bytes / 2);
      expect(isolate.held).toBe(0);
      // Each call takes 100 ms, so at once they would all be over then.
      expect(world.clock.now() - startedAt).toBeGreaterThan(100);
    },
  );

  test("are OVERLOADED where their turn never comes, and what has none runs", async () => {
    const others = [isolate.open("acme", world.clock), isolate.open("acme", world.clock)];
    expect(others.map((one, at) => one.take([400, 280][at]! * KIB, true))).toEqual([true, true]);
    const codes = codesOf(await run(batchOf(SIZE, 4)));
    expect(codes).toEqual(["success", ...Array.from({ length: 4 }, () => "OVERLOADED"), "success"]);
    expect(sent).toEqual([5]);
    expect(isolate.held).toBe(680 * KIB);
  });

  test("hold nothing once the batch has ended before their turn came", async () => {
    const others = [isolate.open("acme", world.clock), isolate.open("acme", world.clock)];
    others.forEach((one, at) => one.take([400, 280][at]! * KIB, true));
    const codes = codesOf(await run(batchOf(SIZE, 2, { deadline_ms: 5_000 })));
    expect(codes).toEqual(["success", "DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED", "success"]);
    for (const one of others) one.give(one.held);
    expect(isolate.held).toBe(0);
  });

  test("keep no lead as long as their batch goes on: another one of the tenant reads meanwhile", async () => {
    const [beside, other] = [isolate.open("acme", world.clock), isolate.open("acme", world.clock)];
    expect(beside.take(200 * KIB, true)).toBe(true);
    const { actions } = batchOf(SIZE, 4);
    const slow = run({ actions: [...actions, { tool: "wait", args: {}, depends_on: ["s3"] }] });
    world.clock.after(500, () => beside.give(200 * KIB));
    let grantedAfterMs = 0;
    const startedAt = world.clock.now();
    world.clock.after(
      1_000,
      () =>
        void other.hold(450 * KIB, false).then((isGranted) => {
          if (isGranted) grantedAfterMs = world.clock.now() - startedAt;
        }),
    );
    expect(new Set(codesOf(await slow))).toEqual(new Set(["success"]));
    expect(grantedAfterMs).toBe(1_000);
  });

  test("are not counted where a batch makes few of them", async () => {
    expect(LIMITS.uncountedBytes).toBeGreaterThan(4 * 3 * KIB);
    expect(new Set(codesOf(await run(batchOf(3 * KIB, 4))))).toEqual(new Set(["success"]));
    expect(opened).toBe(0);
  });

  test("of which one is refused as too large take nothing from the others", async () => {
    const body = batchOf(SIZE, 2);
    const twice = { $template: "{{r#/text}}{{r#/text}}" };
    const actions = [...body.actions, { id: "big", tool: "send", args: { text: twice } }];
    const codes = codesOf(await run({ actions }));
    expect(codes).toEqual(["success", "success", "success", "success", "INVALID_ARGS"]);
    expect(isolate.held).toBe(0);
  });

  trial(
    "P1: cost no action its one result, and nothing is held in the end, whatever batches come at once",
    async () => {
      const text = (id: string) => ({ $template: `{{${id}#/text}}` });
      const action = fc
        .record({
          from: fc.constantFrom("r", "big", "none"),
          kind: fc.constantFrom("one", "loop", "keyed", "asks", "plain"),
          after: fc.boolean(),
        })
        .map(({ from, kind, after }) => ({
          tool: kind === "asks" ? "remove" : "send",
          args: { text: kind === "plain" ? "hello" : text(from) },
          ...(kind === "loop" && { for_each: [1, 2, 3] }),
          ...(kind === "keyed" && { idempotency_key: `k-${from}` }),
          ...(after && { depends_on: ["r"] }),
        }));
      const batch = fc.record({
        actions: fc.array(action, { minLength: 1, maxLength: 8 }),
        on_error: fc.constantFrom("partial-success", "fail-fast"),
        deadline_ms: fc.constantFrom(1, 250, 15_000),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
          world = new TestWorld();
          isolate = new IsolateBytes(world.clock, LIMITS_HERE);
          const made = ["r", "big"].map((id, at) => ({
            id,
            tool: "make",
            args: { size: [SIZE, 20 * KIB][at] },
          }));
          const answers = await Promise.all(
            batches.map((one) => run({ ...one, actions: [...made, ...one.actions] })),
          );
          for (const [at, { results }] of answers.entries())
            expect(results.map(({ index }) => index)).toEqual(
              Array.from({ length: batches[at]!.actions.length + 2 }, (_, index) => index),
            );
          await world.drain();
          expect(isolate.held).toBe(0);
        }),
        { numRuns: 60 },
      );
    },
  );
});
