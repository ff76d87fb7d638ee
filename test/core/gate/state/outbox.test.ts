import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeFailure, toWireFailure } from "../../../../src/core/contract/failure.ts";
import type { AttemptEnd, Delivery, JobClaim, JobSpec } from "../../../../src/core/contract/gate/job.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { WEBHOOK_ATTEMPTS } from "../../../../src/core/kit/webhook-schedule.ts";
import { cancelJob, redriveJob } from "../../../../src/core/gate/state/change-job.ts";
import {
  buryJob,
  claimJob,
  type Job,
  queueJob,
  toJobRecord,
} from "../../../../src/core/gate/state/outbox.ts";
import { settleJob } from "../../../../src/core/gate/state/settle-job.ts";
import {
  AFTER_LEASE,
  failed,
  LEASE,
  lost,
  NOW,
  recorded,
  settle,
  specOf,
  succeeded,
} from "../../../support/sample-jobs.ts";

const deferred: AttemptEnd = {
  kind: "deferred",
  error: toWireFailure(makeFailure("CIRCUIT_OPEN", { retryAfterMs: 5_000 })),
};

describe("A job that is to begin later", () => {
  const later = NOW + LIMITS.jobDelayMs;

  test("waits without an attempt, and its first one is claimed when its time has come", () => {
    const job = recorded({ runAt: later });
    expect(job).toMatchObject({ status: "retrying", attempts: 0, dueAt: later });
    expect(claimJob(job, later - 1, LEASE)).toEqual([job, null]);
    const [claimed, claim] = claimJob(job, later, LEASE);
    expect(claimed).toMatchObject({ status: "running", attempts: 1 });
    expect(claim).toMatchObject({ attempt: 1 });
  });

  test("begins at once when its time has passed", () => {
    expect(recorded({ runAt: NOW })).toEqual({ ...recorded(), spec: specOf({ runAt: NOW }) });
  });

  test("may be cancelled before, and then was never sent", () => {
    const [cancelled, accepted] = cancelJob(recorded({ runAt: later }), NOW + 1);
    expect(accepted).toBe(true);
    expect(cancelled.note).toBe("Cancelled before anything was sent.");
  });

  test("waits for an upstream that is down as long as any other, counted from its time", () => {
    const [claimed] = claimJob(recorded({ runAt: later }), later, LEASE);
    const [waiting] = settleJob(claimed, later + 1, { fence: claimed.fence, end: deferred, random: 0.5 });
    expect(waiting).toMatchObject({ status: "retrying", attempts: 0 });
  });

  test("took as long as it took from its time to its end", () => {
    const [claimed] = claimJob(recorded({ runAt: later }), later, LEASE);
    const [over] = settleJob(claimed, later + 250, { fence: claimed.fence, end: succeeded, random: 0 });
    expect(toJobRecord(over).durationMs).toBe(250);
    expect(toJobRecord(claimed).durationMs).toBeUndefined();
  });
});

describe("A job whose upstream is known to fail", () => {
  test("waits as long as it is told and a jitter more, and loses no attempt", () => {
    const [waiting, accepted] = settle(recorded(), deferred);
    expect(accepted).toBe(true);
    expect(waiting).toMatchObject({ status: "retrying", attempts: 0 });
    expect(waiting.dueAt).toBe(NOW + 1_000 + 5_000 + 550);
    expect(JSON.parse(waiting.errorJson!)).toMatchObject({ code: "CIRCUIT_OPEN" });
  });

  test("waits longer each time, and has all its attempts when the upstream is back", () => {
    let job = recorded();
    const waits: number[] = [];
    for (let round = 0; round < 50; round += 1) {
      const now = job.dueAt!;
      const [claimed] = claimJob(job, now, LEASE);
      [job] = settleJob(claimed, now, { fence: claimed.fence, end: deferred, random: 0.5 });
      expect(job).toMatchObject({ status: "retrying", attempts: 1 });
      waits.push(job.dueAt! - now);
    }
    expect(waits.toSorted((a, b) => a - b)).toEqual(waits);
    expect(Math.max(...waits)).toBeLessThanOrEqual(LIMITS.jobBackoffMaxMs);
  });

  test("may be tried again even when it is at-most-once, because nothing was sent", () => {
    expect(settle(recorded({ delivery: "at-most-once" }), deferred)[0].status).toBe("retrying");
  });

  test("uses its attempts up like any other when it has waited for a day", () => {
    const late = NOW + LIMITS.jobDeferralMs;
    const [job] = settleJob(recorded(), late, { fence: 1, end: deferred, random: 0.5 });
    expect(job).toMatchObject({ status: "retrying", attempts: 1 });
    const [dead] = settleJob({ ...recorded(), attempts: 3 }, late, { fence: 1, end: deferred, random: 0.5 });
    expect(dead.status).toBe("dead");
  });

  test("is not heard when its claim is not the row's any more", () => {
    expect(settle(recorded(), deferred, 7)[1]).toBe(false);
  });
});

