import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { ToolDeclaration } from "../../../src/core/catalog/define-tool.ts";
import { makeFailure } from "../../../src/core/contract/failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import type { Outcome } from "../../../src/core/contract/outcome.ts";
import { readKey } from "../../../src/core/plan/same-reads.ts";
import type { Call } from "../../../src/core/plan/step.ts";
import { type CacheLimits, createReadCache, type TenantReads } from "../../../src/core/egress/read-cache.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { trial } from "../../support/trial.ts";

const cached = (name: string, ttlS: number, declaration: Partial<ToolDeclaration> = {}) =>
  contractOf(name, {
    domain: "store",
    orchestration: { mode: "parallel-safe", cache_ttl_s: ttlS },
    ...declaration,
  });
const LOOK = cached("look", 60);
const FAR = cached("far", 60, { domain: "elsewhere" });
const PUT = contractOf("put", { domain: "store", isWrite: true });

const callOf = (tool: Call["tool"], args: object = {}): Call => ({ tool, input: {}, args, timeoutMs: 1_000 });
const success = (data: unknown): Outcome => {
  const json = JSON.stringify(data);
  return { status: "success", data, json, meta: { bytes: json.length } };
};
const LOST: Outcome = { status: "unknown", error: makeFailure("TIMEOUT"), meta: {} };
const BROKEN: Outcome = {
  status: "error",
  error: makeFailure("UPSTREAM_ERROR", { upstreamStatus: 504 }),
  meta: { inDoubt: true },
};
const TROUBLED: Outcome = {
  status: "error",
  error: makeFailure("UPSTREAM_ERROR", { upstreamStatus: 500 }),
  meta: { inDoubt: true },
};
const REFUSED: Outcome = {
  status: "error",
  error: makeFailure("UPSTREAM_ERROR", { upstreamStatus: 422 }),
  meta: {},
};
const DONE = success("done");

function worldOf(limits?: Partial<CacheLimits>) {
  const clock = new VirtualClock();
  const whole = { entries: 100, bytes: 10_000, entryBytes: 1_000, ...limits };
  const cache = createReadCache([LOOK, FAR, PUT], clock, whole)!;
  return { clock, cache, reads: cache.of("acme") };
}

/** The memory that an answer takes. */
function sizeOf(call: Call, outcome: Outcome): number {
  return 2 * (readKey(call).length + (outcome.status === "success" ? outcome.json.length : 0));
}

/** Make a call that ends at once. */
function make(reads: TenantReads, call: Call, outcome: Outcome): void {
  reads.watch(call)?.(outcome);
}

describe("A remembered answer", () => {
  test("is found for equal arguments, with its age, until its time is over", async () => {
    const { clock, reads } = worldOf();
    make(reads, callOf(LOOK, { a: 1, b: 2 }), success({ n: 1 }));
    await clock.advance(59_999);
    expect(reads.find(callOf(LOOK, { b: 2, a: 1 }))).toEqual({ json: '{"n":1}', bytes: 7, ageMs: 59_999 });
    await clock.advance(1);
    expect(reads.find(callOf(LOOK, { a: 1, b: 2 }))).toBeNull();
  });

  test("is as old as the question, not as its arrival", async () => {
    const { clock, reads } = worldOf();
    const end = reads.watch(callOf(LOOK))!;
    await clock.advance(40_000);
    end(success(1));
    expect(reads.find(callOf(LOOK))).toMatchObject({ ageMs: 40_000 });
    await clock.advance(20_000);
    expect(reads.find(callOf(LOOK))).toBeNull();
  });

  test("is not found for other arguments, another tool or another tenant", () => {
    const { cache, reads } = worldOf();
    make(reads, callOf(LOOK, { n: 1 }), success(1));
    expect(reads.find(callOf(LOOK, { n: 2 }))).toBeNull();
    expect(reads.find(callOf(FAR, { n: 1 }))).toBeNull();
    expect(cache.of("other").find(callOf(LOOK, { n: 1 }))).toBeNull();
    expect(cache.of("acme").find(callOf(LOOK, { n: 1 }))).not.toBeNull();
  });

  test("is replaced by a newer one, never by an older one", async () => {
    const { clock, reads } = worldOf();
    const slow = reads.watch(callOf(LOOK))!;
    await clock.advance(10);
    make(reads, callOf(LOOK), success("first"));
    slow(success("older"));
    expect(reads.find(callOf(LOOK))).toMatchObject({ json: '"first"', ageMs: 0 });
    make(reads, callOf(LOOK), success("second"));
    expect(reads.find(callOf(LOOK))).toMatchObject({ json: '"second"' });
  });

  test("is gone when the clock was set back to before it", () => {
    const { clock, reads } = worldOf();
    make(reads, callOf(LOOK), success(1));
    clock.jump(-1);
    expect(reads.find(callOf(LOOK))).toBeNull();
    clock.jump(1);
    expect(reads.find(callOf(LOOK))).toBeNull();
  });

  test("never is a failure, nor what a tool without cache_ttl_s said", () => {
    const { reads } = worldOf();
    make(reads, callOf(LOOK), { status: "error", error: makeFailure("NOT_FOUND"), meta: {} });
    expect(reads.find(callOf(LOOK))).toBeNull();
    const plain = contractOf("plain", { domain: "store" });
    expect(reads.watch(callOf(plain))).toBeUndefined();
    expect(reads.find(callOf(plain))).toBeNull();
  });
});

