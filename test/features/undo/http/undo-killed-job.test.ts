import { expect, test } from "vitest";

import { undo } from "../../../../src/features/undo/index.ts";
import { defineFeature } from "../../../../src/feature/define.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { openBookings, runUndo, TOOLS } from "./bookings.ts";
import { trial } from "../../../support/trial.ts";

// The Worker is killed when the tenant's object has recorded jobs, before it says its next word about their batch.

type Stub = Record<string, (...asked: unknown[]) => unknown>;

/** Send a batch whose Worker is killed then, and wait until nothing more becomes of it. */
async function killWithJobs(actions: readonly object[], env: Readonly<Record<string, string>> = {}) {
  const bookings = openBookings();
  let seen: Readonly<Record<string, unknown>> = {};
  const hears = (configured: { readonly env: typeof seen }) => {
    seen = configured.env;
    return { listen: () => undefined };
  };
  const features = [undo(), defineFeature({ name: "spy", hears })];
  const volley = await createTestVolley({ tools: TOOLS, features, routes: bookings.routes, env });
  await runUndo(volley, []);
  const spaces = seen["TENANT_GATE"] as { idFromName(name: string): unknown; get(id: unknown): Stub };
  const get = spaces.get.bind(spaces);
  let isKilled = false;
  const never = () => new Promise(() => {});
  const ask = async (stub: Stub, name: string, asked: readonly unknown[]): Promise<unknown> => {
    if (isKilled) return never();
    isKilled = JSON.stringify(asked).includes('"jobs":[{');
    const answer = await stub[name]!(...asked);
    return isKilled ? never() : answer;
  };
  spaces.get = (id) => {
    const stub = get(id);
    return new Proxy(stub, {
      get:
        (_, name: string) =>
        (...asked: unknown[]) =>
          ask(stub, name, asked),
    });
  };
  void runUndo(volley, actions);
  await volley.advance(100);
  // Another Worker takes its place, and it never hears of the answer.
  spaces.get = get;
  await volley.advance(120_000);
  const { jobs } = (await (await volley.fetch("/v1/jobs")).json()) as { jobs: { batch_id: string }[] };
  const stub = get(spaces.idFromName("test"));
  const state = await stub["call"]!("undo", "looks", [jobs[0]!.batch_id]);
  return { bookings, state };
}

/** An alarm takes a job over before its batch is taken for lost. */
const SOON = { VOLLEY_JOB_LEASE_MS: "1000" };
const REST = { tool: "book", args: { name: "rest" } };

test("F36 a job that was recorded before a kill, and that the alarm ran, is taken back with its batch", async () => {
  const job = { id: "job", tool: "book_later", args: { name: "a" } };
  const { bookings, state } = await killWithJobs([job, { ...REST, depends_on: ["job"] }], SOON);
  expect(bookings.heard).toEqual(["book a", "unbook a"]);
  expect(state).toMatchObject({
    isSettled: true,
    entries: [{ id: "job", tool: "unbook", status: "success" }],
  });
});

trial(
  "F36 the jobs of a loop that were recorded before a kill are taken back too, the last one first",
  async () => {
    const loop = { id: "jobs", tool: "book_later", for_each: ["a", "b"], args: { name: { $ref: "item#" } } };
    const { bookings, state } = await killWithJobs([loop, { ...REST, depends_on: ["jobs"] }], SOON);
    expect(bookings.heard.toSorted()).toEqual(["book a", "book b", "unbook a", "unbook b"]);
    expect([...bookings.live]).toEqual([]);
    expect(state).toMatchObject({ entries: [{ status: "success" }, { status: "success" }] });
  },
);

test("F36 a job whose only attempt was the killed Worker's is not sent any more, and what it did is unknown", async () => {
  const job = { id: "job", tool: "book_later", args: { name: "a" } };
  const { bookings, state } = await killWithJobs([job, { ...REST, depends_on: ["job"] }]);
  expect(bookings.heard).toEqual([]);
  expect(state).toMatchObject({ isSettled: true, entries: [{ id: "job", status: "unknown" }] });
});
