import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { WireEnvelope } from "../../../support/execute-batch.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { RerunWorld, type Treatment } from "../../../support/rerun-world.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

const write = (id: string, more: object = {}) => ({ id, tool: "write", args: { of: id }, ...more });
const statusesOf = (answer: unknown) => (answer as WireEnvelope).results.map(({ status }) => status);

describe("A run that is run again", () => {
  test("answers a write that succeeded, runs one that certainly did not happen, and asks before one that may have", async () => {
    const world = new RerunWorld(["done", "refused", "lost after it was done"]);
    const run = (await world.run({ actions: [write("a"), write("b"), write("c")] }))!;
    const again = await world.rerun(run);
    expect(statusesOf(again)).toEqual(["success", "success", "pending_confirmation"]);
    expect(again).toMatchObject({ parent: run, summary: { total: 3, ok: 2, pending_confirmation: 1 } });
    expect((again as WireEnvelope).results[0]).toMatchObject({ data: { of: "a" }, index: 0 });
    expect(Object.fromEntries(world.effects)).toEqual({ a: 1, b: 1, c: 1 });
  });

  test("asks about a write in doubt also where the rerun before came to nothing, because another action failed first", async () => {
    const world = new RerunWorld(["lost after it was done", "refused", "refused"]);
    const actions = [write("a"), write("b")];
    const run = (await world.run({ actions, on_error: "fail-fast" }))!;
    const first = await world.rerun(run);
    expect(statusesOf(first)).toEqual(["skipped", "error"]);
    expect(statusesOf(await world.rerun(run))).toEqual(["skipped", "error"]);
    expect(statusesOf(await world.rerun(run))).toEqual(["pending_confirmation", "success"]);
    expect(Object.fromEntries(world.effects)).toEqual({ a: 1, b: 1 });
  });

  test("runs its reads anew, unless only what failed is asked for", async () => {
    const world = new RerunWorld(["refused"]);
    const run = (await world.run({ actions: [{ id: "look", tool: "read" }, write("a")] }))!;
    const replayed = (answer: unknown) =>
      (answer as WireEnvelope).results.map(
        ({ meta }) => (meta as { readonly idempotency_replayed?: true }).idempotency_replayed,
      );
    expect(replayed(await world.rerun(run, "failed"))).toEqual([true, undefined]);
    expect(replayed(await world.rerun(run))).toEqual([undefined, true]);
  });

  test("runs what was skipped after what it waited for, with the references that it had", async () => {
    const world = new RerunWorld(["refused"]);
    const follows = { id: "b", tool: "write", args: { of: { $ref: "a#/of" } } };
    const run = (await world.run({ actions: [write("a"), follows] }))!;
    expect(statusesOf(await world.rerun(run, "failed"))).toEqual(["success", "success"]);
    expect(world.effects.get("a")).toBe(2);
    expect(world.bodyOf(run)!.actions[1]).toMatchObject({ status: "skipped" });
  });

  test("sends a write whose arguments were looked up with what they were then, whatever they look like", async () => {
    const seen: unknown[] = [];
    const odd = contractOf("odd", { run: () => Promise.resolve({ value: { $ref: "nothing#" } }) });
    const strict = contractOf("strict", {
      isWrite: true,
      actions: ["create"],
      run: (args) => {
        seen.push(args);
        return seen.length === 1 ? Promise.reject(new Error("at first")) : Promise.resolve("done");
      },
    });
    const world = new RerunWorld([], [odd, strict]);
    const actions = [
      { id: "odd", tool: "odd" },
      { id: "a", tool: "strict", args: { it: { $ref: "odd#/value" } } },
    ];
    const run = (await world.run({ actions }))!;
    expect(statusesOf(await world.rerun(run, "failed"))).toEqual(["success", "success"]);
    expect(seen).toEqual([{ it: { $ref: "nothing#" } }, { it: { $ref: "nothing#" } }]);
  });

  test("sends a write under the key that its upstream knows it by", async () => {
    const keys: string[] = [];
    const keyed = contractOf("keyed", {
      isWrite: true,
      actions: ["create"],
      run: (_, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        return keys.length === 1 ? Promise.reject(new Error("at first")) : Promise.resolve("done");
      },
    });
    const world = new RerunWorld([], [keyed]);
    await world.rerun((await world.run({ actions: [{ id: "a", tool: "keyed" }] }))!);
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
  });

  test("leaves what was refused before it began refused, and what needs it skipped", async () => {
    const strict = contractOf("closed", { isWrite: true, actions: ["create"] });
    const world = new RerunWorld([], [strict]);
    const run = (await world.run({
      actions: [{ id: "bad", tool: "nowhere" }, write("a", { depends_on: ["bad"] })],
    }))!;
    const again = (await world.rerun(run)) as WireEnvelope;
    expect(again.results).toMatchObject([{ error: { code: "UNKNOWN_TOOL" } }, { status: "skipped" }]);
    expect(world.effects.size).toBe(0);
  });

  test("does not repeat a loop of writes of which an element was done without a yes", async () => {
    const world = new RerunWorld(["done", "refused"]);
    const loop = { id: "l", tool: "write", for_each: ["a", "b"], args: { of: { $ref: "item#" } } };
    const run = (await world.run({ actions: [loop] }))!;
    await world.rerun(run);
    expect(Object.fromEntries(world.effects)).toEqual({ a: 1 });
  });

  test("runs a loop of which nothing was done again, with its elements", async () => {
    const world = new RerunWorld(["refused"]);
    const loop = { id: "l", tool: "write", for_each: ["a", "b"], args: { of: { $ref: "item#" } } };
    const run = (await world.run({ actions: [loop] }))!;
    expect(statusesOf(await world.rerun(run))).toEqual(["success"]);
    expect(Object.fromEntries(world.effects)).toEqual({ a: 1, b: 1 });
  });

  test("names the actions of which not all is kept, and then runs nothing", async () => {
    const world = new RerunWorld(["refused"]);
    const run = (await world.run({ actions: [write("a", { args: { of: "a", big: "x".repeat(17_000) } })] }))!;
    expect(await world.rerun(run)).toEqual(["a"]);
    expect(world.effects.size).toBe(0);
  });

  test("asks about what a rerun had set out to send that was killed, also where that rerun is run again", async () => {
    const world = new RerunWorld(["refused", "killed after it was done"]);
    const run = (await world.run({ actions: [write("a")] }))!;
    expect(await world.rerun(run)).toBeNull();
    expect(statusesOf(await world.rerun(run))).toEqual(["pending_confirmation"]);
    expect(world.effects.get("a")).toBe(1);
  });

  test("knows of writes that a rerun of its rerun has sent", async () => {
    const world = new RerunWorld(["refused", "refused", "done"]);
    const run = (await world.run({ actions: [write("a")] }))!;
    const first = (await world.rerun(run)) as WireEnvelope;
    expect(statusesOf(await world.rerun(first.batch_id))).toEqual(["success"]);
    expect(statusesOf(await world.rerun(run))).toEqual(["success"]);
    expect(world.effects.get("a")).toBe(1);
  });
});

