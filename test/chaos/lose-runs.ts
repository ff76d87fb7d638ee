import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import * as LIMITS from "../../src/core/contract/limits.ts";
import { configureKeys } from "../support/configured-keys.ts";
import { SANDBOX_CONFIG } from "../support/sandbox.ts";
import { startChaosUpstream } from "./chaos-upstream.ts";
import { startVictim } from "./victim.ts";
import { exchange } from "./volley-client.ts";

/** A batch that was answered, before the runtime was killed. */
interface Answered {
  readonly batchId: string;
  readonly at: number;
}

/** Everything else that a batch was promised. */
interface Promised {
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text that its answer has. */
  readonly text: string;
}

export interface LostRuns {
  readonly kills: number;
  readonly answered: number;
  readonly lost: number;
  /** How long before its kill the oldest lost one was answered, in ms; 0 where none was lost. */
  readonly oldestLostMs: number;
  /** Runs that were lost although a later one was kept. */
  readonly holes: number;
  readonly promised: number;
  /** Jobs, questions and keyed answers that were not found again. */
  readonly broken: readonly string[];
}

/** The time of one life, in turns: less than a report's second, and up to several. */
const LIVES_MS = [
  [400, 900],
  [1_200, 3_000],
] as const;
/** A life is longer where so many batches take longer, or a run of a long one is not on record yet. */
const BATCHES_PER_LIFE = 50;
/** Ends what gets nowhere, far beyond what a busy machine needs. */
const PATIENCE_MS = 60_000;
/** Death comes so soon after a life's work is done, in the middle of the next batches. */
const DEATH_MS = 50;
/** One batch in so many promises something. */
const PROMISING = 20;
const quota = { limit: 1_000_000, window_s: 60 };

/** Kill a runtime again and again while one client after the other sends batches, and look which runs are there afterwards. */
export async function loseRuns(kills: number): Promise<LostRuns> {
  await using upstream = await startChaosUpstream();
  const VOLLEY_KEYS = await configureKeys({
    lost: { name: "lost", tenant: "lost", flags: ["approve"], quota },
  });
  await using victim = await startVictim({
    vars: { PROBE_ORIGIN: upstream.url, VOLLEY_KEYS },
    config: SANDBOX_CONFIG,
  });
  const ask = (path: string, body?: string, headers: Readonly<Record<string, string>> = {}) =>
    exchange(`${victim.current.url}${path}`, {
      key: "lost",
      method: body === undefined ? "GET" : "POST",
      ...(body !== undefined && { body, headers: { "content-type": "application/json", ...headers } }),
      ...(body === undefined && { headers }),
    });
  const lives: { answered: Answered[]; killedAt: number }[] = [];
  const promised: Promised[] = [];
  let sent = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const answered: Answered[] = [];
    const bornAt = performance.now();
    const isLong = kill % 2 === 1;
    const [leastMs, mostMs] = LIVES_MS[isLong ? 1 : 0];
    const lifeMs = randomInt(leastMs, mostMs);
    /** Whether a life's work is done. */
    const isDone = async (): Promise<boolean> =>
      performance.now() - bornAt >= lifeMs &&
      answered.length >= BATCHES_PER_LIFE &&
      (!isLong || (await listsOneOf(answered, ask)));
    let killedAt = Number.POSITIVE_INFINITY;
    let death: Promise<void> | undefined;
    while (killedAt === Number.POSITIVE_INFINITY) {
      if (performance.now() - bornAt > PATIENCE_MS)
        throw new Error(
          `Cannot end life ${kill} within ${PATIENCE_MS} ms: ${answered.length} batches were answered, ` +
            `${BATCHES_PER_LIFE} must be${isLong ? ", and one of them must be on record" : ""}`,
        );
      sent += 1;
      const more = await sendOne(ask, sent);
      // It died over the batch, or is too busy to answer in time.
      if (more === null) continue;
      answered.push({ batchId: more.batchId, at: performance.now() });
      promised.push(...more.promised);
      if (death === undefined && (await isDone()))
        death = sleep(Math.random() * DEATH_MS).then(() => {
          victim.kill();
          killedAt = performance.now();
        });
    }
    await death;
    await victim.bury();
    await victim.start();
    lives.push({ answered, killedAt });
  }
  const kept = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null;) {
    const answer = await ask(`/v1/runs?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`);
    const page = JSON.parse(answer?.text ?? "") as { runs: { run_id: string }[]; next_cursor: string | null };
    for (const { run_id } of page.runs) kept.add(run_id);
    cursor = page.next_cursor;
  }
  const broken: string[] = [];
  for (const { path, body, headers, text } of promised) {
    const found = await ask(path, body, headers);
    if (found?.status !== 200 || !found.text.includes(text))
      broken.push(`${path}: ${found?.text.slice(0, 200)}`);
  }
  const lost = lives.map(({ answered, killedAt }) => ({
    killedAt,
    ones: answered.filter(({ batchId }) => !kept.has(batchId)),
    holes: answered.filter(
      ({ batchId }, at) => !kept.has(batchId) && answered.slice(at).some((later) => kept.has(later.batchId)),
    ),
  }));
  return {
    kills,
    answered: lives.reduce((sum, { answered }) => sum + answered.length, 0),
    lost: lost.reduce((sum, { ones }) => sum + ones.length, 0),
    oldestLostMs: Math.round(
      Math.max(
        0,
        ...lost.map(({ ones: [oldest], killedAt }) => (oldest === undefined ? 0 : killedAt - oldest.at)),
      ),
    ),
    holes: lost.reduce((sum, { holes }) => sum + holes.length, 0),
    promised: promised.length,
    broken,
  };
}

