import { setTimeout as sleep } from "node:timers/promises";

import { createRandom } from "../support/random.ts";
import { readRows } from "./stored-objects.ts";
import { type Booking, startUndoService, type UndoService } from "./undo-service.ts";
import { startVictim, type Victim } from "./victim.ts";
import { exchange } from "./volley-client.ts";

export interface UndoRuns {
  readonly seed: number;
  readonly runs: number;
  readonly kills: number;
  /** Batches that were answered, killed before that, and undone. */
  readonly answered: number;
  readonly undone: number;
  /** Bookings that were made, taken back, and of which it is said that nothing is known. */
  readonly booked: number;
  readonly takenBack: number;
  readonly unknown: number;
  readonly violations: readonly string[];
}

/** One batch: its writes, how the service behaves about each, and when its runtime is killed. */
interface Plan {
  readonly run: number;
  readonly actions: readonly { readonly id: string; readonly n: number; readonly needs: readonly string[] }[];
  /** After so many milliseconds; null: it lives. */
  readonly killMs: number | null;
}

/** An entry as the object has stored it. */
interface StoredWrite {
  readonly id: string;
  readonly state: string;
  readonly isNone?: true;
  readonly entry?: { readonly status: string };
}

interface Answered {
  readonly results: readonly { readonly id: string; readonly status: string }[];
  readonly undone?: readonly { readonly id: string; readonly status: string }[];
}

const WRITES = 5;
const LANES = 4;
/** Most batches take less; the undoing of most of them too. */
const KILL_WITHIN_MS = 250;
/** Undone within so long of the last restart: a lease, and the retries of what was turned away. */
const SETTLE_MS = 90_000;

/**
 * Run batches of five writes that are undone where they fail, kill the runtime within some of them, and compare the service's ledger with
 * what each entry says in the end.
 *
 * @param seed makes the plans; the moments that a machine takes are its own
 */
export async function undoRuns({
  runs,
  kills,
  seed,
}: Pick<UndoRuns, "runs" | "kills" | "seed">): Promise<UndoRuns> {
  await using service = await startUndoService();
  const plans = planRuns({ runs, kills, seed }, service);
  const queue = plans.values();
  const violations: string[] = [];
  const stored = new Map<string, StoredWrite>();
  const answers = new Map<number, Answered>();
  let killed = 0;
  const runLane = async (): Promise<void> => {
    await using victim = await startVictim({
      vars: { PROBE_ORIGIN: service.url, VOLLEY_JOB_LEASE_MS: "1000", VOLLEY_LOG: "off" },
    });
    for (const plan of queue) {
      const answer = await runOne(victim, plan);
      if (plan.killMs !== null) killed += 1;
      if (answer !== null) answers.set(plan.run, answer);
    }
    for (const write of await settle(victim)) stored.set(write.id, write);
  };
  await Promise.all(Array.from({ length: Math.min(LANES, runs) }, runLane));

  const found = { undone: 0, unknown: 0 };
  for (const plan of plans) {
    const judged = judge(plan, { ledger: service.ledger, stored, answer: answers.get(plan.run) });
    violations.push(...judged.violations);
    found.undone += Number(judged.isUndone);
    found.unknown += judged.unknown;
  }
  const bookings = [...service.ledger.values()];
  return {
    seed,
    runs,
    kills: killed,
    answered: answers.size,
    ...found,
    booked: bookings.length,
    takenBack: bookings.filter(({ live }) => !live).length,
    violations,
  };
}

function planRuns(
  { runs, kills, seed }: Pick<UndoRuns, "runs" | "kills" | "seed">,
  service: UndoService,
): readonly Plan[] {
  const random = createRandom(seed);
  const upTo = (most: number): number => Math.floor(random() * most);
  return Array.from({ length: runs }, (_, run) => {
    const fails = upTo(WRITES + 2);
    const actions = Array.from({ length: WRITES }, (__, at) => {
      const n = run * 10 + at;
      // Refused, or booked although the answer says that it failed.
      const status = at === fails ? (upTo(3) === 0 ? 500 : 409) : 200;
      const busyTimes = upTo(8) === 0 ? 1 : 0;
      service.tell(n, { status, bookMs: upTo(40), backMs: upTo(40), busyTimes });
      const needs = Array.from({ length: at }, (___, before) => before).filter(() => upTo(3) === 0);
      return { id: `w${n}`, n, needs: needs.map((before) => `w${run * 10 + before}`) };
    });
    const isKilled = Math.floor(((run + 1) * kills) / runs) > Math.floor((run * kills) / runs);
    return { run, actions, killMs: isKilled ? upTo(KILL_WITHIN_MS) : null };
  });
}

