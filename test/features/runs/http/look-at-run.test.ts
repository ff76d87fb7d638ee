import { expect, test } from "vitest";

import type { RequestContext } from "../../../../src/cloudflare/http/request-context.ts";
import { look } from "../../../../src/features/runs/http/look-at-run.ts";
import type { Look } from "../../../../src/features/runs/run-log-methods.ts";

/** A request whose tenant's object counts what it is asked for. */
function open() {
  const asked: string[] = [];
  const gate = {
    jobs: async () => {
      asked.push("jobs");
      return { rows: [], hasMore: false };
    },
    call: async (feature: string, method: string) => {
      asked.push(`${feature} ${method}`);
      return { rows: [{ id: "q", createdAt: 0 }], hasMore: false };
    },
  };
  const caller = { name: "k", tenant: "acme", tools: ["*"] };
  const context = { caller, gate, hooks: { beforeStep: () => {} }, configured: { features: [] } };
  return { asked, context: context as unknown as RequestContext };
}

/** A list of so many runs, each of which has jobs. */
const listOf = (count: number) => async (seen: Look) => ({
  asks: seen.jobs === undefined,
  runs: Array.from({ length: count }, () => seen.open),
});

test("a list of a hundred runs that have jobs asks the tenant's object as often as a list of one: once for jobs, and once for questions", async () => {
  for (const count of [1, 100]) {
    const { asked, context } = open();
    const { runs } = await look(context, listOf(count));
    expect(runs).toEqual(Array.from({ length: count }, () => ["q"]));
    expect(asked.toSorted()).toEqual([
      "confirmations answering",
      "confirmations confirmations",
      "jobs",
      "runs tell",
    ]);
  }
});

test("a list of runs of which none has jobs or questions asks it nothing", async () => {
  const { asked, context } = open();
  await look(context, async () => ({ asks: false }));
  expect(asked).toEqual([]);
});
