import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";
import { answering, longRows, resultsOf, times, wideObject } from "./hostile-data.ts";

/** Attacks that make planning, choosing and cutting look at much. */
export const PLAN_ATTACKS: readonly Attack[] = [
  {
    title: "plans: 50 actions that wait for all before, with 13,000 references",
    run: async ({ execute }) => {
      const actions = times(50, (n) => ({
        tool: "grep",
        depends_on: times(n, (other) => `a${other}`),
        args: { list: n === 0 ? [] : times(200, (k) => ({ $ref: `a${k % n}#/n` })) },
      }));
      assert.equal(resultsOf(await execute({ actions })).length, 50);
    },
  },
  {
    title: "plans: 50 writes, every second of which waits for a later one",
    run: async ({ execute }) => {
      const actions = times(50, (n) => ({
        tool: "probe-write",
        args: { n },
        ...(n < 25 && { depends_on: times(25, (other) => `a${other + 25}`) }),
      }));
      assert.equal(resultsOf(await execute({ actions })).length, 50);
    },
  },
  {
    title: "plans: 50 pointers chosen in 1,225 answers of 8,000 keys",
    run: async ({ upstream, execute }) => {
      upstream.script("/item", answering(wideObject(8_000)));
      const select = times(50, (n) => `/${n % 2 === 0 ? "property" : "missing"}_${n * 100}`);
      const loops = times(49, () => ({
        tool: "probe-item",
        args: { id: "same", d: 0 },
        for_each: times(25, (element) => element),
        select,
      }));
      const answer = await execute({
        actions: [{ tool: "probe-item", args: { id: "same", d: 0 } }, ...loops],
      });
      assert.equal(answer.status, 200);
    },
  },
  {
    title: "plans: 16 MiB of answers cut to a few tokens",
    run: async ({ upstream, execute }) => {
      upstream.script("/big", answering(longRows()));
      const actions = times(16, (n) => ({ tool: "probe-any", args: { path: `/big?${n}` } }));
      assert.equal(resultsOf(await execute({ actions, max_tokens: 2_000 })).length, 16);
    },
  },
  {
    title: "plans: 16 MiB of small values cut to a few tokens",
    run: async ({ upstream, execute }) => {
      upstream.script(
        "/big",
        answering({ rows: times(24_000, (n) => ({ n, name: `name ${n}`, on: true })) }),
      );
      const actions = times(16, (n) => ({ tool: "probe-any", args: { path: `/big?${n}` } }));
      assert.equal(resultsOf(await execute({ actions, max_tokens: 2_000 })).length, 16);
    },
  },
  {
    title: "plans: 16 MiB of answers cut to two million tokens",
    run: async ({ upstream, execute }) => {
      upstream.script("/big", answering(longRows()));
      const actions = times(16, (n) => ({ tool: "probe-any", args: { path: `/big?${n}` } }));
      assert.equal(resultsOf(await execute({ actions, max_tokens: 2_000_000 })).length, 16);
    },
  },
  {
    title: "plans: 16 MiB of answers cut to a few tokens, streamed",
    run: async ({ upstream, execute }) => {
      upstream.script("/big", answering(longRows()));
      const actions = times(16, (n) => ({ tool: "probe-any", args: { path: `/big?${n}` } }));
      const answer = await execute({ actions, max_tokens: 2_000 }, { accept: "text/event-stream" });
      assert.equal(answer.status, 200);
    },
  },
  {
    title: "plans: 16 MiB of one long text each, cut",
    run: async ({ upstream, execute }) => {
      upstream.script("/big", answering({ text: 'ab "\n€'.repeat(110_000) }));
      const actions = times(16, (n) => ({ tool: "probe-any", args: { path: `/big?${n}` } }));
      assert.equal(resultsOf(await execute({ actions, max_tokens: 2_000 })).length, 16);
    },
  },
  {
    title: "plans: 16 MiB of small values, whole",
    run: async ({ upstream, execute }) => {
      upstream.script("/big", answering(times(500_000, () => 1)));
      const actions = times(16, (n) => ({ tool: "probe-any", args: { path: `/big?${n}` } }));
      assert.equal(resultsOf(await execute({ actions })).length, 16);
    },
  },
  {
    title: "plans: an idempotency key over 250 KB of arguments",
    run: async ({ execute }) => {
      const actions = times(4, () => ({
        tool: "grep",
        idempotency_key: crypto.randomUUID(),
        args: wideObject(3_000),
      }));
      const answer = await execute({ actions }, { "idempotency-key": crypto.randomUUID() });
      assert.equal(resultsOf(answer).length, 4);
    },
  },
  {
    title: "plans: loops of writes that wait for a person",
    run: async ({ upstream, execute }) => {
      upstream.script(
        "/search",
        answering({ items: times(25, (n) => ({ id: `${n}${"x".repeat(2_000)}` })) }),
      );
      const loops = times(49, () => ({
        tool: "probe-delete",
        args: { id: { $ref: "item#/id" } },
        for_each: { $ref: "found#/items" },
      }));
      const answer = await execute({
        actions: [{ id: "found", tool: "probe-search", args: { q: "x" } }, ...loops],
      });
      assert.equal(answer.status, 200);
    },
  },
];
