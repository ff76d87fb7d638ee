import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";
import { answering, countCode, resultsOf, times, wideObject } from "./hostile-data.ts";

const WIDE = { id: "wide", tool: "probe-any", args: { path: "/wide" } };

/** 49 loops of 25 elements, each of which refers to something that is not there. */
function missing(toPointer: (element: number) => string): object[] {
  const references = times(25, (element) => ({ $ref: `wide#${toPointer(element)}` }));
  return times(49, (n) => ({
    tool: "probe-search",
    args: { q: "x", d: references[n % 25] },
    for_each: times(25, (element) => element),
  }));
}

/** Attacks that make a hint look at many names, or at long ones. */
export const HINT_ATTACKS: readonly Attack[] = [
  {
    title: "hints: 1,225 references that miss among 8,000 keys",
    run: async ({ upstream, execute }) => {
      upstream.script("/wide", answering(wideObject(8_000)));
      const answer = await execute({ actions: [WIDE, ...missing((element) => `/propertie_${element}`)] });
      assert.equal(countCode(answer, "BAD_REFERENCE"), 49);
    },
  },
  {
    title: "hints: 1,225 references that miss beside one key of 1 MB",
    run: async ({ upstream, execute }) => {
      upstream.script("/wide", answering({ ["k".repeat(1_000_000)]: 1 }));
      const answer = await execute({ actions: [WIDE, ...missing(() => "/kkkkkkkkkk")] });
      assert.equal(countCode(answer, "BAD_REFERENCE"), 49);
    },
  },
  {
    title: "hints: 1,225 different references that miss among 40,000 keys",
    run: async ({ upstream, execute }) => {
      upstream.script("/wide", answering(wideObject(40_000)));
      const readers = times(49, (n) => ({
        tool: "probe-search",
        args: { q: "x", d: { $ref: `wide#/missing_${n}` } },
        for_each: times(25, (element) => element),
      }));
      const answer = await execute({ actions: [WIDE, ...readers] });
      assert.equal(countCode(answer, "BAD_REFERENCE"), 49);
    },
  },
  {
    title: "hints: references to 50 unknown actions with long ids and pointers",
    run: async ({ execute }) => {
      const actions = times(50, (n) => ({
        id: `${"i".repeat(60)}${n}`,
        tool: "probe-search",
        args: { q: { $ref: `${"j".repeat(60)}${n}#/${"p".repeat(4_800)}` } },
      }));
      assert.equal(countCode(await execute({ actions }), "BAD_REFERENCE"), 50);
    },
  },
  {
    title: "hints: 50 unknown tools with names of 5,000 letters",
    run: async ({ execute }) => {
      const actions = times(50, (n) => ({ tool: `${"probe-echo".repeat(500)}${n}` }));
      assert.equal(countCode(await execute({ actions }), "UNKNOWN_TOOL"), 50);
    },
  },
  {
    title: "hints: 20,000 unknown fields of a batch",
    run: async ({ execute }) => {
      const fields = Object.fromEntries(times(18_000, (n) => [`act${n}`, 0]));
      const answer = await execute({ actions: [{ tool: "probe-echo" }], ...fields });
      assert.equal(answer.status, 422);
    },
  },
  {
    title: "hints: 18,000 unknown fields of actions and arguments",
    run: async ({ execute }) => {
      const fields = (count: number) => Object.fromEntries(times(count, (n) => [`arg${n}`, 0]));
      const actions = [
        ...times(2, () => ({ tool: "probe-echo", args: fields(5_000) })),
        { tool: "probe-echo", ...fields(6_000) },
      ];
      assert.deepEqual(
        resultsOf(await execute({ actions })).map(({ error }) => error?.code),
        ["INVALID_ARGS", "INVALID_ARGS", "INVALID_ACTION"],
      );
    },
  },
  {
    title: "hints: a discovery with 8 queries of 500 letters and 100 unknown filters",
    run: async ({ send }) => {
      const answer = await send("/v1/discover_tools", {
        query: "weather probe ".repeat(35),
        queries: times(8, (n) => `${n} serch probe wether `.repeat(23)),
        categories: times(50, (n) => `${"prob".repeat(500)}${n}`),
        actions: times(50, (n) => `${"serch".repeat(400)}${n}`),
      });
      assert.equal(answer.status, 200);
    },
  },
];