describe("A job's tries", () => {
  const refused = (status: number): AttemptEnd => ({
    kind: "failed",
    error: toWireFailure(makeFailure("UPSTREAM_ERROR", { retryable: true, upstreamStatus: status })),
  });

  test("are its attempts that have ended, with when each began, how long it took and what it failed with", () => {
    const [waiting] = settle(recorded(), refused(503));
    const [running] = claimJob(waiting, waiting.dueAt!, LEASE);
    expect(toJobRecord(running).tries).toHaveLength(1);
    const [ended] = settleJob(running, waiting.dueAt! + 70, { fence: 2, end: succeeded, random: 0 });
    expect(toJobRecord(ended).tries).toEqual([
      { at: NOW, durationMs: 1_000, code: "UPSTREAM_ERROR", upstreamStatus: 503 },
      { at: waiting.dueAt, durationMs: 70 },
    ]);
  });

  test.each<Delivery>(["at-least-once", "at-most-once"])(
    "have an attempt of an %s job that never reported, as long as its lease was",
    (delivery) => {
      const [after] = claimJob(recorded({ delivery }), AFTER_LEASE + 5_000, LEASE);
      const tried = { at: NOW, durationMs: LEASE, code: "INTERNAL" };
      expect(after.tries).toEqual([{ ...tried, inDoubt: true }]);
      const [read] = claimJob(recorded({ delivery, isRead: true }), AFTER_LEASE + 5_000, LEASE);
      expect(read.tries).toEqual([tried]);
    },
  );

  test("say of one that failed at one thing that another may have taken effect, and so does the job until it succeeds", () => {
    const [job] = settle(recorded(), { ...refused(500), inDoubt: true });
    expect(toJobRecord(job)).toMatchObject({
      inDoubt: true,
      tries: [{ code: "UPSTREAM_ERROR", inDoubt: true }],
    });
    const [running] = claimJob(job, job.dueAt!, LEASE);
    const [ended] = settleJob(running, job.dueAt! + 70, { fence: 2, end: succeeded, random: 0 });
    expect(toJobRecord(ended).inDoubt).toBeUndefined();
  });

  test("have no attempt that was given back before it called anything", () => {
    expect(settle(recorded(), { kind: "released" })[0].tries).toEqual([]);
    expect(settle(recorded(), deferred)[0].tries).toEqual([]);
    const [first] = claimJob(queueJob(specOf(), NOW), NOW, LEASE);
    expect(first.tries).toEqual([]);
  });

  test("are the last twenty, also over redrives", () => {
    let job = recorded({ maxAttempts: 1 });
    for (let n = 1; n <= LIMITS.jobTries + 1; n += 1) {
      [job] = settleJob(job, job.updatedAt + n, { fence: job.fence, end: refused(500), random: 0 });
      [job] = redriveJob(job, job.updatedAt);
      [job] = claimJob(job, job.dueAt!, LEASE);
    }
    const durations = Array.from({ length: LIMITS.jobTries }, (_, n) => n + 2);
    expect(job.tries.map(({ durationMs }) => durationMs)).toEqual(durations);
  });
});

describe("recordJob()", () => {
  test("starts as attempt 1 under fence 1, with a lease", () => {
    expect(recorded()).toMatchObject({ status: "running", attempts: 1, fence: 1, dueAt: AFTER_LEASE });
  });
});

describe("queueJob()", () => {
  test("is due at once, with its first attempt still to be counted", () => {
    const job = queueJob(specOf(), NOW);
    expect(job).toMatchObject({ status: "running", attempts: 0, fence: 0, dueAt: NOW });
    expect(claimJob(job, NOW, LEASE)[1]).toMatchObject({ attempt: 1, fence: 1 });
  });

  test("is claimed even at most once, and after a long wait: nothing was sent yet", () => {
    const job = queueJob(specOf({ delivery: "at-most-once" }), NOW);
    const [running, claim] = claimJob(job, NOW + 9 * LEASE, LEASE);
    expect(claim).toMatchObject({ attempt: 1 });
    expect(claimJob(running, running.dueAt!, LEASE)[0].status).toBe("unknown");
    expect(cancelJob(job, NOW)[0].note).toBe("Cancelled before anything was sent.");
  });

  test("takes no report before it was claimed", () => {
    const job = queueJob(specOf(), NOW);
    expect(settleJob(job, NOW, { fence: 1, end: succeeded, random: 0 })).toEqual([job, false]);
  });
});

