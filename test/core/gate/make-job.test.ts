import { expect, test } from "vitest";

import { shardOf } from "../../../src/core/contract/gate/job-shard.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { deriveId } from "../../../src/core/kit/derive-id.ts";
import { createMakeJob } from "../../../src/core/gate/make-job.ts";
import { StepIds } from "../../../src/core/gate/step-ids.ts";
import { contractOf, planOf } from "../../support/fake-actions.ts";

const BACKGROUND = { isWrite: true, execution: "fire-and-forget" } as const;
const mail = contractOf("mail", BACKGROUND);
const capped = contractOf("capped", {
  ...BACKGROUND,
  orchestration: { mode: "fan-out-bounded", max_concurrency: 3 },
});
const limited = contractOf("limited", {
  ...BACKGROUND,
  orchestration: { mode: "parallel-safe", rate_limit: { limit: 60, window_s: 60, scope: "tenant" } },
});
const ORIGIN = { tenant: "acme", key: "agent", requestId: "request-1", batchId: "batch-1" };
const callOf = (tool: typeof mail) => ({ tool, input: { n: 1 }, args: { n: 1 }, timeoutMs: 1_000 });

function makerOf(tools: readonly (typeof mail)[], headerSlots = 2) {
  const plan = planOf(tools.map((tool, index) => ({ id: `a${index}`, tool })));
  return createMakeJob(plan, {
    ids: new StepIds({ newId: () => "00300000-0000-4000-8000-000000000000" }),
    headerSlots,
    origin: () => ORIGIN,
  });
}

test("createMakeJob() keeps as many jobs at home as the request can try, and spreads the rest", () => {
  const look = contractOf("look");
  const make = makerOf([look, mail, look, mail, mail, mail]);
  expect([1, 3, 4, 5].map((index) => shardOf(make(callOf(mail), index).id))).toEqual([0, 0, 4, 4]);
});

test("createMakeJob() goes on to the next object where one's alarm has no more slots", () => {
  const make = makerOf(Array.from({ length: 9 }, () => mail));
  expect([2, 7, 8].map((index) => shardOf(make(callOf(mail), index).id))).toEqual([4, 4, 5]);
});

test("createMakeJob() places a job by its place in the batch, whenever it is made", () => {
  const make = makerOf([mail, mail, mail, mail]);
  const late = [3, 2, 1, 0].map((index) => shardOf(make(callOf(mail), index).id));
  expect(late).toEqual([4, 4, 0, 0]);
  expect([0, 1, 2, 3].map((at) => shardOf(make(callOf(mail), 1, { at }).id))).toEqual([0, 4, 4, 4]);
});

test("createMakeJob() keeps the jobs of a capped tool together, because its cap holds in one object", () => {
  const make = makerOf([capped, capped, capped, capped]);
  expect([0, 1, 2, 3].map((index) => shardOf(make(callOf(capped), index).id))).toEqual([0, 0, 0, 0]);
});

test("createMakeJob() keeps the jobs of a tool with a limit of the tenant where that is counted", () => {
  const make = makerOf([limited, limited, limited, limited]);
  expect([0, 1, 2, 3].map((index) => shardOf(make(callOf(limited), index).id))).toEqual([0, 0, 0, 0]);
});

test("createMakeJob() keeps everything at home where header slots are unlimited", () => {
  const make = makerOf([mail, mail, mail], Number.POSITIVE_INFINITY);
  expect([0, 1, 2].map((index) => shardOf(make(callOf(mail), index).id))).toEqual([0, 0, 0]);
});

test("createMakeJob() uses the job's id as the key that every attempt carries", () => {
  const job = makerOf([mail, mail, mail])(callOf(mail), 2);
  expect(job).toMatchObject({ tool: "mail", argsJson: '{"n":1}', idempotencyKey: job.id });
});

test("createMakeJob() keeps a job under its own idempotency key at home: it is the same wherever it stands", () => {
  const plan = planOf([mail, mail, mail, mail].map((tool, index) => ({ id: `a${index}`, tool })));
  const seed = crypto.randomUUID();
  const key = { key: "action:k", fingerprint: "f", seed };
  const idAt = (index: number): string => {
    const asked = { runId: "run", deadlineMs: 1, batch: null, actions: [{ index, ...key }] };
    const ids = new StepIds({ newId: () => crypto.randomUUID() }, asked);
    return createMakeJob(plan, { ids, headerSlots: 1, origin: () => ORIGIN })(callOf(mail), index).id;
  };
  expect([idAt(0), idAt(3)]).toEqual([deriveId(seed, 0), deriveId(seed, 0)]);
});

test("createMakeJob() writes down the schedule that a tool's jobs are repeated on, with all of its attempts", () => {
  const told = contractOf("told", { ...BACKGROUND, retries: "standard-webhooks" });
  expect(makerOf([told])(callOf(told), 0)).toMatchObject({ retries: "standard-webhooks", maxAttempts: 10 });
  const usual = makerOf([mail])(callOf(mail), 0);
  expect(usual).toMatchObject({ maxAttempts: 5 });
  expect(usual).not.toHaveProperty("retries");
});

test("createMakeJob() remembers who asked, in which batch, and when it is to begin", () => {
  const [make, later] = [makerOf([mail]), 1_800_000_000_000];
  expect(make({ ...callOf(mail), runAt: later }, 0)).toMatchObject({ origin: ORIGIN, runAt: later });
  expect(make(callOf(mail), 0)).not.toHaveProperty("runAt");
});

test("createMakeJob() waits as its tool's contract says before a job is tried again, and has what a tenant declared", () => {
  const patient = contractOf("patient", {
    ...BACKGROUND,
    orchestration: { mode: "parallel-safe", backoff: { strategy: "exponential", initial_ms: 7_000 } },
  });
  expect(makerOf([patient])(callOf(patient), 0).backoffInitialMs).toBe(7_000);
  const usual = makerOf([mail])(callOf(mail), 0);
  expect(usual.backoffInitialMs).toBe(LIMITS.jobBackoffInitialMs);
  expect(usual).not.toHaveProperty("toolJson");
  expect(usual).not.toHaveProperty("callback");
  const added = { ...mail, added: { json: '{"name":"mail"}', fingerprint: "f" } };
  expect(makerOf([added])(callOf(added), 0).toolJson).toBe('{"name":"mail"}');
});
