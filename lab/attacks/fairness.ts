import assert from "node:assert/strict";

import { eventually } from "../../test/support/eventually.ts";
import type { WireEnvelope } from "../../test/support/execute-batch.ts";
import type { Answered, Attack, Target } from "./attack.ts";

/** The key of another tenant than the one that attacks. */
const OTHER = { authorization: "Bearer sandbox-other-key" };
/** A key with 20 requests a minute, and so 100 that run nothing. */
const SMALL = { authorization: "Bearer sandbox-small-key" };
const QUIET = 1_000_000;

const envelopeOf = ({ text }: Answered): WireEnvelope => JSON.parse(text) as WireEnvelope;

/** Have so many batches of two calls wait for the two places of one tool, then let another tenant call it once. */
async function flood({ upstream, execute }: Target, batches: number): Promise<void> {
  const answer = upstream.hold("/global", 0, 1);
  const call = (n: number): object => ({ tool: "probe-global", args: { n } });
  const floods = Array.from({ length: batches }, (_, batch) =>
    execute({ actions: [call(2 * batch), call(2 * batch + 1)], deadline_ms: 60_000 }),
  );
  const seen = (): number[] => upstream.requestsTo("/global").map(({ query }) => Number(query.get("n")));
  await eventually("both places to be taken", () => (seen().length >= 2 ? true : undefined));
  const quiet = execute({ actions: [call(QUIET)] }, OTHER);
  answer();
  assert.deepEqual(
    envelopeOf(await quiet).results.map(({ status }) => status),
    ["success"],
  );
  for (const { status } of await Promise.all(floods)) assert.equal(status, 200);
}

/** The longest of some calls of another tenant, one after the other until what they stand beside is over; 30 of them where it is nothing. */
async function longestBeside({ execute }: Target, beside?: Promise<unknown>): Promise<number> {
  let isOver = false;
  void beside?.finally(() => (isOver = true));
  let longest = 0;
  for (let n = 0; beside === undefined ? n < 30 : !isOver; n += 1) {
    const sentAt = performance.now();
    const { status } = await execute({ actions: [{ tool: "probe-echo", args: { n } }] }, OTHER);
    assert.equal(status, 200);
    longest = Math.max(longest, performance.now() - sentAt);
  }
  return longest;
}

/** Attacks of one tenant, or one kind of request, on the share of another. */
export const FAIRNESS_ATTACKS: readonly Attack[] = [
  {
    title: "40 batches that wait for a shared tool do not keep another tenant's call waiting",
    run: async (target) => {
      await flood(target, 40);
      const order = target.upstream.requestsTo("/global").map(({ query }) => Number(query.get("n")));
      assert.ok(order.indexOf(QUIET) <= 8, `served as number ${order.indexOf(QUIET)}`);
    },
  },
  {
    title: "600 batches that fill a shared tool's queue do not have another tenant's call refused",
    run: (target) => flood(target, 600),
  },
  {
    title: "a bulk rerun of 300 runs keeps another tenant's call waiting no longer than a second",
    run: async (target) => {
      const { get, send, execute } = target;
      const actions = Array.from({ length: 10 }, (_, n) => ({ tool: "probe-echo", args: { n } }));
      for (let n = 0; n < 300; n += 1) await execute({ actions, tags: ["bulk"] });
      await eventually("the runs to be listed", async () => {
        const { text } = await get("/v1/runs?tag=bulk&limit=1");
        return text.includes("run_id") ? true : undefined;
      });
      const bare = await longestBeside(target);
      const bulk = send("/v1/runs/rerun", { tag: "bulk" });
      const beside = await longestBeside(target, bulk);
      const { text } = await bulk;
      console.log(`           alone ${bare.toFixed(0)} ms, beside ${beside.toFixed(0)} ms: ${text}`);
      assert.ok(beside < 1_000, `another tenant waited ${beside.toFixed(0)} ms`);
    },
  },
  {
    title: "300 lists at once are refused over their allowance, and cost a batch nothing",
    run: async ({ send, execute }) => {
      const lists = await Promise.all(
        Array.from({ length: 300 }, () => send("/v1/discover_tools", { limit: 50, detail: "schema" }, SMALL)),
      );
      const answered = lists.filter(({ status }) => status === 200).length;
      assert.ok(answered >= 100 && answered < 200, `${answered} of 300 lists were answered`);
      for (const { status } of lists) assert.ok(status === 200 || status === 429);
      const ran = await execute({ actions: [{ tool: "probe-echo", args: { n: 1 } }] }, SMALL);
      assert.equal(ran.status, 200);
    },
  },
  {
    title: "100 batches over the quota cost a list nothing",
    run: async ({ send, execute }) => {
      const batch = { actions: [{ tool: "probe-echo", args: { n: 1 } }] };
      const ran = await Promise.all(Array.from({ length: 100 }, () => execute(batch, SMALL)));
      assert.ok(ran.some(({ status }) => status === 429));
      assert.equal((await send("/v1/discover_tools", {}, SMALL)).status, 200);
    },
  },
];