/** Whether one of some batches is the last run on record. */
async function listsOneOf(answered: readonly Answered[], ask: Ask): Promise<boolean> {
  const answer = await ask("/v1/runs?limit=1");
  const { runs } = JSON.parse(answer?.text ?? '{"runs":[]}') as {
    readonly runs: readonly { readonly run_id: string }[];
  };
  return runs.some(({ run_id }) => answered.some(({ batchId }) => batchId === run_id));
}

type Ask = (
  path: string,
  body?: string,
  headers?: Readonly<Record<string, string>>,
) => ReturnType<typeof exchange>;

/** Send a batch; null where the runtime died over it. */
async function sendOne(
  ask: Ask,
  n: number,
): Promise<{ readonly batchId: string; readonly promised: readonly Promised[] } | null> {
  const isPromising = n % PROMISING === 0;
  const actions = isPromising
    ? [
        { id: "job", tool: "probe-background", args: { n } },
        { id: "write", tool: "probe-write", args: { n } },
        // A fast machine comes to more than may wait for a person.
        ...(n / PROMISING <= LIMITS.questionsPending
          ? [{ id: "question", tool: "probe-delete", args: { id: n } }]
          : []),
      ]
    : [{ id: "echo", tool: "probe-echo", args: { n } }];
  const body = JSON.stringify({ actions });
  const headers = isPromising ? { "idempotency-key": `key-${n}` } : {};
  const answer = await ask("/v1/execute_actions", body, headers);
  if (answer === null) return null;
  if (answer.status !== 200) throw new Error(`Cannot send a batch: ${answer.status} ${answer.text}`);
  const { batch_id: batchId, results } = JSON.parse(answer.text) as {
    readonly batch_id: string;
    readonly results: readonly {
      readonly job_id?: string;
      readonly confirmation?: { readonly id: string };
    }[];
  };
  if (!isPromising) return { batchId, promised: [] };
  const [job, , question] = results;
  return {
    batchId,
    promised: [
      { path: `/v1/jobs/${job!.job_id}`, text: job!.job_id! },
      ...(question === undefined
        ? []
        : [{ path: `/v1/confirmations/${question.confirmation!.id}`, text: question.confirmation!.id }]),
      { path: "/v1/execute_actions", body, headers, text: batchId },
    ],
  };
}
