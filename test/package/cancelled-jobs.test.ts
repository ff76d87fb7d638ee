import * as z from "zod";
import { expect, test } from "vitest";

import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { createTestVolley } from "../../src/package/testing.ts";
import type { Routes } from "../../src/package/testing.ts";
import { trial } from "../support/trial.ts";

const SEND = "https://api.example.com/send";
const HOUR_MS = 3_600_000;

const send = defineTool({
  name: "send_it",
  summary: "Send it",
  description: "A tool of a test.",
  category: "shop",
  actions: ["send"],
  isWrite: true,
  idempotent: "with-key",
  execution: "fire-and-forget",
  input: z.strictObject({}),
  hosts: ["api.example.com"],
  orchestration: { mode: "parallel-safe" },
  run: async (_, ctx) => (await ctx.fetch(SEND, { method: "POST" })).json(),
});

/** A Volley with one job, whose first attempt has begun. */
async function beginJob(answer: Routes[string]) {
  const volley = await createTestVolley({ tools: [send], routes: { [`POST ${SEND}`]: answer } });
  const { results } = await volley.run({ actions: [{ tool: "send_it" }] });
  const [first] = results;
  if (first?.status !== "initiated") throw new Error("The job was not recorded");
  await volley.advance(100);
  return { volley, id: first.job_id };
}

test("a cancelled job stays as it is when the attempt that was under way is answered", async () => {
  let isAnswered = false;
  const { volley, id } = await beginJob(async (_, { sleep }) => {
    await sleep(5_000);
    isAnswered = true;
    return { sent: true };
  });
  const cancelled = await volley.client.cancel(id);
  expect([cancelled.status, isAnswered]).toEqual(["cancelled", false]);

  await volley.advance(HOUR_MS);
  expect(isAnswered).toBe(true);
  expect(await volley.client.job(id)).toEqual(cancelled);
  expect(volley.requests).toHaveLength(1);
});

trial("a job that is cancelled while it waits for its next attempt is not attempted again", async () => {
  const { volley, id } = await beginJob(() => new Response("", { status: 503 }));
  expect(await volley.client.job(id)).toMatchObject({ status: "retrying", attempts: 1 });
  expect(await volley.client.cancel(id)).toMatchObject({ status: "cancelled", attempts: 1 });

  await volley.advance(HOUR_MS);
  expect(volley.requests).toHaveLength(1);
});
