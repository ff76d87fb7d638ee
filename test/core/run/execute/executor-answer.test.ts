import fc from "fast-check";
import * as z from "zod";
import { describe, expect, test } from "vitest";

import { AnswerBudget, toResultJson } from "../../../../src/core/answer/envelope.ts";
import type { ToolDeclaration } from "../../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { TestWorld, type WireEnvelope, type WireResult } from "../../../support/execute-batch.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { FakeBody } from "../../../support/fake-upstream.ts";
import { trial } from "../../../support/trial.ts";

const MEGABYTE = 1024 * 1024;
const ELEMENTS = Array.from({ length: LIMITS.loopElements }, (_, n) => n);

/** A tool that answers with so many letters, of any kind. */
function letters(name: string, declaration: Partial<ToolDeclaration> = {}) {
  const calls: unknown[] = [];
  const tool = contractOf(name, {
    input: z.strictObject({ size: z.int(), n: z.unknown().optional(), letter: z.string().default("x") }),
    run: async (args) => {
      calls.push(args);
      const { size, letter } = args as { size: number; letter: string };
      return { text: letter.repeat(size) };
    },
    ...declaration,
  });
  return { tool, calls };
}

const read = letters("read").tool;
const write = letters("write", { isWrite: true, domain: "other" }).tool;
const TOOLS = [read, write];

const one = (size: number, more: object = {}): object => ({ tool: "read", args: { size }, ...more });
const wrote = (size: number, n: number, more: object = {}): object => ({
  tool: "write",
  args: { size, n },
  ...more,
});

async function answer(body: object, world = new TestWorld()) {
  const ran = await world.execute(TOOLS, body);
  if (!ran.ok) throw new Error("It was refused");
  const { json } = ran.value;
  const bytes = Buffer.byteLength(json);
  expect(bytes).toBeLessThanOrEqual(LIMITS.answerBytes);
  return { bytes, ...(JSON.parse(json) as WireEnvelope) };
}

const codesOf = (results: readonly WireResult[]) => results.map(({ status, error }) => error?.code ?? status);

interface Entry {
  readonly status: string;
  readonly data?: { readonly text?: string };
  readonly error?: { readonly code: string };
}

