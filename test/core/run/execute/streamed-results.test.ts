import fc from "fast-check";
import * as z from "zod";
import { expect, test } from "vitest";

import type { Tool } from "../../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../../src/core/catalog/tool-failure.ts";
import { toResultJson } from "../../../../src/core/answer/envelope.ts";
import { TestWorld, type WireEnvelope, type WireResult } from "../../../support/execute-batch.ts";
import { contractOf } from "../../../support/fake-actions.ts";
import { samples } from "../../../support/samples.ts";
import { trial } from "../../../support/trial.ts";

/** A world with a tool of each kind, whose calls take and answer as their arguments say. */
function createWorld(): { readonly world: TestWorld; readonly tools: readonly Tool[] } {
  const world = new TestWorld();
  world.fetch = async (url) => {
    const { searchParams } = new URL(url);
    await world.clock.sleep(Number(searchParams.get("ms")));
    if (searchParams.get("end") === "lost") throw new Error("The connection broke");
    return Response.json({ id: "i1", list: [1, 2], text: "word ".repeat(60) });
  };
  const tool = (name: string, declared: Partial<Parameters<typeof contractOf>[1]> = {}): Tool =>
    contractOf(name, {
      hosts: ["api.example.com"],
      domain: name,
      input: z.looseObject({
        ms: z.int().default(5),
        end: z.string().optional(),
        id: z.unknown().optional(),
      }),
      run: async (args, { fetch }) => {
        const { ms, end } = args as { ms: number; end?: string };
        if (end === "refused") throw new ToolFailure("NOT_FOUND");
        return (await fetch(`https://api.example.com/?ms=${ms}&end=${end}`, { method: "POST" })).json();
      },
      ...declared,
    });
  const write = { isWrite: true, actions: ["update"] };
  return {
    world,
    tools: [
      tool("read", {
        orchestration: { mode: "fan-out-bounded", max_concurrency: 2, cache_ttl_s: 5 },
      }),
      tool("write", {
        ...write,
        orchestration: { mode: "parallel-safe", verify_with: { tool: "find", args: { id: "/id" } } },
      }),
      tool("repeated", { ...write, idempotent: true }),
      tool("later", { ...write, execution: "fire-and-forget" }),
      tool("asked", { ...write, actions: ["delete"] }),
      tool("find"),
    ],
  };
}

const action = fc.record(
  {
    tool: fc.constantFrom("read", "read", "write", "repeated", "later", "asked", "none"),
    args: fc.record(
      {
        ms: fc.constantFrom(0, 5, 40, 400),
        end: fc.constantFrom("lost", "refused"),
        id: fc.constantFrom({ $ref: "before#/id" }, { $ref: "before#/none" }, "x", "{{before#/id}}"),
      },
      { requiredKeys: [] },
    ),
    select: fc.constantFrom(["/none"], ["/id", "/none"], ["/text"]),
    for_each: fc.constantFrom([1, 2], [], { $ref: "before#/list" }),
    depends_on: fc.constant(["before"]),
    idempotency_key: fc.constant("key of before"),
  },
  { requiredKeys: ["tool", "args"] },
);

/** Give each action the id of the one before it, to refer to. */
function chain(actions: readonly object[]): readonly object[] {
  return actions.map(
    (one, at) => JSON.parse(JSON.stringify(one).replaceAll("before", `a${at - 1}`)) as object,
  );
}

const batch = fc.record(
  {
    actions: fc.array(action, { minLength: 1, maxLength: 8 }).map(chain),
    on_error: fc.constantFrom("fail-fast", "partial-success"),
    deadline_ms: fc.constantFrom(20, 200, 15_000),
    max_tokens: fc.constantFrom(50, 5_000),
  },
  { requiredKeys: ["actions"] },
);

/** Leave of a result the parts in which the two must agree: all without the parts that `max_tokens` cut from either. */
function essenceOf(result: WireResult, isCut: boolean): unknown {
  if (!isCut) return result;
  const { truncated: _, handle: __, ...meta } = result.meta as Record<string, unknown>;
  return { ...result, data: null, meta };
}

const isCut = ({ meta }: WireResult): boolean => "truncated" in meta;

/** Run a batch, and give what was streamed beside what the answer says. */
async function run(body: object, isDown: boolean): Promise<{ streamed: WireResult[]; done: WireResult[] }> {
  const { world, tools } = createWorld();
  world.gate.down = isDown;
  const streamed: WireResult[] = [];
  const listener = {
    onOutcome: (...[step, outcome]: Parameters<typeof toResultJson>) =>
      void streamed.push(JSON.parse(toResultJson(step, outcome)) as WireResult),
  };
  const answer = await world.execute(tools, body, { listener });
  await world.drain();
  if (!answer.ok) return { streamed: [], done: [] };
  const { results } = JSON.parse(answer.value.json) as WireEnvelope;
  return { streamed: streamed.toSorted((a, b) => a.index - b.index), done: [...results] };
}

trial(
  "for any batch, each result that is streamed is the one of the answer, but for what max_tokens cuts",
  async () => {
    await fc.assert(
      fc.asyncProperty(batch, fc.boolean(), async (body, isDown) => {
        const { streamed, done } = await run(body, isDown);
        expect(streamed.map((one, at) => essenceOf(one, isCut(one) || isCut(done[at]!)))).toEqual(
          done.map((one, at) => essenceOf(one, isCut(one) || isCut(streamed[at]!))),
        );
      }),
      { numRuns: samples(1_000) },
    );
  },
);

test("a write whose selection found nothing is streamed with its handle, of a loop too", async () => {
  const { streamed, done } = await run(
    {
      actions: [
        { tool: "write", args: {}, select: ["/none"] },
        { tool: "repeated", for_each: [1, 2], args: {}, select: ["/none"] },
      ],
    },
    false,
  );
  expect(streamed).toEqual(done);
  expect(streamed.map(({ meta }) => meta)).toMatchObject([
    { handle: expect.stringMatching(/^r-/) },
    { handle: expect.stringMatching(/^r-/) },
  ]);
});