const treatment = fc.constantFrom<Treatment>(
  "done",
  "refused",
  "lost after it was done",
  "lost before it was done",
  "killed after it was done",
  "killed before it was done",
);
const rerunOf = fc.record({ of: fc.nat(6), only: fc.constantFrom("failed" as const, undefined) });

trial(
  "Whatever ran and wherever it was interrupted, no write takes effect twice unless a person says yes",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
        fc.array(treatment, { maxLength: 16 }),
        fc.array(rerunOf, { maxLength: 6 }),
        async (waits, treatments, reruns) => {
          const world = new RerunWorld(treatments);
          const actions = waits.map((isAfter, at) =>
            write(`w${at}`, isAfter && at > 0 ? { depends_on: [`w${at - 1}`] } : {}),
          );
          const run = await world.run({ actions });
          const runs = run === null ? [] : [run];
          for (const { of, only } of reruns) {
            if (runs.length === 0) break;
            const answer = await world.rerun(runs[of % runs.length]!, only);
            if (answer === null || Array.isArray(answer)) continue;
            const { batch_id } = answer as WireEnvelope;
            if (world.bodyOf(batch_id) !== null) runs.push(batch_id);
          }
          for (const [id, count] of world.effects) expect([id, count]).toEqual([id, 1]);
        },
      ),
      { numRuns: samples(300) },
    );
  },
);
