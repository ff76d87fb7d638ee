import { setTimeout as sleep } from "node:timers/promises";
import { standard } from "../features/flows/hooks/sample-senders.ts";
import { signHook, triggerOf } from "../support/hook-sender.ts";
import { exchange } from "./volley-client.ts";

/** Whose flow it is. */
export const HOOK_KEY = "sandbox-admin-key";
/** A run takes a third of it; an attempt that is lost is taken over when this and the lease are over. */
const DEADLINE_MS = 1_500;

const NAME = "chaos-hook";
const TENANT = "sandbox-admin";
const READ_MS = 80;
/** How long a delivery is sent again, and how soon. A real sender waits longer, and goes on for days. */
const PATIENCE_MS = 60_000;
const AGAIN_MS = 50;

/** One thing that happened at a sender, which it tells of until it is answered 202. */
export interface HookEvent {
  /** The number that its delivery's id is made of, and that names its writes at the upstream. */
  readonly n: number;
  /** How long each of its writes takes. */
  readonly d: number;
}

/**
 * Keep a flow with a webhook: a read, a write that must not happen twice, and one that acts once for its key.
 *
 * @param deadlineMs of a run; a busy machine needs more
 */
export async function keepHookFlow(url: string, deadlineMs = DEADLINE_MS): Promise<void> {
  const [n, d] = [{ $ref: "input#/n" }, { $ref: "input#/d" }];
  await keepFlow(url, NAME, {
    actions: [
      { id: "read", tool: "probe-echo", args: { n, d: READ_MS } },
      { id: "once", tool: "probe-write", args: { n, d }, depends_on: ["read"] },
      { id: "keyed", tool: "probe-write-keyed", args: { n, d }, depends_on: ["once"] },
    ],
    answer: { $ref: "keyed#/n" },
    triggers: { webhook: triggerOf(standard) },
    deadline_ms: deadlineMs,
  });
}

/** Keep a flow of the tenant's. Rejects when it is refused. */
export async function keepFlow(url: string, name: string, flow: object): Promise<void> {
  const properties = { n: { type: "number" }, d: { type: "number" } };
  const body = JSON.stringify({
    summary: "What runs by itself",
    input_schema: { type: "object", properties },
    deadline_ms: DEADLINE_MS,
    ...flow,
  });
  const headers = { "content-type": "application/json" };
  const answer = await exchange(`${url}/v1/flows/${name}`, { method: "PUT", key: HOOK_KEY, headers, body });
  if (answer?.status !== 201 && answer?.status !== 200)
    throw new Error(`Cannot keep a flow: ${answer?.status} ${answer?.text}`);
}

/**
 * Deliver an event once; the run that it was told, or null when it was not taken.
 *
 * @param onTaken called in the same turn as the 202 is complete: nothing comes between the promise and the kill
 */
export async function deliver(
  url: string,
  event: HookEvent,
  onTaken: () => void = () => {},
): Promise<string | null> {
  const body = JSON.stringify(event);
  let jobId: string | null = null;
  const answer = await exchange(`${url}/hooks/${TENANT}/${NAME}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...signHook(standard, { id: `msg_${event.n}`, body }) },
    body,
    onText(text, isWhole) {
      if (!isWhole) return;
      jobId = (JSON.parse(text) as { job_id?: string }).job_id ?? null;
      if (jobId !== null) onTaken();
    },
  });
  if (answer !== null && answer.status !== 202 && answer.status !== 503)
    throw new Error(`Cannot deliver: ${answer.status} ${answer.text}`);
  return jobId;
}

/** Deliver an event as its sender does: again, under the same id, until it is taken. */
export async function deliverUntilTaken(url: string, event: HookEvent): Promise<string | null> {
  const endsAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const jobId = await deliver(url, event);
    if (jobId !== null || performance.now() > endsAt) return jobId;
    await sleep(AGAIN_MS);
  }
}

/** The ids of every run on record, whichever sender was told of it. */
export async function readRunIds(url: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await exchange(`${url}/v1/jobs?limit=100${after}`, { method: "GET", key: HOOK_KEY });
    if (answer?.status !== 200) throw new Error(`Cannot list runs: ${answer?.status} ${answer?.text}`);
    const page = JSON.parse(answer.text) as {
      readonly jobs: readonly { readonly job_id: string }[];
      readonly next_cursor?: string | null;
    };
    ids.push(...page.jobs.map(({ job_id }) => job_id));
    cursor = page.next_cursor ?? null;
  }
  return ids;
}