describe("A run of a flow", () => {
  const run = { trigger: "webhook", deadlineMs: 60_000 } as const;

  test("is due at once when it is queued, and has its lease when it is claimed", () => {
    const queued = queueJob(specOf({ run }), NOW);
    expect(queued.dueAt).toBe(NOW);
    const [claimed] = claimJob(queued, NOW, LEASE);
    expect(claimed.dueAt).toBe(NOW + LEASE);
  });

  test("that failed for good is dead, so that it can be redriven; what may have happened is unknown", () => {
    const error = toWireFailure(makeFailure("DEPENDENCY_FAILED"));
    const settled = (end: AttemptEnd): Job =>
      settleJob(recorded({ run }), NOW, { fence: 1, end, random: 0, mayMend: "unless refused" })[0];
    expect(settled({ kind: "failed", error }).status).toBe("dead");
    expect(settle(recorded(), { kind: "failed", error })[0].status).toBe("failed");
    expect(settled({ kind: "unknown", error }).status).toBe("unknown");
  });

  test.each([
    ["NOT_FOUND", undefined, "failed"],
    ["NOT_FOUND", 404, "failed"],
    ["UPSTREAM_ERROR", 422, "failed"],
    ["UPSTREAM_ERROR", 408, "dead"],
    ["UPSTREAM_ERROR", 501, "dead"],
    ["FLOW_BROKEN", undefined, "dead"],
  ] as const)("of which a service refused an action is failed: %s, %s", (code, upstreamStatus, status) => {
    const answered = upstreamStatus === undefined ? {} : { upstreamStatus };
    const error = toWireFailure(makeFailure(code, { ...answered, retryable: false }));
    const command = {
      fence: 1,
      end: { kind: "failed", error },
      random: 0,
      mayMend: "unless refused",
    } as const;
    expect(settleJob(recorded({ run }), NOW, command)[0].status).toBe(status);
  });

  test("keeps the envelope of its last attempt that has ended", () => {
    const command = { fence: 1, end: failed(true), random: 0 };
    const [retrying] = settleJob(recorded({ run }), NOW, { ...command, envelopeJson: "{}" });
    expect(toJobRecord(retrying)).toMatchObject({ envelopeJson: "{}", trigger: "webhook", key: undefined });
    const [again] = claimJob(retrying, retrying.dueAt!, LEASE);
    const [ended] = settleJob(again, NOW, { ...command, fence: 2 });
    expect(toJobRecord(ended).envelopeJson).toBe("{}");
  });
});

describe("claimJob()", () => {
  test("leaves a job alone while its lease runs", () => {
    const job = recorded();
    expect(claimJob(job, AFTER_LEASE - 1, LEASE)).toEqual([job, null]);
  });

  test("takes over when the lease ran out, counting the attempt before it runs", () => {
    const [job, claim] = claimJob(recorded(), AFTER_LEASE, LEASE);
    expect(claim).toEqual({ spec: specOf(), attempt: 2, fence: 2 });
    expect(job).toMatchObject({
      status: "running",
      attempts: 2,
      fence: 2,
      dueAt: AFTER_LEASE + LEASE,
    });
  });

  test("F23 is a no-op the second time", () => {
    const [job] = claimJob(recorded(), AFTER_LEASE, LEASE);
    expect(claimJob(job, AFTER_LEASE, LEASE)).toEqual([job, null]);
  });

  test("ends an at-most-once job as unknown instead of running it twice", () => {
    const [job, claim] = claimJob(recorded({ delivery: "at-most-once" }), AFTER_LEASE, LEASE);
    expect(claim).toBeNull();
    expect(job).toMatchObject({ status: "unknown", attempts: 1, dueAt: null });
    expect(job.errorJson).toContain("may have taken effect");
  });

  test("ends a job without attempts left as dead, and says so", () => {
    const [job, claim] = claimJob(recorded({ maxAttempts: 1 }), AFTER_LEASE, LEASE);
    expect(claim).toBeNull();
    expect(job).toMatchObject({ status: "dead", dueAt: null });
    expect(job.errorJson).toContain("Attempt 1 of 1 ended without a report");
  });

  test("ends a job whose arguments are not JSON as dead, and says so", () => {
    const [job, claim] = claimJob(recorded({ argsJson: '{"to":' }), AFTER_LEASE, LEASE);
    expect(claim).toBeNull();
    expect(job.status).toBe("dead");
    expect(job.errorJson).toContain("arguments cannot be read");
  });

  test("claims a retry of an at-most-once job that certainly failed", () => {
    const [retrying] = settle(recorded({ delivery: "at-most-once" }), failed(true));
    expect(claimJob(retrying, retrying.dueAt!, LEASE)[1]).toMatchObject({ attempt: 2, fence: 2 });
  });

  test("never claims a final job", () => {
    const [job] = settle(recorded(), succeeded);
    expect(claimJob(job, Number.MAX_SAFE_INTEGER, LEASE)).toEqual([job, null]);
  });
});

