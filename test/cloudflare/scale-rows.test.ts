import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";

import type { JobSpec } from "../../src/core/contract/gate/job.ts";
import { callFlows, type KeptStep, type RunRequest } from "../../src/features/flows/flow-run.ts";
import { CountedStorage } from "../../lab/bench/scale/counted-storage.ts";
import { type ObjectParts, SimulatedObject } from "../../lab/bench/scale/simulated-object.ts";
import { countRows } from "./count-rows.ts";
import { HUNDRED_AN_HOUR, makeRequest, makeSpec } from "./gate-requests.ts";
import { trial } from "../support/trial.ts";

const DAY_MS = 24 * 3_600_000;
const SUCCEEDED = { kind: "succeeded", dataJson: "{}" } as const;
const RUN: JobSpec = {
  ...makeSpec("run-1", []),
  tool: "flow",
  toolJson: "{}",
  kind: "run",
  run: { trigger: "webhook", deadlineMs: 15_000 },
};
const KEYED = {
  runId: "run",
  deadlineMs: 15_000,
  batch: { key: "batch:k", fingerprint: "f", seed: "seed" },
  actions: [],
};
const ENDS = [{ key: "batch:k", end: { kind: "done", answer: { json: "{}", failed: false } } }] as const;

/** One of each thing that the simulation sends. */
const CALLS: readonly ((object: Pick<SimulatedObject, keyof ReturnType<typeof objectOf>>) => unknown)[] = [
  (object) => object.admit(makeRequest({ quota: HUNDRED_AN_HOUR })),
  (object) => object.admit(makeRequest({ quota: HUNDRED_AN_HOUR })),
  (object) =>
    object.admit(makeRequest(), [{ limit: { bucket: "key:busy", limit: 60_000, windowS: 60 }, tokens: 16 }]),
  (object) =>
    object.admit(makeRequest({ quota: HUNDRED_AN_HOUR, jobs: [{ index: 0, spec: makeSpec("job-1", []) }] })),
  (object) => object.settle("job-1", 1, SUCCEEDED),
  (object) => object.admit(makeRequest({ quota: HUNDRED_AN_HOUR, idempotency: KEYED })),
  (object) => object.complete({ runId: "run", ends: ENDS }),
  (object) => object.recordRun({ cause: "delivery-1", spec: RUN, takes: true }),
  (object) => object.recordRun({ cause: "delivery-1", spec: RUN, takes: true }),
  (object) => object.beginStep("run-1", 1, "write-0"),
  (object) => object.endStep("run-1", 1, { id: "write-0", outcomeJson: "{}" }),
  (object) => object.settleRun("run-1", 1, SUCCEEDED, { envelopeJson: "{}", steps: [] }),
];

/** The real object, with its runs among its methods as the simulation has them. */
const objectOf = (stub: ReturnType<typeof env.TENANT_GATE.getByName>) => ({
  admit: (...args: Parameters<SimulatedObject["admit"]>) => stub.admit(...args),
  settle: (...args: Parameters<SimulatedObject["settle"]>) => stub.settle(...args),
  complete: (...args: Parameters<SimulatedObject["complete"]>) => stub.complete(...args),
  recordRun: (request: RunRequest) => callFlows(stub, "recordRun", request),
  beginStep: (jobId: string, fence: number, id: string) => callFlows(stub, "beginStep", jobId, fence, id),
  endStep: (jobId: string, fence: number, step: KeptStep) => callFlows(stub, "endStep", jobId, fence, step),
  settleRun: (...args: Parameters<SimulatedObject["settleRun"]>) => callFlows(stub, "settleRun", ...args),
});

const parts = (storage: DurableObjectStorage, nowMs: () => number): ObjectParts => ({
  storage,
  alarmAt: null,
  clock: { now: nowMs, after: () => () => {} },
  random: () => 0.5,
  attempt: () => Promise.resolve(SUCCEEDED),
  run: () => Promise.resolve(),
});

trial("the simulation counts the rows that the tenant's object writes, call by call", async () => {
  const stub = env.TENANT_GATE.getByName("scale-rows");
  const rows = await countRows(stub);
  const counted = new CountedStorage();
  const simulated = new SimulatedObject(parts(counted.asStorage(), Date.now));
  for (const [at, call] of CALLS.entries()) {
    await call(objectOf(stub) as never);
    call(simulated);
    expect([at, counted.rowsWritten]).toEqual([at, await rows()]);
  }
});

trial("the simulation's storage writes the rows that SQLite does, forgetting included", async () => {
  let now = 1_800_000_000_000;
  const counted = new CountedStorage();
  const onMaps = new SimulatedObject(parts(counted.asStorage(), () => now));
  const stub = env.TENANT_GATE.getByName("scale-storage");
  const rows = await countRows(stub);
  await runInDurableObject(stub, async (_gate, { storage }) => {
    const onSqlite = new SimulatedObject(parts(storage, () => now));
    for (const call of CALLS) {
      expect(call(onMaps)).toEqual(call(onSqlite));
      now += 700;
    }
    for (let day = 0; day < 9; day += 1) {
      now += DAY_MS;
      onMaps.prune(now);
      onSqlite.prune(now);
    }
    await storage.deleteAlarm();
  });
  expect(counted.rowsWritten).toBe(await rows());
  // A job is forgotten by one row more, a run by two, a key by one.
  const kept = new CountedStorage();
  const short = new SimulatedObject(parts(kept.asStorage(), () => now));
  for (const call of CALLS) call(short);
  expect(counted.rowsWritten - kept.rowsWritten).toBeGreaterThanOrEqual(4);
});