describe("P6: T27 An answer has 16 MiB", () => {
  test("actions beyond are RESPONSE_TOO_LARGE, in the order asked; small ones stay whole", async () => {
    const large = Array.from({ length: 40 }, () => one(MEGABYTE));
    const { results, summary } = await answer({ actions: [...large, one(4_000), one(1)] });

    expect(codesOf(results)).toEqual([
      ...Array.from({ length: 15 }, () => "success"),
      ...Array.from({ length: 25 }, () => "RESPONSE_TOO_LARGE"),
      "success",
      "success",
    ]);
    expect(summary).toMatchObject({ ok: 17, error: 25 });
    expect(results[20]?.error).toMatchObject({ retryable: false, hint: expect.stringMatching(/select\.$/) });
  });

  trial("18 reads of 900 KiB fit", async () => {
    const { results } = await answer({ actions: Array.from({ length: 20 }, (_, n) => one(900 * 1024 - n)) });

    expect(codesOf(results).filter((code) => code === "success")).toHaveLength(18);
  });

  trial(
    "elements of loops beyond are RESPONSE_TOO_LARGE one by one, and no copy is put together",
    async () => {
      const loops = Array.from({ length: 50 }, () => one(MEGABYTE, { for_each: ELEMENTS }));
      const { results } = await answer({ actions: loops });

      const first = results[0]!.data as Entry[];
      expect(first.map(({ status, error }) => error?.code ?? status)).toEqual([
        ...Array.from({ length: 14 }, () => "success"),
        ...Array.from({ length: 11 }, () => "RESPONSE_TOO_LARGE"),
      ]);
      expect(first[3]?.data?.text).toHaveLength(MEGABYTE);
      expect(results[0]!.meta).toMatchObject({ items: { total: 25, ok: 14, error: 11 } });
      expect(new Set(codesOf(results.slice(1)))).toEqual(new Set(["RESPONSE_TOO_LARGE"]));
    },
  );

  trial("a step that needs what had no room is skipped", async () => {
    const { results } = await answer({
      actions: [
        ...Array.from({ length: 20 }, (_, n) => one(MEGABYTE, { id: `r${n}` })),
        { id: "after", tool: "read", args: { size: 1, letter: { $ref: "r19#/text" } } },
      ],
    });

    expect(results.at(-1)).toMatchObject({ status: "skipped", because: "r19" });
  });

  trial("a write that happened stays a success; its data is empty and says that it was cut", async () => {
    const writes = Array.from({ length: 20 }, (_, n) => wrote(MEGABYTE, n, { id: `w${n}` }));
    const { results } = await answer({
      actions: [
        ...writes,
        { id: "after", tool: "read", args: { size: 1, n: { $ref: "w19#/text" } }, depends_on: ["w18"] },
      ],
    });

    expect(codesOf(results.slice(0, 20))).toEqual(Array.from({ length: 20 }, () => "success"));
    expect(results[19]).toMatchObject({
      data: {},
      meta: { truncated: { tokens_before: expect.any(Number), fields_dropped: 1, at: [""] } },
    });
    // More than arguments may have: what it refers to is there, whole.
    expect(results[20]).toMatchObject({ error: { code: "INVALID_ARGS" } });
  });

  trial("elements of a loop of writes stay successes, and the loop says which were cut", async () => {
    const loop = wrote(MEGABYTE, 1, { for_each: ELEMENTS });
    const { results } = await answer({ actions: [loop] });

    const entries = results[0]!.data as Entry[];
    expect(entries.every(({ status }) => status === "success")).toBe(true);
    expect(entries[24]).toEqual({ index: 24, status: "success", data: {} });
    expect(results[0]!.meta).toMatchObject({
      items: { ok: 25, error: 0 },
      truncated: { fields_dropped: 10, at: ["/15/data", "/16/data", "/17/data", "/18/data", "/19/data"] },
    });
  });

  trial("what is selected is charged as it is shown", async () => {
    const small = Array.from({ length: 40 }, () => one(MEGABYTE, { select: ["/none"] }));
    const whole = Array.from({ length: 10 }, () => one(MEGABYTE, { select: ["/text"], for_each: ELEMENTS }));

    expect(new Set(codesOf((await answer({ actions: small })).results))).toEqual(new Set(["success"]));
    const { results } = await answer({ actions: [...whole, one(1, { select: ["/text"] })] });
    expect(results.at(-1)).toMatchObject({ status: "success", data: { text: "x" } });
    expect(codesOf(results).filter((code) => code === "RESPONSE_TOO_LARGE")).toHaveLength(9);
  });

  trial("bytes are charged, not characters", async () => {
    const { results } = await answer({
      actions: Array.from({ length: 12 }, () => ({
        tool: "read",
        args: { size: MEGABYTE / 2, letter: "漢" },
      })),
    });

    expect(codesOf(results).filter((code) => code === "success")).toHaveLength(10);
  });

  test("what succeeded of a loop that failed is charged too", async () => {
    const failFast = letters("fast", {
      orchestration: { mode: "parallel-safe", on_error: "fail-fast" },
    }).tool;
    const world = new TestWorld();
    const envelope = await world.execute([failFast], {
      actions: Array.from({ length: 30 }, () => ({
        tool: "fast",
        args: { size: { $ref: "item#" } },
        for_each: [MEGABYTE, MEGABYTE, "no number"],
      })),
    });

    if (!envelope.ok) throw new Error("It was refused");
    expect(Buffer.byteLength(envelope.value.json)).toBeLessThanOrEqual(LIMITS.answerBytes);
  });

  trial("a batch under a key is answered, and replayed as it was kept", async () => {
    const world = new TestWorld();
    const body = { actions: [wrote(1, 1), one(MEGABYTE, { for_each: ELEMENTS })] };
    const batchKey = { key: "k", content: body };
    const ran = await world.execute(TOOLS, body, { batchKey });

    expect(ran).toMatchObject({ ok: true });
    if (ran.ok) expect(Buffer.byteLength(ran.value.json)).toBeLessThanOrEqual(LIMITS.answerBytes);
  });

  trial("what is told as it happens has as much, and so has the end", async () => {
    const world = new TestWorld();
    let told = 0;
    const onOutcome = (...result: Parameters<typeof toResultJson>): void => {
      told += Buffer.byteLength(toResultJson(...result));
    };
    const ran = await world.execute(
      TOOLS,
      { actions: Array.from({ length: 40 }, () => one(MEGABYTE)) },
      { listener: { onOutcome } },
    );

    if (!ran.ok) throw new Error("It was refused");
    expect(told).toBeLessThanOrEqual(LIMITS.answerBytes);
    expect(Buffer.byteLength(ran.value.json)).toBeLessThanOrEqual(LIMITS.answerBytes);
  });

  test("one budget that several batches share is shared", async () => {
    const budget = new AnswerBudget(2);
    const actions = Array.from({ length: 5 }, () => one(MEGABYTE));
    const first = await new TestWorld().run(TOOLS, { actions }, { within: { answer: budget } });
    const second = await new TestWorld().run(TOOLS, { actions }, { within: { answer: budget } });

    expect(first.summary).toMatchObject({ ok: 5 });
    expect(second.summary).toMatchObject({ ok: 1, error: 4 });
  });

  trial("whatever is asked, every action has its result and all of them fit", async () => {
    const size = fc.constantFrom(1, 5_000, 100_000, MEGABYTE);
    const action = fc
      .record({ size, isWrite: fc.boolean(), isLoop: fc.boolean(), selects: fc.boolean() })
      .map(({ size, isWrite, isLoop, selects }) => ({
        tool: isWrite ? "write" : "read",
        args: { size },
        ...(isLoop && { for_each: ELEMENTS }),
        ...(selects && { select: ["/text", "/none"] }),
      }));
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (actions) => {
        const { results } = await answer({ actions });

        expect(results).toHaveLength(actions.length);
        for (const [index, { status, error }] of results.entries()) {
          if (actions[index]!.tool === "write") expect(status).toBe("success");
          else if (status !== "success") expect(error?.code).toBe("RESPONSE_TOO_LARGE");
          if (actions[index]!.args.size === 1 && !actions[index]!.for_each) expect(status).toBe("success");
        }
      }),
      { numRuns: 10 },
    );
  });
});

