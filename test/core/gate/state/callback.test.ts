import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { CallbackEnd, CallbackRecord } from "../../../../src/core/contract/gate/job.ts";
import { claimCallback, disableCallback, settleCallback } from "../../../../src/core/gate/state/callback.ts";
import { WEBHOOK_ATTEMPTS } from "../../../../src/core/kit/webhook-schedule.ts";
import { redriveJob } from "../../../../src/core/gate/state/change-job.ts";
import { claimJob, type Job, toJobRecord } from "../../../../src/core/gate/state/outbox.ts";
import {
  failed,
  LEASE,
  NOW as BEFORE,
  recorded,
  settle as settleAttempt,
  succeeded,
} from "../../../support/sample-jobs.ts";
import { trial } from "../../../support/trial.ts";

const TARGET = { url: "https://hooks.example.com/x", secretName: "VOLLEY_WEBHOOK_SECRET" };
const alive = recorded({ callback: TARGET });
const [started] = settleAttempt(alive, succeeded);
/** When the job ended. */
const NOW = BEFORE + 1_000;

const answered = (status: number, retryAfterMs: number | null = null): CallbackEnd => ({
  kind: "answered",
  status,
  retryAfterMs,
});
/** Settle the attempt that comes next. */
const settle = (job: Job, end: CallbackEnd, random = 0): [Job, boolean] =>
  settleCallback(job, NOW, { claim: nextOf(job), end, random });
const nextOf = (job: Job) => ({ eventId: `job-1-${job.fence}`, attempt: job.callback!.attempts + 1 });
const shown = (job: Job): CallbackRecord => toJobRecord(job).callback!;

describe("a callback", () => {
  test("waits while its job is alive, and is due the moment it ends", () => {
    expect(shown(alive)).toEqual({ status: "pending", attempts: 0, lastStatus: null, nextAttemptAt: null });
    expect(claimCallback(alive, Number.MAX_SAFE_INTEGER)).toBeNull();
    expect(started.dueAt).toBe(NOW);
    expect(claimCallback(started, NOW - 1)).toBeNull();
    expect(claimCallback(started, NOW)).toEqual({
      jobId: "job-1",
      eventId: "job-1-1",
      attempt: 1,
      target: TARGET,
      job: toJobRecord(started),
    });
  });

  test("is never claimed as an attempt of its job", () => {
    expect(claimJob(started, NOW, LEASE)).toEqual([started, null]);
  });

  test("is nothing to a job without a callback", () => {
    const [job] = settleAttempt(recorded(), succeeded);
    expect(job).toMatchObject({ dueAt: null, callback: null });
    expect(claimCallback(job, Number.MAX_SAFE_INTEGER)).toBeNull();
    expect(disableCallback(job)).toBe(job);
  });

  test.each([200, 202, 204, 299])("is delivered by a %d", (status) => {
    const callback = { target: TARGET, status: "delivered", attempts: 1, lastStatus: status };
    expect(settle(started, answered(status))).toEqual([{ ...started, callback, dueAt: null }, true]);
  });

  test("is disabled by a 410, and sent no more", () => {
    expect(settle(started, answered(410))[0]).toMatchObject({
      callback: { status: "disabled", attempts: 1 },
      dueAt: null,
    });
    expect(disableCallback(started)).toMatchObject({
      callback: { status: "disabled", attempts: 0 },
      dueAt: null,
    });
  });

  test.each([300, 301, 400, 404, 500, 503])("is tried again after a %d", (status) => {
    expect(settle(started, answered(status))[0]).toMatchObject({
      callback: { status: "pending", attempts: 1, lastStatus: status },
      dueAt: NOW + 5_000,
    });
  });

  test("follows the published schedule, and fails after its last attempt", () => {
    const minutes: number[] = [];
    let job = started;
    for (;;) {
      [job] = settle(job, { kind: "unanswered" });
      if (job.dueAt === null) break;
      minutes.push((job.dueAt - NOW) / 60_000);
    }
    expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
    expect(job.callback).toMatchObject({ status: "failed", attempts: WEBHOOK_ATTEMPTS, lastStatus: null });
  });

  test("waits at least as long as the endpoint asks, and spreads by up to a tenth of its pause", () => {
    expect(settle(started, answered(429, 60_000))[0].dueAt).toBe(NOW + 60_000);
    expect(settle(started, answered(503, 1_000))[0].dueAt).toBe(NOW + 5_000);
    expect(settle(started, answered(500), 0.999)[0].dueAt).toBe(NOW + 5_500);
  });

  test("takes no report twice, none of another attempt, and none once it is over", () => {
    const [tried] = settle(started, answered(500));
    const again = { claim: nextOf(started), end: answered(200), random: 0 };
    expect(settleCallback(tried, NOW, again)).toEqual([tried, false]);
    const [over] = settle(started, answered(200));
    expect(settle(over, answered(500))).toEqual([over, false]);
    expect(settle(alive, answered(200))[1]).toBe(false);
  });

  test("takes no report about an end that is none any more, and starts anew with the next one", () => {
    const [dead] = settleAttempt(recorded({ callback: TARGET, maxAttempts: 1 }), failed(true));
    const [tried] = settle(dead, answered(500));
    const late = { claim: nextOf(tried), end: answered(200), random: 0 };
    const [redriven] = redriveJob(tried, NOW);
    expect(redriven.callback).toEqual(alive.callback);
    expect(settleCallback(redriven, NOW, late)).toEqual([redriven, false]);
    const [again] = claimJob(redriven, NOW, LEASE);
    const [ended] = settleAttempt(again, succeeded);
    expect(settleCallback(ended, NOW, { ...late, claim: { ...late.claim, attempt: 1 } })[1]).toBe(false);
    expect(claimCallback(ended, ended.dueAt!)).toMatchObject({ eventId: "job-1-2", attempt: 1 });
  });

  trial("comes to an end, whatever its endpoint does", () => {
    const ends = fc.array(
      fc.oneof(
        fc.constant<CallbackEnd>({ kind: "unanswered" }),
        fc.record({
          kind: fc.constant("answered" as const),
          status: fc.integer({ min: 200, max: 599 }),
          retryAfterMs: fc.option(fc.integer({ min: 0, max: 3_600_000 })),
        }),
      ),
      { minLength: WEBHOOK_ATTEMPTS, maxLength: WEBHOOK_ATTEMPTS },
    );
    fc.assert(
      fc.property(ends, fc.double({ min: 0, max: 0.999, noNaN: true }), (list, random) => {
        let job = started;
        for (const end of list) {
          const before = job.callback!.attempts;
          const [next, accepted] = settle(job, end, random);
          expect(accepted).toBe(job.dueAt !== null);
          if (accepted) expect(next.callback!.attempts).toBe(before + 1);
          if (next.dueAt !== null) expect(next.dueAt).toBeGreaterThanOrEqual(NOW + 5_000);
          job = next;
        }
        expect(job.dueAt).toBeNull();
        expect(["delivered", "disabled", "failed"]).toContain(job.callback!.status);
      }),
    );
  });

  test("is shown without its address", () => {
    expect(shown(settle(started, answered(500))[0])).toEqual({
      status: "pending",
      attempts: 1,
      lastStatus: 500,
      nextAttemptAt: NOW + 5_000,
    });
  });
});