describe("settleJob()", () => {
  test("keeps the data of a success", () => {
    const [job, accepted] = settle(recorded(), succeeded);
    expect(accepted).toBe(true);
    expect(job).toMatchObject({ status: "succeeded", dataJson: '{"ok":true}', dueAt: null, note: null });
  });

  test("drops data that is too large, and says so", () => {
    const dataJson = JSON.stringify("ü".repeat(LIMITS.jobDataBytes / 2));
    const [job] = settle(recorded(), { kind: "succeeded", dataJson });
    expect(job).toMatchObject({ status: "succeeded", dataJson: null, errorJson: null });
    expect(job.note).toBe("The job succeeded. Its output of 65538 bytes was not kept: at most 65536 are.");
  });

  test("keeps data of exactly the most bytes", () => {
    const dataJson = JSON.stringify("x".repeat(LIMITS.jobDataBytes - 2));
    expect(settle(recorded(), { kind: "succeeded", dataJson })[0].dataJson).toBe(dataJson);
  });

  test("F13 refuses an older fence, a second report, and a job that is not running", () => {
    const [claimed] = claimJob(recorded(), AFTER_LEASE, LEASE);
    expect(settle(claimed, succeeded, 1)).toEqual([claimed, false]);
    const [done] = settle(recorded(), succeeded);
    expect(settle(done, failed(false))).toEqual([done, false]);
    const [retrying] = settle(recorded(), failed(true));
    expect(settle(retrying, succeeded)).toEqual([retrying, false]);
  });

  test("believes a late report as long as the job was not claimed", () => {
    const [job, accepted] = settleJob(recorded(), AFTER_LEASE + 5_000, {
      fence: 1,
      end: succeeded,
      random: 0,
    });
    expect([job.status, accepted]).toEqual(["succeeded", true]);
  });

  test("fails for good what a retry cannot repair", () => {
    expect(settle(recorded(), failed(false))[0]).toMatchObject({ status: "failed", dueAt: null });
  });

  test("F21 ends as dead, which can be redriven, when the tool is gone", () => {
    const gone = toWireFailure(makeFailure("UNKNOWN_TOOL", { hint: "The tool is no longer deployed." }));
    const [job] = settle(recorded(), { kind: "failed", error: gone });
    expect(job.status).toBe("dead");
    expect(job.errorJson).toContain("no longer deployed");
  });

  test("retries with jitter, and dies when no attempt is left", () => {
    const [retrying] = settle(recorded(), failed(true));
    expect(retrying).toMatchObject({ status: "retrying", dueAt: NOW + 1_000 + 550 });
    expect(settle(recorded({ maxAttempts: 1 }), failed(true))[0].status).toBe("dead");
  });

  test.each([
    ["a second", 2_000, 2_000, 3_000],
    ["longer than the longest", 3_600_000, LIMITS.jobBackoffMaxMs, LIMITS.jobBackoffMaxMs],
    ["a negative time", -5_000, 0, 1_000],
  ])("waits at least as long as asked: %s", (_, askedMs, leastMs, mostMs) => {
    for (const random of [0, 0.5, 0.999]) {
      const [job] = settle(recorded(), failed(true, askedMs), 1, random);
      expect(job.dueAt! - job.updatedAt).toBeGreaterThanOrEqual(leastMs);
      expect(job.dueAt! - job.updatedAt).toBeLessThanOrEqual(mostMs);
    }
  });

  test("retries a lost attempt when it may run twice, else says unknown", () => {
    expect(settle(recorded(), lost)[0].status).toBe("retrying");
    expect(settle(recorded({ delivery: "at-most-once" }), lost)[0]).toMatchObject({
      status: "unknown",
      dueAt: null,
    });
  });

  test("retries a lost attempt whatever is said of it: what may run twice is not in doubt", () => {
    const error = toWireFailure(makeFailure("TIMEOUT", { retryable: false }));
    expect(settle(recorded(), { kind: "lost", error })[0].status).toBe("retrying");
  });

  test("takes an attempt back that never began, without counting it", () => {
    const [job, accepted] = settle(recorded({ delivery: "at-most-once", maxAttempts: 1 }), {
      kind: "released",
    });
    expect(accepted).toBe(true);
    expect(job).toMatchObject({ status: "retrying", attempts: 0, dueAt: NOW + 1_000 });
    expect(claimJob(job, NOW + 1_000, LEASE)[1]).toMatchObject({ attempt: 1, fence: 2 });
  });

  test("counts and spaces the later attempts that are given back, so they come to an end", () => {
    const [claimed] = claimJob(recorded(), AFTER_LEASE, LEASE);
    const [job] = settle(claimed, { kind: "released" });
    expect(job).toMatchObject({ status: "retrying", attempts: 2 });
    expect(job.dueAt).toBeGreaterThan(NOW + 1_000);
  });
});

