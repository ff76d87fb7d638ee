import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../../src/features/runs/limits.ts";
import { background } from "../../../../src/features/background/index.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import type { RunReport } from "../../../../src/features/runs/run.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

const echo = defineTool({
  name: "echo_text",
  summary: "Echo a text",
  description: "Echo a text.",
  category: "test",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }) => ({ text }),
});
const BATCH = { actions: [{ id: "a", tool: "echo_text", args: { text: "x" } }] };

/** Treats a call of the object. */
type Treatment = (reported: () => void) => Promise<unknown>;
const TREATMENTS: Readonly<Record<string, Treatment>> = {
  "out of reach": () => Promise.reject(new Error("The object cannot be reached.")),
  slow: () => new Promise(() => {}),
  full: () => Promise.reject(new Error("database or disk is full: SQLITE_FULL")),
  "reset after it was written": (reported) => {
    reported();
    return Promise.reject(new Error("The object was reset."));
  },
};

/** A Worker whose object of runs does that with every call; `treat` changes it. */
async function start(treatment: Treatment) {
  const reports: RunReport[] = [];
  const world = { treatment };
  const stub = new Proxy(
    {},
    {
      get: (_, name) =>
        name === "then"
          ? undefined
          : async (_begunAt: number, method: string, first: RunReport) => ({
              answer: await world.treatment(() => void (method === "report" && reports.push(first))),
            }),
    },
  );
  const volley = await createTestVolley({
    tools: [echo],
    features: [discovery(), addedTools(), confirmations(), flows(), background(), runs()],
    env: { RUNS: { idFromName: (name: string) => ({ name }), get: () => stub } },
  });
  return { volley, reports, treat: (changed: Treatment) => void (world.treatment = changed) };
}

const dropped = (volley: TestVolley) =>
  volley.logs
    .map((line) => JSON.parse(line) as { readonly event: string; readonly runs?: number })
    .filter(({ event }) => event === "runs_dropped");
const taken: Treatment = (reported) => {
  reported();
  return Promise.resolve();
};

describe.each(Object.entries(TREATMENTS))("F34 An object of runs that is %s", (_, treatment) => {
  trial("delays no answer and changes none; the log says how many runs are missing", async () => {
    const { volley } = await start(treatment);
    const { volley: other } = await start(taken);
    const beganAt = volley.now();
    const answers = [];
    for (let at = 0; at < 20; at += 1) answers.push(await volley.run(BATCH));
    expect(volley.now()).toBe(beganAt);
    expect(answers[0]!.results).toEqual((await other.run(BATCH)).results);
    for (const { summary } of answers) expect(summary).toMatchObject({ total: 1, ok: 1 });
    await volley.advance(10_000);
    expect(dropped(volley)).toMatchObject([{ runs: 20 }]);
  });

  test("hinders no job, question or batch in the background", async () => {
    const { volley } = await start(treatment);
    const recorded = await volley.client.begin(BATCH);
    await volley.advance(5_000);
    expect(await volley.client.job(recorded.job_id)).toMatchObject({ status: "succeeded" });
  });

  trial("is said to who looks at runs, by 503, and nothing is run again", async () => {
    const { volley } = await start(treatment);
    const ask = async (path: string, init?: RequestInit) => (await volley.fetch(path, init)).status;
    const headers = { "content-type": "application/json" };
    const post = { method: "POST", headers, body: "{}" };
    expect(await ask("/v1/runs")).toBe(503);
    expect(await ask("/v1/runs/some")).toBe(503);
    expect(await ask("/v1/runs/some", { headers: { accept: "text/event-stream" } })).toBe(503);
    expect(await ask("/v1/runs/some/rerun", post)).toBe(503);
    expect(await ask("/v1/runs/rerun?tag=t", post)).toBe(503);
  });

  trial("has later runs reported again, each once, when it is well", async () => {
    const { volley, reports, treat } = await start(treatment);
    await volley.run(BATCH);
    await volley.advance(10_000);
    const before = reports.length;
    treat(taken);
    const { batch_id } = await volley.run(BATCH);
    await volley.advance(3_000);
    const heads = reports.slice(before).flatMap((report) => report.runs.map(({ head }) => head));
    expect(heads).toHaveLength(1);
    expect(heads[0]).toContain(batch_id);
    // A report that was sent twice says so, and has one id.
    expect(new Set(reports.slice(0, before).map(({ id }) => id)).size).toBeLessThanOrEqual(1);
  });
});

trial(
  "F34 Runs that cannot be reported hold no more than their bytes of an isolate, whatever keeps running",
  async () => {
    const { volley } = await start(TREATMENTS["slow"]!);
    const text = "x".repeat(12_000);
    const actions = Array.from({ length: 20 }, (_, at) => ({
      id: `a${at}`,
      tool: "echo_text",
      args: { text },
    }));
    for (let at = 0; at < 60; at += 1) await volley.run({ actions });
    await volley.advance(10_000);
    const lines = volley.logs.map((line) => JSON.parse(line) as { readonly contents?: number });
    // 256 KiB of content each would be 15 MB: most of it was left out long before.
    const cut = lines.reduce((sum, { contents = 0 }) => sum + contents, 0);
    expect(cut).toBeGreaterThan(60 - Math.ceil(LIMITS.runReportBytes / LIMITS.runBytes) - 2);
  },
);