trial("P6: T30 endless bodies take nothing from a small read and a write beside them", async () => {
  const get = contractOf("get", {
    input: z.strictObject({ path: z.string() }),
    hosts: ["a.example.com"],
    run: async ({ path }, { fetch }) =>
      (await fetch(`https://a.example.com${String(path)}`, { method: "GET" })).text(),
  });
  const post = contractOf("post", {
    isWrite: true,
    hosts: ["a.example.com"],
    run: async (_, { fetch }) => (await fetch("https://a.example.com/write", { method: "POST" })).text(),
  });
  const world = new TestWorld();
  world.fetch = async (url) => {
    if (!url.includes("endless")) return new Response(new FakeBody(["y".repeat(60_000)]).stream);
    const chunk = "x".repeat(16_384);
    const body = (function* () {
      for (;;) yield chunk;
    })();
    return new Response(new FakeBody(body).stream);
  };
  const endless = Array.from({ length: 48 }, (_, n) => ({ tool: "get", args: { path: `/endless${n}` } }));
  const { results } = await world.run([get, post], {
    actions: [...endless, { tool: "get", args: { path: "/small" } }, { tool: "post" }],
  });

  expect(new Set(codesOf(results.slice(0, 48)))).toEqual(new Set(["RESPONSE_TOO_LARGE"]));
  expect(codesOf(results.slice(48))).toEqual(["success", "success"]);
});
