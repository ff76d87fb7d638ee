import { expect, test } from "vitest";
import type { Evidence } from "../load/ledger.ts";
import { judgePromises } from "./judge-promises.ts";

const acted = { key: "k", at: 1, actedAt: 2, refused: false, torn: false };
const job = {
  n: 1,
  once: false,
  jobId: "job-1",
  record: { status: "succeeded", attempts: 1 },
  later: { status: "succeeded", attempts: 1 },
  attempts: [acted],
};
const write = { n: 1, keyed: false, told: ["success"], attempts: [{ ...acted, key: null }] };
const callback = { jobId: "job-1", status: "succeeded", delivered: [{ id: "e", status: "succeeded" }] };
const question = { n: 1, decided: "approve", accepted: 1, inDoubt: false, happened: 1 } as const;
const quota = { name: "quota", limit: 2, windowS: 10, denied: 1, passages: [{ notBefore: 0, notAfter: 1 }] };
const fine: Evidence = {
  leftOut: 0,
  answers: { "reads 200": 1_000 },
  problems: [],
  broken: [],
  unavailable: [],
  results: {},
  writes: [write],
  jobs: [job],
  late: [{ jobId: "job-2", status: "succeeded" }],
  runs: [],
  callbacks: [callback],
  questions: [question],
  limits: [quota],
  caps: [{ name: "probe-global", cap: 2, peak: 2, calls: 9 }],
  clock: { times: 3, runs: 3 },
  strayed: 0,
  modelProblems: [],
  madeKeys: [],
};
const OUTAGES = [{ from: 100, to: 200 }];
/** The faults, in the words of the report. */
const wrong = (evidence: Partial<Evidence>): string =>
  judgePromises({ ...fine, ...evidence }, OUTAGES)
    .filter(({ isFine }) => !isFine)
    .map(({ what, found, cases = [] }) => [what, found, ...cases].join("; "))
    .join("\n");

test("judgePromises() finds nothing wrong where nothing is", () => {
  expect(wrong({})).toBe("");
});

test.each<[what: string, evidence: Partial<Evidence>, text: string]>([
  ["a lost job", { jobs: [{ ...job, record: null, later: null }] }, "lost: recorded as nothing"],
  [
    "a job that is over twice",
    { jobs: [{ ...job, later: { status: "dead", attempts: 1 } }] },
    "and then as dead",
  ],
  [
    "a read that became a job and has no end",
    { late: [{ jobId: "job-2", status: "nothing" }] },
    "job job-2 has no end",
  ],
  ["a double write", { writes: [{ ...write, attempts: [acted, acted] }] }, "write 1 was received 2 times"],
  [
    "a success that never happened",
    { writes: [{ ...write, attempts: [] }] },
    "called a success and never happened",
  ],
  [
    "a write that is called skipped",
    { writes: [{ ...write, told: ["skipped"] }] },
    "called skipped and happened",
  ],
  [
    "a write under two keys",
    { writes: [{ ...write, keyed: true, attempts: [acted, { ...acted, key: "l" }] }] },
    "came under 2 keys",
  ],
  [
    "a callback that never came",
    { callbacks: [{ ...callback, delivered: [] }] },
    "no caller was told that it is succeeded",
  ],
  [
    "a callback with another end",
    { callbacks: [{ ...callback, delivered: [{ id: "e", status: "dead" }] }] },
    "it is succeeded, and was told as dead",
  ],
  [
    "a callback under two ids",
    { callbacks: [{ ...callback, delivered: [...callback.delivered, { id: "f", status: "succeeded" }] }] },
    "told under 2 ids",
  ],
  [
    "what was refused and happened",
    { questions: [{ ...question, decided: "reject" }] },
    "reject, and it happened",
  ],
  [
    "a question without a decision that happened",
    { questions: [{ ...question, decided: "expire" }] },
    "expire, and it happened",
  ],
  [
    "what was approved and happened twice",
    { questions: [{ ...question, happened: 2 }] },
    "it happened 2 times",
  ],
  [
    "two approvals of one question",
    { questions: [{ ...question, accepted: 2 }] },
    "2 decisions were accepted",
  ],
  [
    "what was approved and never happened",
    { questions: [{ ...question, happened: 0 }] },
    "it never happened",
  ],
  [
    "more than a limit lets through",
    { limits: [{ ...quota, passages: Array.from({ length: 9 }, () => ({ notBefore: 0, notAfter: 1 })) }] },
    "7 too many",
  ],
  ["a limit that was never reached", { limits: [{ ...quota, denied: 0 }] }, "0 turned away"],
  [
    "more at once than a cap",
    { caps: [{ name: "x", cap: 2, peak: 3, calls: 9 }] },
    "P3 x: 2 at once; 3 at once",
  ],
  ["a time of a clock that ran twice", { clock: { times: 3, runs: 4 } }, "4 for 3 times"],
  ["times of a clock that were left out", { clock: { times: 3, runs: 1 } }, "1 for 3 times"],
  ["a request that went astray", { strayed: 1 }, "P8"],
  ["an answer that was wrong", { problems: ["reads: 2 actions and 1 results"] }, "2 actions and 1 results"],
  ["a request to the model that it refuses", { modelProblems: ["no such path"] }, "no such path"],
])("judgePromises() names %s", (_, evidence, text) => {
  expect(wrong(evidence)).toContain(text);
});

test("judgePromises() excuses what broke off while the runtime was gone, and nothing else", () => {
  const at = (from: number, to: number) => [{ kind: "reads", from, to }];
  expect(wrong({ broken: at(50, 110) })).toBe("");
  expect(wrong({ broken: at(150, 300) })).toBe("");
  expect(wrong({ broken: at(210, 300) })).toContain("reads at 210");
  const unavailable = Array.from({ length: 11 }, () => at(300, 310)).flat();
  expect(wrong({ unavailable: unavailable.slice(1) })).toBe("");
  expect(wrong({ unavailable })).toContain("11 of 1,000");
});