describe("The cache", () => {
  test("does not exist where no tool asks for it", () => {
    expect(createReadCache([PUT, contractOf("plain")], new VirtualClock())).toBeNull();
  });

  test("drops what was not used for longest when there are too many answers, whosever they are", () => {
    const { cache, reads } = worldOf({ entries: 3 });
    const other = cache.of("other");
    make(reads, callOf(LOOK, { n: 1 }), success(1));
    make(other, callOf(LOOK, { n: 2 }), success(2));
    make(reads, callOf(FAR, { n: 3 }), success(3));
    reads.find(callOf(LOOK, { n: 1 }));
    make(reads, callOf(LOOK, { n: 4 }), success(4));
    expect(other.find(callOf(LOOK, { n: 2 }))).toBeNull();
    expect(reads.find(callOf(LOOK, { n: 1 }))).not.toBeNull();
    make(reads, callOf(LOOK, { n: 5 }), success(5));
    expect(reads.find(callOf(FAR, { n: 3 }))).toBeNull();
  });

  test("drops as many as a large answer needs, and takes none that is too large", () => {
    const { reads } = worldOf({ bytes: 1_000, entryBytes: 900 });
    for (let n = 0; n < 5; n += 1) make(reads, callOf(LOOK, { n }), success("x".repeat(50)));
    make(reads, callOf(LOOK, { n: "large" }), success("x".repeat(380)));
    const kept = [0, 1, 2, 3, 4, "large"].filter((n) => reads.find(callOf(LOOK, { n })) !== null);
    expect(kept).toEqual([4, "large"]);

    make(reads, callOf(LOOK, { n: 4 }), success("x".repeat(450)));
    expect(reads.find(callOf(LOOK, { n: 4 }))).toBeNull();
    expect(reads.find(callOf(LOOK, { n: "large" }))).not.toBeNull();
  });

  test("takes an answer that has exactly the room, and no larger one", () => {
    // A key and a text of so many characters take two bytes for each.
    const { clock, reads } = worldOf();
    make(reads, callOf(LOOK), success("x".repeat(100)));
    expect(reads.find(callOf(LOOK))).not.toBeNull();
    const bytes = sizeOf(callOf(LOOK), success("x".repeat(100)));
    for (const [limits, isKept] of [
      [{ bytes }, true],
      [{ bytes: bytes - 1 }, false],
      [{ entryBytes: bytes }, true],
      [{ entryBytes: bytes - 1 }, false],
    ] as const) {
      const cache = createReadCache([LOOK], clock, {
        entries: 9,
        bytes: 10_000,
        entryBytes: 1_000,
        ...limits,
      })!;
      make(cache.of("acme"), callOf(LOOK), success("x".repeat(100)));
      expect([limits, cache.of("acme").find(callOf(LOOK)) !== null]).toEqual([limits, isKept]);
    }
  });

  test("gives back the room of what was replaced, expired and cleared", async () => {
    const { clock, reads } = worldOf({ bytes: 300 });
    const fill = (n: number): void => make(reads, callOf(LOOK, { n }), success("x".repeat(100)));
    for (let round = 0; round < 5; round += 1) {
      fill(1);
      fill(1);
      expect(reads.find(callOf(LOOK, { n: 1 }))).not.toBeNull();
      await clock.advance(60_000);
      expect(reads.find(callOf(LOOK, { n: 1 }))).toBeNull();
      fill(2);
      expect(reads.find(callOf(LOOK, { n: 2 }))).not.toBeNull();
      make(reads, callOf(PUT), DONE);
    }
  });
});

