import assert from "node:assert/strict";

import type { Attack, Target } from "./attack.ts";
import { answering, countCode, times } from "./hostile-data.ts";

/** 49 loops of 25 elements that all put a part of one answer into their arguments. */
async function multiply({ upstream, execute }: Target, data: unknown, value: unknown, tool = "grep") {
  upstream.script("/big", answering(data));
  const loops = times(49, (n) => ({
    tool,
    args: { n, element: { $ref: "item#" }, value },
    for_each: times(25, (element) => element),
  }));
  return execute({ actions: [{ id: "big", tool: "probe-any", args: { path: "/big" } }, ...loops] });
}

/** Attacks that make arguments larger than they were sent. */
export const ARGUMENT_ATTACKS: readonly Attack[] = [
  {
    title: "arguments: a text of 62 KB in 1,225 calls",
    run: async (target) => {
      const data = { text: "x".repeat(62_000) };
      const answer = await multiply(target, data, { $ref: "big#/text" });
      assert.ok(countCode(answer, "INVALID_ARGS") > 40);
    },
  },
  {
    title: "arguments: a list of 30,000 numbers in 1,225 calls",
    run: async (target) => {
      const answer = await multiply(target, { list: times(30_000, () => 0) }, { $ref: "big#/list" });
      assert.ok(countCode(answer, "INVALID_ARGS") > 40);
    },
  },
  {
    title: "arguments: a template of an object of 60 KB in 1,225 calls",
    run: async (target) => {
      const data = { list: times(20_000, (n) => n % 10) };
      const answer = await multiply(target, data, { $template: "list: {{big#/list}}" });
      assert.ok(countCode(answer, "INVALID_ARGS") > 40);
    },
  },
  {
    title: "arguments: 1,225 templates of 100 references to 1 MB",
    run: async (target) => {
      const data = { text: "x".repeat(1_000_000) };
      const answer = await multiply(target, data, { $template: "{{big#/text}}".repeat(100) });
      assert.ok(countCode(answer, "INVALID_ARGS") >= 49);
    },
  },
  {
    title: "arguments: 1,225 templates of an object of 1 MB",
    run: async (target) => {
      const data = { list: times(200_000, () => 1) };
      const answer = await multiply(target, data, { $template: "list: {{big#/list}}" });
      assert.ok(countCode(answer, "INVALID_ARGS") >= 49);
    },
  },
  {
    title: "arguments: four loops over 60 KB of references each",
    run: async ({ upstream, execute }) => {
      upstream.script("/one", answering({ n: 1 }));
      const loops = times(4, () => ({
        tool: "grep",
        args: { element: { $ref: "item#" }, list: times(2_700, () => ({ $ref: "one#/n" })) },
        for_each: times(25, (element) => element),
      }));
      const answer = await execute({
        actions: [{ id: "one", tool: "probe-any", args: { path: "/one" } }, ...loops],
      });
      assert.equal(answer.status, 200);
    },
  },
  {
    title: "arguments: four loops over a reference of 60 KB",
    run: async ({ upstream, execute }) => {
      upstream.script("/one", answering({ n: 1 }));
      const loops = times(4, () => ({
        tool: "grep",
        args: { element: { $ref: "item#" }, deep: { $ref: `one#${"/a".repeat(30_000)}` } },
        for_each: times(25, (element) => element),
      }));
      const answer = await execute({
        actions: [{ id: "one", tool: "probe-any", args: { path: "/one" } }, ...loops],
      });
      assert.equal(countCode(answer, "BAD_REFERENCE"), 4);
    },
  },
  {
    title: "arguments: 1,225 references to 64 KB elements of wrong type",
    run: async (target) => {
      const list = times(30_000, () => true);
      const answer = await multiply(target, { list }, { $ref: "big#/list" }, "rerank");
      assert.ok(countCode(answer, "INVALID_ARGS") >= 49);
    },
  },
  {
    title: "arguments: handles of 1 MB, as many as a batch can name",
    run: async ({ upstream, execute }) => {
      upstream.script("/big", answering({ list: times(250_000, () => 1) }));
      const reads = times(15, (n) => ({ tool: "probe-any", args: { path: `/big?${n}` } }));
      const cut = await execute({ actions: reads, max_tokens: 300 });
      const handles = [...cut.text.matchAll(/"handle":"([^"]+)"/g)].map(([, handle]) => handle!);
      const unknown = times(3_000, (n) => `r-00000000-0000-4000-8000-${String(n).padStart(12, "0")}`);
      const answer = await execute({
        actions: [
          { tool: "probe-echo", args: { n: { $ref: `${handles[0]}#/list/0` } } },
          { tool: "grep", args: { list: handles.map((handle) => ({ $ref: `${handle}#/list/0` })) } },
          { tool: "grep", args: { list: unknown.slice(0, 1_000).map((handle) => ({ $ref: `${handle}#` })) } },
          ...times(40, (n) => ({ tool: "grep", args: { n: { $ref: `${unknown[1_000 + n]}#` } } })),
        ],
      });
      assert.equal(answer.status, 200);
    },
  },
];