describe("a job on the schedule of webhooks", () => {
  const spec = { retries: "standard-webhooks", maxAttempts: WEBHOOK_ATTEMPTS } as const;
  const settledAt = NOW + 1_000;
  const dueAfter = (end: AttemptEnd, random = 0) =>
    settle(recorded(spec), end, 1, random)[0].dueAt! - settledAt;

  test("has its attempts when Standard Webhooks says, is dead after the last, and starts anew when redriven", () => {
    let job = recorded(spec);
    const minutes: number[] = [];
    for (;;) {
      [job] = settle(job, failed(true), job.fence, 0);
      if (job.dueAt === null) break;
      minutes.push((job.dueAt - settledAt) / 60_000);
      [job] = claimJob(job, job.dueAt, LEASE);
    }
    expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]);
    expect(job).toMatchObject({ status: "dead", attempts: WEBHOOK_ATTEMPTS });
    const [redriven] = redriveJob(job, NOW);
    const [again] = claimJob(redriven, NOW, LEASE);
    expect(settle(again, failed(true), again.fence, 0)[0]).toMatchObject({
      attempts: 1,
      dueAt: settledAt + 5_000,
    });
  });

  test("is never sooner than its receiver asks, however long that is, and a little later by chance", () => {
    expect(dueAfter(failed(true, 3_600_000))).toBe(3_600_000);
    expect(dueAfter(failed(true, 1_000))).toBe(5_000);
    expect(dueAfter(failed(true), 0.999)).toBe(5_500);
  });

  test("waits as long after an attempt that was lost, and ends at once where nothing is to be repeated", () => {
    expect(dueAfter(lost)).toBe(5_000);
    expect(settle(recorded(spec), failed(false))[0]).toMatchObject({ status: "failed", dueAt: null });
  });

  test("waits by backoff for an attempt that was not made, which its schedule does not count", () => {
    const [job] = settle(recorded(spec), deferred, 1, 0);
    expect(job).toMatchObject({ status: "retrying", attempts: 0, dueAt: settledAt + 5_000 + 100 });
  });

  test("goes on by backoff where the version that recorded it had no schedule", () => {
    const [job] = settle(recorded({ maxAttempts: WEBHOOK_ATTEMPTS }), failed(true), 1, 0);
    expect(job.dueAt).toBe(settledAt + 100);
  });

  test("that has more attempts than the schedule has pauses goes on by backoff", () => {
    const job = { ...recorded({ ...spec, maxAttempts: 20 }), attempts: WEBHOOK_ATTEMPTS };
    expect(settle(job, failed(true), 1, 0)[0]).toMatchObject({ status: "retrying", dueAt: settledAt + 100 });
  });
});

