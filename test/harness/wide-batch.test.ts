import { expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { upstream, caller } = await setUpSandbox();

interface WirePage {
  readonly jobs: readonly { readonly job_id: string; readonly created_at: string }[];
  readonly next_cursor: string | null;
}

async function countJobs(status: string): Promise<number> {
  const { jobs } = JSON.parse((await caller.get(`/v1/jobs?status=${status}&limit=100`)).text) as WirePage;
  return jobs.length;
}

test("50 background actions run far wider than one request's six slots, and all end", async () => {
  // Two objects' slots and more: fewer at once would be answered nothing, and fail by their time limit.
  upstream.gather("/background", 13);
  const { results } = await caller.execute(
    Array.from({ length: 50 }, (_, n) => ({ tool: "probe-background", args: { n } })),
  );
  expect(results.every(({ status }) => status === "initiated")).toBe(true);
  const ids = results.map(({ job_id }) => job_id!);

  await eventually("50 jobs to succeed", async () => (await countJobs("succeeded")) === 50 || undefined, {
    everyMs: 100,
  });

  expect(upstream.peakOf("/background")).toBeGreaterThan(12);
  expect(upstream.requestsTo("/background")).toHaveLength(50);

  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: WirePage = JSON.parse((await caller.get(`/v1/jobs?limit=7${cursor}`)).text);
    seen.push(...page.jobs.map(({ job_id }) => job_id));
    cursor = page.next_cursor === null ? null : `&cursor=${page.next_cursor}`;
  }
  expect(seen).toHaveLength(50);
  expect(seen.toSorted()).toEqual(ids.toSorted());
});

test("a wide batch's jobs are cancelled by their ids, wherever they are", async () => {
  const answer = upstream.hold("/background");
  const { results } = await caller.execute(
    Array.from({ length: 20 }, (_, n) => ({ tool: "probe-background", args: { n: 100 + n } })),
  );
  const answers = await Promise.all(
    results.map(({ job_id }) => caller.send({ path: `/v1/jobs/${job_id}/cancel` })),
  );
  expect(answers.map(({ status }) => status)).toEqual(results.map(() => 200));
  expect(await countJobs("cancelled")).toBe(20);
  answer();
});
