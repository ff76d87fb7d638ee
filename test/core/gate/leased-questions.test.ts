import { describe, expect, test } from "vitest";

import {
  type AdmissionAnswer,
  type AdmissionRequest,
  STALE,
} from "../../../src/core/contract/gate/admission.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { createLeasedAdmission, IsolateQuota } from "../../../src/core/gate/leased-admission.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** Never leased, so that every request asks. */
const RARE = { bucket: "key:rare", limit: 10, windowS: 1 };
const ALLOWED = { allowed: true, remaining: 9, resetMs: 100, retryAfterMs: 0 };
const ANSWER: AdmissionAnswer = { quota: ALLOWED, denied: [], recorded: [], refusedJobs: [] };

/** One isolate whose gate answers when, and what, a test says. */
function createIsolate() {
  const clock = new VirtualClock(1_000_000);
  const held = new IsolateQuota();
  const sent: {
    readonly request: AdmissionRequest;
    answer(said?: Partial<AdmissionAnswer>): void;
    fail(): void;
  }[] = [];
  const admit = createLeasedAdmission({
    held,
    clock,
    defer: () => {},
    send(request) {
      const { promise, resolve, reject } = Promise.withResolvers<AdmissionAnswer>();
      sent.push({
        request,
        answer: (said) => resolve({ ...ANSWER, ...said }),
        fail: () => reject(new Error("The gate is down")),
      });
      return promise;
    },
  });
  const ask = (parts: Partial<AdmissionRequest> = {}) =>
    admit({ quota: RARE, draws: [], jobs: [], allOrNothing: false, ...parts });
  return { clock, held, sent, ask };
}

describe("A plan that was made with other tools than the isolate has heard of", () => {
  test("is stale, and its gate is not asked", async () => {
    const { sent, ask } = createIsolate();
    expect(await ask({ toolsVersion: 1 })).toEqual(STALE);
    expect(await ask({ toolsVersion: 1, jobs: [{ index: 0, spec: {} as never }] })).toEqual(STALE);
    expect(sent).toEqual([]);
    void ask({ toolsVersion: 0 });
    void ask();
    expect(sent).toHaveLength(2);
  });

  test("is stale from the moment on at which an answer tells of another version", async () => {
    const { sent, ask } = createIsolate();
    const asked = ask({ toolsVersion: 0 });
    sent[0]!.answer({ toolsVersion: 3 });
    await asked;
    for (const toolsVersion of [0, 2, 4]) expect(await ask({ toolsVersion })).toEqual(STALE);
    expect(sent).toHaveLength(1);
    void ask({ toolsVersion: 3 });
    expect(sent).toHaveLength(2);
  });

  test("goes by the question that was sent last, in whichever order the answers come", async () => {
    const { clock, held, sent, ask } = createIsolate();
    const first = ask();
    await clock.advance(5);
    const second = ask();
    sent[1]!.answer({ toolsVersion: 2 });
    await second;
    sent[0]!.answer({ toolsVersion: 1 });
    await first;
    expect(held.toolsVersion).toBe(2);
    // The order of two questions at one moment is not known: the answer that came last counts.
    const third = ask();
    sent[2]!.answer();
    await third;
    expect(held.toolsVersion).toBe(0);
  });

  test("an answer that never came says nothing of tools", async () => {
    const { held, sent, ask } = createIsolate();
    held.hearTools(0, 7);
    const asked = ask();
    sent[0]!.fail();
    await expect(asked).rejects.toThrow("The gate is down");
    expect(held.toolsVersion).toBe(7);
  });
});

describe("While a gate has not answered in time", () => {
  test("those that wait go on, the first first, when a question has ended; no others", async () => {
    const { clock, sent, ask } = createIsolate();
    const failed = ask();
    sent[0]!.fail();
    await expect(failed).rejects.toThrow();
    const one = ask();
    const waiting = [ask(), ask(), ask()];
    for (const each of waiting) each.catch(() => {});
    await clock.advance(10);
    expect(sent).toHaveLength(2);
    sent[1]!.answer();
    await one;
    await clock.advance(0);
    // Room for two, because one was answered.
    expect(sent).toHaveLength(4);
    sent[2]!.answer();
    await waiting[0];
    await clock.advance(0);
    expect(sent).toHaveLength(5);
  });

  test("those that find no place in a while end as if they had asked in vain", async () => {
    const { clock, sent, ask } = createIsolate();
    const failed = ask();
    sent[0]!.fail();
    await expect(failed).rejects.toThrow();
    void ask();
    const late = ask();
    const ended = expect(late).rejects.toThrow("does not answer in time");
    await clock.advance(249);
    expect(sent).toHaveLength(2);
    await clock.advance(1);
    await ended;
    expect(sent).toHaveLength(2);
  });

  test("a question takes its place until it could not be answered any more", async () => {
    const { clock, sent, ask } = createIsolate();
    const failed = ask();
    sent[0]!.fail();
    await expect(failed).rejects.toThrow();
    void ask();
    await clock.advance(2 * LIMITS.admissionTimeoutMs - 1);
    void ask().catch(() => {});
    expect(sent).toHaveLength(2);
    await clock.advance(1);
    void ask();
    expect(sent).toHaveLength(3);
  });
});

describe("A refusal of the gate", () => {
  const OVER = { allowed: false, remaining: 0, resetMs: 1_000, retryAfterMs: 100 };

  test("is refused here with what is left of its times, and asked again when they are over", async () => {
    const { clock, sent, ask } = createIsolate();
    const asked = ask();
    sent[0]!.answer({ quota: OVER });
    expect((await asked).quota).toEqual(OVER);
    expect((await ask()).quota).toEqual(OVER);
    await clock.advance(40);
    expect(await ask()).toEqual({
      quota: { ...OVER, retryAfterMs: 60, resetMs: 960 },
      denied: [],
      recorded: [],
      refusedJobs: [],
    });
    await clock.advance(60);
    void ask();
    expect(sent).toHaveLength(2);
  });

  test("is what it named as used up: another key's requests go on", async () => {
    const { sent, ask } = createIsolate();
    const maker = { bucket: "key:maker", limit: 10, windowS: 1 };
    const asked = ask({ quota: { ...RARE, makers: [maker] } });
    sent[0]!.answer({ quota: { ...OVER, usedUp: maker.bucket } });
    await asked;
    expect((await ask({ quota: { ...RARE, bucket: "key:sister", makers: [maker] } })).quota?.allowed).toBe(
      false,
    );
    void ask();
    expect(sent).toHaveLength(2);
  });
});
