import * as LIMITS from "../../../src/core/contract/limits.ts";
import { findExcess } from "../../../test/chaos/find-excess.ts";
import { findRunViolations } from "../../../test/chaos/find-run-violations.ts";
import { findViolations, isLost, type JobEvidence } from "../../../test/chaos/find-violations.ts";
import type {
  BrokenRequest,
  CallbackEvidence,
  Evidence,
  QuestionEvidence,
  WriteEvidence,
} from "../load/ledger.ts";
import { judgeCases, type Verdict } from "./verdict.ts";

/** While the runtime was gone, and a moment more, in milliseconds since the epoch. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

/** A machine that is just busy answers that it cannot now and then; more of these are a fault. */
const UNAVAILABLE_SHARE = 0.01;

/** Judge everything that Volley promises and that can be seen from outside. */
export function judgePromises(evidence: Evidence, outages: readonly Outage[]): Verdict[] {
  const { writes, jobs, runs, callbacks, questions, limits, caps, clock } = evidence;
  const asked = Object.values(evidence.answers).reduce((sum, count) => sum + count, 0);
  const unavailable = evidence.unavailable.filter((one) => !isExcused(one, outages));
  return [
    judgeCases(
      "P1 P7 answers: each action once, in order, its own; codes of the contract; no secret",
      asked,
      evidence.problems,
    ),
    judgeCases(
      "requests that broke off while the runtime was there",
      evidence.broken.length,
      evidence.broken.filter((one) => !isExcused(one, outages)).map(({ kind, from }) => `${kind} at ${from}`),
    ),
    {
      what: "503 while the runtime was there",
      found: `${unavailable.length} of ${asked.toLocaleString("en")}`,
      bound: `${UNAVAILABLE_SHARE * 100} %`,
      isFine: unavailable.length <= asked * UNAVAILABLE_SHARE,
      cases: unavailable.slice(0, 5).map(({ kind, from }) => `${kind} at ${from}`),
    },
    judgeJobs(jobs),
    judgeCases(
      "P2 reads that became jobs: ended",
      evidence.late.length,
      evidence.late
        .filter(({ status }) => status === "nothing")
        .map(({ jobId }) => `job ${jobId} has no end`),
    ),
    judgeCases(
      "P2 P4 runs of webhooks: one per event, ended",
      runs.length,
      findRunViolations(runs, LIMITS.jobAttempts),
    ),
    judgeCases(
      "P4 P5 writes: none received twice, none made up",
      writes.length,
      writes.flatMap(findWriteViolations),
    ),
    judgeCases(
      "callbacks: delivered once, with how it ended",
      callbacks.length,
      callbacks.flatMap(findCallbackViolations),
    ),
    judgeCases(
      "confirmations: done once after a yes, never otherwise",
      questions.length,
      questions.flatMap(findQuestionViolations),
    ),
    ...limits.map(({ name, denied, passages, ...rate }): Verdict => {
      const excess = findExcess(passages, rate);
      return {
        what: `P3 ${name}: ${rate.limit} in ${rate.windowS} s`,
        found: `${passages.length} let through, ${denied} turned away, ${excess} too many`,
        bound: "none too many, and the limit reached",
        isFine: excess === 0 && denied > 0,
      };
    }),
    ...caps.map(({ name, cap, peak, calls }): Verdict => ({
      what: `P3 ${name}: ${cap} at once`,
      found: `${peak} at once`,
      bound: `${cap}`,
      isFine: peak <= cap && calls > 0,
    })),
    {
      what: "runs of a clock, one a minute",
      found: `${clock.runs} for ${clock.times} times`,
      bound: "one each, the last perhaps to come",
      isFine: clock.runs <= clock.times && clock.runs >= clock.times - 1,
    },
    {
      what: "P8 requests to a host that no tool declares",
      found: `${evidence.strayed}`,
      bound: "none",
      isFine: evidence.strayed === 0,
    },
    judgeCases(
      "requests to the model, as its API has them",
      evidence.modelProblems.length,
      evidence.modelProblems,
    ),
  ];
}

function judgeJobs(jobs: readonly JobEvidence[]): Verdict {
  const what = "P2 P4 jobs: ended, under one key, as declared";
  const verdict = judgeCases(what, jobs.length, findViolations(jobs, LIMITS.jobAttempts));
  const lost = jobs.filter(isLost).map((job) => JSON.stringify(job));
  return { ...verdict, cases: [...(verdict.cases ?? []), ...lost] };
}

/** A write without a key arrives once at most, one with a key under that alone; what is called done was done. */
function findWriteViolations({ n, keyed, told, attempts }: WriteEvidence): string[] {
  const found: string[] = [];
  const acted = attempts.filter(({ actedAt }) => actedAt !== null).length;
  if (!keyed && attempts.length > 1) found.push(`write ${n} was received ${attempts.length} times`);
  const keys = new Set(attempts.map(({ key }) => key));
  if (keyed && (keys.size > 1 || keys.has(null))) found.push(`write ${n} came under ${keys.size} keys`);
  if (told.includes("success") && acted === 0)
    found.push(`write ${n} is called a success and never happened`);
  if (!keyed && told.includes("skipped") && acted > 0)
    found.push(`write ${n} is called skipped and happened`);
  return found;
}

/** Every end of a job that has a callback is told, under one id, as it was. */
function findCallbackViolations({ jobId, status, delivered }: CallbackEvidence): string[] {
  if (delivered.length === 0) return [`job ${jobId}: no caller was told that it is ${status}`];
  const ids = new Set(delivered.map(({ id }) => id));
  const other = delivered.find((one) => one.status !== status);
  return [
    ...(ids.size > 1 ? [`job ${jobId}: told under ${ids.size} ids`] : []),
    ...(other === undefined ? [] : [`job ${jobId}: it is ${status}, and was told as ${other.status}`]),
  ];
}

/** Nothing happens without a yes, and after one it happens once. */
function findQuestionViolations({ n, decided, accepted, inDoubt, happened }: QuestionEvidence): string[] {
  if (decided !== "approve") return happened > 0 ? [`question ${n}: ${decided}, and it happened`] : [];
  const found: string[] = [];
  if (happened > 1) found.push(`question ${n}: approved, and it happened ${happened} times`);
  if (accepted > 1) found.push(`question ${n}: ${accepted} decisions were accepted`);
  if (accepted === 1 && happened === 0) found.push(`question ${n}: approved, and it never happened`);
  if (accepted === 0 && !inDoubt && happened > 0)
    found.push(`question ${n}: no decision was accepted, and it happened`);
  return found;
}

function isExcused({ from, to }: BrokenRequest, outages: readonly Outage[]): boolean {
  return outages.some((outage) => from <= outage.to && to >= outage.from);
}