describe("A write", () => {
  test("clears its domain of its tenant when it begins, and nothing else", () => {
    const { cache, reads } = worldOf();
    const other = cache.of("other");
    for (const tenant of [reads, other]) make(tenant, callOf(LOOK), success(1));
    make(reads, callOf(FAR), success(1));
    reads.watch(callOf(PUT));
    expect(reads.find(callOf(LOOK))).toBeNull();
    expect(reads.find(callOf(FAR))).not.toBeNull();
    expect(other.find(callOf(LOOK))).not.toBeNull();
  });

  test.each<[string, (begin: { read: () => void; write: () => void }) => void]>([
    ["the read began first", ({ read, write }) => (read(), write())],
    ["the write began first", ({ read, write }) => (write(), read())],
  ])("keeps a read across it from being remembered when %s", (_, order) => {
    for (const readEndsFirst of [true, false]) {
      const { reads } = worldOf();
      const ends: Record<string, ((outcome: Outcome) => void) | undefined> = {};
      order({
        read: () => void (ends["read"] = reads.watch(callOf(LOOK))),
        write: () => void (ends["write"] = reads.watch(callOf(PUT))),
      });
      for (const name of readEndsFirst ? ["read", "write"] : ["write", "read"]) ends[name]?.(DONE);
      expect(reads.find(callOf(LOOK))).toBeNull();
      make(reads, callOf(LOOK), success("new"));
      expect(reads.find(callOf(LOOK))).toMatchObject({ json: '"new"' });
    }
  });

  test("that was lost, or answered with a 5xx, keeps its domain out of the cache for as long as it may take effect", async () => {
    for (const told of [LOST, BROKEN, TROUBLED, null]) {
      const { clock, reads } = worldOf();
      const end = reads.watch(callOf(PUT))!;
      if (told !== null) end(told);
      make(reads, callOf(LOOK), success("old"));
      await clock.advance(LIMITS.maxDeadlineMs + 999);
      make(reads, callOf(LOOK), success("old"));
      expect(reads.find(callOf(LOOK))).toBeNull();
      const across = reads.watch(callOf(LOOK));
      await clock.advance(1);
      across?.(success("old"));
      expect(reads.find(callOf(LOOK))).toBeNull();
      make(reads, callOf(LOOK), success("new"));
      expect(reads.find(callOf(LOOK))).toMatchObject({ json: '"new"' });
    }
  });

  test("that was refused, or was never sent, is over", () => {
    for (const outcome of [REFUSED, { ...REFUSED, error: makeFailure("CANCELLED") } as Outcome]) {
      const { reads } = worldOf();
      make(reads, callOf(PUT), outcome);
      make(reads, callOf(LOOK), success(1));
      expect(reads.find(callOf(LOOK))).not.toBeNull();
    }
  });

  test("that is told to be over after its time was up clears its domain again", async () => {
    const { clock, reads } = worldOf();
    const end = reads.watch(callOf(PUT))!;
    await clock.advance(LIMITS.maxDeadlineMs + 1_000);
    make(reads, callOf(LOOK, { n: 1 }), success("old"));
    const across = reads.watch(callOf(LOOK, { n: 2 }))!;
    end(DONE);
    across(success("old"));
    expect([1, 2].map((n) => reads.find(callOf(LOOK, { n })))).toEqual([null, null]);
  });

  test("of a tool that was added while running counts before anything of its domain was read", () => {
    const { reads } = worldOf();
    const own = { added: { json: "{}", fingerprint: "f" } };
    const write = { ...contractOf("their-put", { isWrite: true, domain: "theirs" }), ...own };
    const read = { ...cached("their-look", 60, { domain: "theirs" }), ...own };
    const end = reads.watch(callOf(write))!;
    make(reads, callOf(read), success("old"));
    expect(reads.find(callOf(read))).toBeNull();
    end(DONE);
    make(reads, callOf(read), success("new"));
    expect(reads.find(callOf(read))).toMatchObject({ json: '"new"' });
  });

  test("of a domain in which nothing is remembered is not watched", () => {
    const { reads } = worldOf();
    expect(reads.watch(callOf(contractOf("post", { isWrite: true, domain: "mail" })))).toBeUndefined();
  });
});

trial("whatever overlaps, ends or is lost, what is found is what the upstream would say now", async () => {
  const event = fc.record({
    kind: fc.constantFrom(
      "read",
      "read",
      "read",
      "find",
      "find",
      "find",
      "find",
      "write",
      "lose",
      "wait",
      "wait",
    ),
    n: fc.nat(1),
    ms: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 400 })),
    effect: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 20, maxLength: 40 }), async (events) => {
      const { clock, reads } = worldOf();
      let version = 0;
      for (const { kind, n, ms, effect } of events) {
        const call = callOf(kind === "write" || kind === "lose" ? PUT : LOOK, { n });
        if (kind === "wait") await clock.advance(ms < 200 ? ms : ms * 200);
        else if (kind === "find") {
          const answer = reads.find(call);
          if (answer !== null) found += 1;
          expect(answer === null || answer.json === String(version)).toBe(true);
        } else {
          const end = reads.watch(call);
          let seen = version;
          const lastingMs = kind === "lose" ? LIMITS.maxDeadlineMs + call.timeoutMs - 1 : ms;
          clock.after(lastingMs * effect, () => {
            if (kind !== "read") version += 1;
            seen = version;
          });
          // Some lost ends are told, soon, and some never.
          if (kind !== "lose") clock.after(lastingMs, () => end?.(success(seen)));
          else if (n === 0) clock.after(Math.min(ms, lastingMs), () => end?.(ms % 2 === 0 ? LOST : BROKEN));
        }
        await clock.advance(ms % 20);
      }
    }),
    { numRuns: 500 },
  );
  expect(found).toBeGreaterThan(100);
});
