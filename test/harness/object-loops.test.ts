import { afterAll, expect, test } from "vitest";

import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const volley = await startRawSandbox();
afterAll(() => volley[Symbol.asyncDispose]());

interface Ended {
  readonly status: string;
  readonly error?: { readonly code: string };
  readonly data?: readonly Ended[];
}

interface EventPage {
  readonly events: readonly object[];
  readonly next_cursor: string | null;
}

const caller = new TestCaller(volley.url, "sandbox-admin-key");

async function countEvents(): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ""; cursor !== null;) {
    const path: string = `/v1/events?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const page = JSON.parse((await caller.send({ method: "GET", path })).text) as EventPage;
    count += page.events.length;
    cursor = page.next_cursor;
  }
  return count;
}

test("T63 a batch of 50 loops of 25 events each ends at its deadline with a result for each element, and others are answered meanwhile", async () => {
  const items = Array.from({ length: 25 }, (_, n) => n);
  const actions = Array.from({ length: 50 }, () => ({
    tool: "publish_event",
    for_each: items,
    args: { type: "order.paid", data: { n: { $ref: "item#" } } },
  }));
  const body = JSON.stringify({ actions, deadline_ms: 1_000 });
  const over = new AbortController();
  const running = caller.send({ path: "/v1/execute_actions", body }).finally(() => over.abort());
  const healthy: number[] = [];
  while (!over.signal.aborted) healthy.push((await fetch(`${volley.url}/healthz`)).status);
  const answer = await running;
  expect(answer.status).toBe(200);
  expect(new Set(healthy)).toEqual(new Set([200]));
  const { results } = JSON.parse(answer.text) as { results: readonly Ended[] };
  expect(results).toHaveLength(actions.length);
  const fates = results.flatMap(({ status, error, data }): readonly string[] => {
    if (status !== "success") return items.map(() => error?.code ?? status);
    expect(data).toHaveLength(items.length);
    return data!.map((one) => one.error?.code ?? one.status);
  });
  expect(fates.filter((fate) => !["success", "DEADLINE_EXCEEDED", "unknown"].includes(fate))).toEqual([]);
  // The one under way at the deadline was seen through, and its answer may have come too late to be told.
  const published = fates.filter((fate) => fate === "success").length;
  expect((await countEvents()) - published).toBeLessThanOrEqual(1);
  expect(published).toBeGreaterThan(0);
});
