import { createHash } from "node:crypto";

import { describe, expect, test } from "vitest";

import type { JsonObject } from "../../../src/core/contract/json.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { type BatchKey, fingerprintResolved, readKeys } from "../../../src/core/gate/read-keys.ts";
import { canonicalJson } from "../../../src/core/kit/json/canonical-json.ts";
import type { Plan } from "../../../src/core/plan/step.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf, planOf } from "../../support/fake-actions.ts";
import { valueOf } from "../../support/unwrap.ts";

const { caller, ports, origin } = new TestWorld().execution([]);
const digest = (said: unknown): string =>
  createHash("sha256")
    .update(canonicalJson(["tester", said]))
    .digest("hex");
const UUID = /^[0-9a-f-]{36}$/;

const keysOf = (plan: Plan, batchKey?: BatchKey) => readKeys(plan, { caller, ports, origin, batchKey });
const PLAIN = planOf([{ id: "a" }]);

/** A plan of one action under a key, sent with this content. */
function keyedPlan(content: JsonObject, { isOpen = false } = {}): Plan {
  const plan = planOf([{ id: "a", tool: contractOf("send", { isWrite: true }) }]);
  const [step] = plan.steps;
  const task = valueOf(step!.task);
  const call = isOpen ? null : { ...task.call!, input: { n: 1 } };
  return {
    ...plan,
    steps: [{ ...step!, keyed: { key: "k", content }, task: { ok: true, value: { ...task, call } } }],
  };
}

describe("The key of a batch", () => {
  const ask = async (key: BatchKey) => (await keysOf(PLAIN, key))!.batch!;

  test("is its kind and its name, and its fingerprint covers who asks and what", async () => {
    expect(await ask({ key: "k", content: { b: 1, a: 2 } })).toEqual({
      key: "batch:k",
      fingerprint: digest({ a: 2, b: 1 }),
      seed: expect.stringMatching(UUID),
    });
    const other = await readKeys(PLAIN, {
      caller: { ...caller, name: "other" },
      ports,
      origin,
      batchKey: { key: "k", content: { b: 1, a: 2 } },
    });
    expect(other!.batch!.fingerprint).not.toBe(digest({ a: 2, b: 1 }));
    const ofSubject = async (subject: string) => {
      const account = { subject, digest: `digest of ${subject}`, site: "https://volley.test" };
      const asked = await readKeys(PLAIN, {
        caller,
        ports,
        origin: { account },
        batchKey: { key: "k", content: { b: 1, a: 2 } },
      });
      return asked!.batch!.key;
    };
    expect([await ofSubject("ada"), await ofSubject("grace")]).toEqual([
      "batch@digest of ada:k",
      "batch@digest of grace:k",
    ]);
  });

  test("is its content where it has no name, and is kept for less long then", async () => {
    const fingerprint = digest({ a: 1 });
    const asked = { key: `repeat:${fingerprint}`, fingerprint, retentionMs: LIMITS.repeatRetentionMs };
    expect(await ask({ key: null, content: { a: 1 } })).toEqual({
      ...asked,
      seed: expect.stringMatching(UUID),
    });
    expect(await ask({ key: null, content: { a: 1 }, isFirst: true })).toMatchObject({
      ...asked,
      fresh: true,
    });
    expect(await ask({ key: "k", content: {}, isFirst: true })).not.toHaveProperty("fresh");
  });

  test("says which part of a turn it is; the first has the key itself", async () => {
    expect((await ask({ key: "k", content: {}, part: 0 })).key).toBe("batch:k");
    expect((await ask({ key: "k", content: {}, part: 2 })).key).toBe("batch 2:k");
    expect((await ask({ key: null, content: {}, part: 1 })).key).toMatch(/^repeat 1:/);
  });

  test("is none where nothing has one", async () => {
    expect(await keysOf(PLAIN)).toBeNull();
    expect(await keysOf(PLAIN, { key: "k", content: {} })).toMatchObject({ actions: [] });
    expect(await keysOf(keyedPlan({ tool: "send" }))).toMatchObject({ batch: null });
  });
});

describe("The key of an action", () => {
  const ask = async (plan: Plan) => (await keysOf(plan))!.actions[0]!;

  test("compares the values that it was sent with, and says how an earlier version would have compared it", async () => {
    const content = { tool: "send", args: { n: 1 }, select: ["/n"] };
    const fingerprint = digest({ tool: "send", args: { n: 1 } });
    expect(await ask(keyedPlan(content))).toEqual({
      index: 0,
      key: "action:k",
      fingerprint,
      former: digest(content),
      seed: expect.stringMatching(UUID),
    });
    expect(await ask(keyedPlan({ tool: "send", args: { n: 1 } }))).not.toHaveProperty("former");
    // An argument that its contract filled in counts as if it had been sent.
    expect((await ask(keyedPlan({ tool: "send", args: {} }))).fingerprint).toBe(fingerprint);
  });

  test("covers when it is to begin and who is told of its end", async () => {
    const more = { callback_url: "https://example.com/", run_at: "2027-12-01T08:00:00Z" };
    const plan = keyedPlan({ tool: "send", args: { n: 1 }, ...more });
    expect((await ask(plan)).fingerprint).toBe(digest({ tool: "send", args: { n: 1 }, ...more }));
  });

  test("is open while its references are not resolved, and by then compares what they turned out to be", async () => {
    const content = { tool: "send", args: { n: { $ref: "a#" } }, select: ["/n"] };
    const plan = keyedPlan(content, { isOpen: true });
    expect(await ask(plan)).toMatchObject({
      open: true,
      fingerprint: digest({ tool: "send", args: { n: { $ref: "a#" } } }),
    });
    expect(await ask(keyedPlan(content))).not.toHaveProperty("open");
    const [step] = plan.steps;
    const call = { ...valueOf(step!.task), input: { n: 1 }, args: {} };
    const one = await fingerprintResolved(step!, { kind: "call", call }, { caller, ports });
    expect(one).toBe(digest({ tool: "send", args: { n: 1 } }));
    const loop = { kind: "loop", calls: [{ ok: true as const, value: call }] } as const;
    expect(await fingerprintResolved(step!, loop, { caller, ports })).toBe(
      digest({ tool: "send", elements: [{ args: { n: 1 } }] }),
    );
  });

  test("of what has none of its own covers the call alone", async () => {
    const [step] = PLAIN.steps;
    const call = { ...valueOf(step!.task), input: { n: 1 }, args: {} };
    expect(await fingerprintResolved(step!, { kind: "call", call }, { caller, ports })).toBe(
      digest({ tool: "plain", args: { n: 1 } }),
    );
  });
});
