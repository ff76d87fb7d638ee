import { startChaosUpstream } from "./chaos-upstream.ts";
import { collectEvidence } from "./collect-evidence.ts";
import type { JobEvidence } from "./find-violations.ts";
import { idOf } from "./job-batch.ts";
import { startVictim } from "./victim.ts";
import { exchange, readJob } from "./volley-client.ts";

export interface BacklogResult {
  readonly jobs: readonly JobEvidence[];
  /** Jobs that were refused because the backlog was full. */
  readonly refused: number;
}

/** Beyond the backlog's 1,000, in case something was over while it filled. */
const MOST_JOBS = 2_000;
/** The jobs of one batch that the tenant's first object keeps. */
const PER_BATCH = 6;
const SENDERS = 8;
const FIRST_N = 1_000_000;

interface WireResult {
  readonly id: string;
  readonly status: string;
  readonly job_id?: string;
  readonly error?: { readonly code: string };
}

/** Send jobs to an upstream that holds them, until the backlog is full; then let it answer, and follow every job. */
export async function fillBacklog(): Promise<BacklogResult> {
  await using upstream = await startChaosUpstream();
  await using victim = await startVictim({ vars: { PROBE_ORIGIN: upstream.url } });
  const { url } = victim.current;
  const release = upstream.hold();
  const promised = new Map<string, string>();
  let sent = 0;
  let refused = 0;
  const fill = async (): Promise<void> => {
    while (refused === 0 && sent < MOST_JOBS) {
      const numbers = Array.from({ length: PER_BATCH }, (_, k) => FIRST_N + sent + k);
      sent += PER_BATCH;
      for (const { id, status, job_id, error } of await send(url, numbers)) {
        if (status === "initiated") promised.set(id, job_id!);
        else if (error?.code === "BACKLOG_FULL") refused += 1;
        else throw new Error(`Cannot fill the backlog: '${id}' is ${status}, ${error?.code}`);
      }
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, fill));
  if (refused === 0) throw new Error(`Cannot fill the backlog: ${sent} jobs were all taken`);
  const [anyJob] = promised.values();
  if (!(await readJob(url, anyJob!))) throw new Error("Cannot read a job while the backlog is full");
  release();
  const numbers = Array.from({ length: sent }, (_, k) => FIRST_N + k);
  const batch = { numbers, once: new Set<number>(), actions: [] };
  return { jobs: await collectEvidence(batch, { url, upstream, promised }), refused };
}

async function send(url: string, numbers: readonly number[]): Promise<readonly WireResult[]> {
  const actions = numbers.map((n) => ({ id: idOf(n), tool: "probe-background", args: { n } }));
  const answer = await exchange(`${url}/v1/execute_actions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ actions }),
  });
  if (answer?.status !== 200) throw new Error(`Cannot fill the backlog: ${answer?.status} ${answer?.text}`);
  return (JSON.parse(answer.text) as { results: readonly WireResult[] }).results;
}
