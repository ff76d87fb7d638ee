import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import * as z from "zod";
import { afterAll, beforeAll, expect, vi } from "vitest";

import { createCatalog } from "./support/create-catalog.ts";
import type { LeaseWish } from "../src/core/contract/gate/admission.ts";
import { digestKey } from "../src/cloudflare/http/key-ring.ts";
import { contractOf } from "./support/fake-actions.ts";
import { trial } from "./support/trial.ts";

const KEY = "plain-key";
const ORIGIN = "https://upstream.example";

/** A tenant's object that admits everything and leases what it is asked for. */
const stub = {
  since: async (_begunAt: number, _method: "admit", _request: object, wishes: readonly LeaseWish[]) => ({
    answer: {
      quota: { allowed: true, remaining: 900, resetMs: 0, retryAfterMs: 0 },
      denied: [],
      recorded: [],
      refusedJobs: [],
      leases: wishes.map(({ limit }) => ({
        bucket: limit.bucket,
        tokens: 100,
        leaseMs: 2_000,
        remaining: 900,
        resetMs: 0,
      })),
    },
  }),
};
const env = {
  VOLLEY_KEYS: JSON.stringify([
    {
      name: "plain",
      tenant: "acme",
      tools: ["*"],
      quota: { limit: 6_000, window_s: 60 },
      hash: Buffer.from(await digestKey(KEY)).toString("hex"),
    },
  ]),
  TENANT_GATE: { idFromName: (name: string) => name, get: () => stub },
};

const echo = contractOf("echo", {
  input: z.strictObject({ n: z.int() }),
  hosts: [ORIGIN.slice(8)],
  run: async ({ n }, { fetch }) => (await fetch(`${ORIGIN}/echo?n=${n}`)).json(),
});

// Not imported by name: their types need the Workers', which a test in Node has not.
const APP: string = "../src/cloudflare/app.ts";
const DEPLOYMENT: string = "../src/cloudflare/deployment.ts";
const { createApp } = await import(APP);
const { createDeployment } = await import(DEPLOYMENT);

const app = createApp(() => deployment);
const deployment = createDeployment(env, {
  catalog: createCatalog([echo]),
  send: async () => Response.json({ path: "/echo", n: 1 }),
});

async function read(): Promise<unknown> {
  const response = await app.fetch(
    new Request("https://volley.test/v1/execute_actions", {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ actions: [{ tool: "echo", args: { n: 1 } }] }),
    }),
    env,
    { waitUntil: () => {}, passThroughOnException: () => {} },
  );
  return response.json();
}

/**
 * True of the function that the test runner makes of an export: a nameless getter of one line. That it is read says nothing of
 * the file.
 */
function isExport({ functionName, ranges }: Profiler.FunctionCoverage): boolean {
  return functionName === "" && ranges[0]!.endOffset - ranges[0]!.startOffset < 60;
}

/** The files of `src` of which a function ran while `work` did. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result
    .filter(({ functions }) => functions.some((run) => run.ranges[0]!.count > 0 && !isExport(run)))
    .flatMap(({ url }) => /\/src\/(.*\.ts)/.exec(url)?.slice(1) ?? [])
    .sort();
}

// The time of the isolate is the test's: whether a lease covers the read must not depend on how fast this machine is.
beforeAll(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterAll(() => void vi.useRealTimers());

trial("a plain read passes at most 41 files", async () => {
  for (let warm = 0; warm < 50; warm += 1) {
    await read();
    vi.advanceTimersByTime(5);
  }
  expect(await read()).toMatchObject({ results: [{ status: "success", data: { n: 1 } }] });
  const files = await filesOf(read);
  expect(files.length).toBeLessThanOrEqual(41);
});