describe("a job's whole life", () => {
  const ends = fc.constantFrom<AttemptEnd | "silent" | "cancel">(
    succeeded,
    failed(true),
    failed(false),
    lost,
    { kind: "released" },
    "silent",
    "cancel",
  );
  const steps = fc.array(
    fc.record({
      end: ends,
      waitMs: fc.integer({ min: 0, max: 60_000 }),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    }),
    { maxLength: 30 },
  );

  test("P4: ends, never lost, never more attempts than allowed, at-most-once never uncertainly twice, stale fences refused", () => {
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom<Delivery>("at-least-once", "at-most-once"),
        (life, maxAttempts, delivery) => {
          let job = recorded({ maxAttempts, delivery });
          let claim: JobClaim | null = { spec: job.spec, attempt: 1, fence: 1 };
          let now = NOW;
          let uncertain = 0;
          const silent = { end: "silent" as const, waitMs: 0, random: 0 };
          for (let step = 0; job.dueAt !== null; step += 1) {
            expect(step).toBeLessThan(20);
            const { end, waitMs, random } = life[step] ?? silent;
            now += waitMs;
            const stale = settleJob(job, now, { fence: job.fence - 1, end: succeeded, random });
            expect(stale).toEqual([job, false]);
            if (end === "cancel") {
              [job] = cancelJob(job, now);
              break;
            }
            if (claim !== null && end !== "silent")
              [job] = settleJob(job, now, { fence: claim.fence, end, random });
            if (end === "silent" || end.kind === "lost") uncertain += 1;
            if (job.dueAt === null) break;
            now = Math.max(now, job.dueAt);
            const before = job;
            [job, claim] = claimJob(job, now, LEASE);
            if (claim !== null) {
              expect(uncertain === 0 || delivery === "at-least-once").toBe(true);
              expect(job).toMatchObject({ fence: before.fence + 1, attempts: before.attempts + 1 });
            }
            expect(job.attempts).toBeLessThanOrEqual(maxAttempts);
          }
          expect(["succeeded", "failed", "dead", "cancelled", "unknown"]).toContain(job.status);
          expect(job.dueAt).toBeNull();
          const [again, redriven] = redriveJob(job, now);
          // A call that may have been sent at most once is never given another attempt.
          if (redriven) expect(delivery === "at-least-once" || uncertain === 0).toBe(true);
          expect(redriven).toBe(job.status === "dead");
          expect(again.spec).toEqual(job.spec);
        },
      ),
    );
  });
});

describe("buryJob() and toJobRecord()", () => {
  test("show a dead job with its reason", () => {
    const record = toJobRecord(buryJob(recorded(), NOW + 1, "Its record cannot be read."));
    expect(record).toMatchObject({
      id: "job-1",
      status: "dead",
      attempts: 1,
      nextAttemptAt: null,
      updatedAt: NOW + 1,
    });
    expect(JSON.parse(record.errorJson!)).toMatchObject({
      code: "INTERNAL",
      hint: "Its record cannot be read.",
    });
  });

  test("show who asked and with what: for a run no caller did, and what is not kept is not there", () => {
    const origin = { tenant: "acme", key: "ci", requestId: "r", batchId: "b" };
    const asked = toJobRecord(recorded({ origin, argsJson: '{"n":1}' }));
    expect(asked).toMatchObject({ key: "ci", batchId: "b", argsJson: '{"n":1}' });
    const run = { trigger: "webhook" } as unknown as NonNullable<JobSpec["run"]>;
    const ran = toJobRecord(recorded({ origin, argsJson: "", run }));
    expect(ran).toMatchObject({ key: undefined, argsJson: undefined, trigger: "webhook" });
  });

  test("ask no caller to try again what cannot be run", () => {
    const of = (job: Job): unknown => JSON.parse(toJobRecord(job).errorJson!);
    expect(of(buryJob(recorded(), NOW, "why"))).toMatchObject({ code: "INTERNAL", retryable: false });
    const [lostForGood] = claimJob(recorded({ delivery: "at-most-once" }), AFTER_LEASE, LEASE);
    expect(of(lostForGood)).toMatchObject({ code: "INTERNAL", retryable: false });
  });

  test("leave a job that was queued for later to its time", () => {
    expect(queueJob(specOf({ runAt: NOW + 5_000 }), NOW)).toMatchObject({
      status: "retrying",
      dueAt: NOW + 5_000,
    });
    expect(queueJob(specOf(), NOW)).toMatchObject({ status: "running", attempts: 0, fence: 0, dueAt: NOW });
  });

  test("show the next attempt of a retrying job, and not the lease of a running one", () => {
    expect(toJobRecord(recorded()).nextAttemptAt).toBeNull();
    expect(toJobRecord(settle(recorded(), failed(true))[0]).nextAttemptAt).toBe(NOW + 1_550);
  });
});