/** Send one batch, and kill the runtime as planned; null where the answer was lost. */
async function runOne(victim: Victim, { actions, killMs }: Plan): Promise<Answered | null> {
  const body = JSON.stringify({
    on_error: "undo",
    actions: actions.map(({ id, n, needs }) => ({
      id,
      tool: "probe-book",
      args: { n },
      ...(needs.length > 0 && { depends_on: needs }),
    })),
  });
  const headers = { "content-type": "application/json" };
  const sent = exchange(`${victim.current.url}/v1/execute_actions`, {
    method: "POST",
    headers,
    body,
    timeoutMs: 60_000,
  });
  if (killMs !== null) {
    await sleep(killMs);
    victim.kill();
  }
  const answer = await sent;
  if (killMs !== null) {
    await victim.bury();
    await victim.start();
  }
  if (answer === null) return null;
  if (answer.status !== 200) throw new Error(`Cannot send a batch: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as Answered;
}

/** Wait until nothing is open any more, and read what the objects have stored of each write. */
async function settle(victim: Victim): Promise<readonly StoredWrite[]> {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    const runs = await readRows<{ state: string }>(victim.storageDir, "SELECT state FROM undo_runs");
    if (runs.every(({ state }) => state === "settled") || performance.now() > until) break;
    await sleep(250);
  }
  const rows = await readRows<{ write_json: string }>(
    victim.storageDir,
    "SELECT write_json FROM undo_writes",
  );
  return rows.map(({ write_json: json }) => JSON.parse(json) as StoredWrite);
}

interface Evidence {
  readonly ledger: ReadonlyMap<string, Booking>;
  readonly stored: ReadonlyMap<string, StoredWrite>;
  readonly answer: Answered | undefined;
}

/** Find where the ledger and the entries of one batch do not agree. */
function judge({ run, actions }: Plan, { ledger, stored, answer }: Evidence) {
  const violations: string[] = [];
  const say = (text: string): void => void violations.push(`run ${run}: ${text}`);
  const writes = actions.map(({ id, n }) => ({
    id,
    n,
    write: stored.get(id),
    booking: ledger.get(`booking-${n}`),
  }));
  const isUndone = writes.some(({ write }) => write !== undefined);
  const failed = answer?.results.some(({ status }) => status !== "success") === true;
  if (answer !== undefined && failed !== isUndone && writes.some(({ booking }) => booking !== undefined))
    say(failed ? "failed, and was not undone" : "succeeded, and was undone");
  const live = writes.filter(({ booking }) => booking?.live === true).length;
  if (!isUndone && live !== 0 && live !== actions.length)
    say(`is half done, and nothing is said: ${live} are booked`);
  let unknown = 0;
  for (const { id, n, write, booking } of writes) {
    if (ledger.has(`booking-${n}-again`)) say(`${id} is booked twice`);
    if (booking !== undefined && booking.timesBack > 1) say(`${id} is taken back ${booking.timesBack} times`);
    if (booking !== undefined && booking.keys.size > 1)
      say(`${id} is taken back under ${booking.keys.size} keys`);
    if (!isUndone) continue;
    if (write !== undefined && write.state !== "over") say(`${id} is not over: ${write.state}`);
    const status = write === undefined || write.isNone === true ? "none" : (write.entry?.status ?? "void");
    unknown += Number(status === "unknown");
    const isLive = booking?.live === true;
    if (status === "success" && (booking === undefined || isLive))
      say(`${id} is said to be taken back, and stands`);
    if ((status === "none" || status === "void") && booking !== undefined)
      say(`${id} is booked, and nothing is said of it`);
    if (status === "error" && !isLive) say(`${id} is said to stand, and does not`);
    const told = answer?.undone?.find((entry) => entry.id === id)?.status;
    // An answer may come before a write is settled.
    if (told !== undefined && told !== "initiated" && told !== status)
      say(`${id} was answered as ${told}, and is ${status}`);
  }
  return { violations, isUndone, unknown };
}
