import type { Caller } from "../../feature/caller.ts";
import { utf8Length } from "../../feature/schema.ts";
import * as LIMITS from "./limits.ts";
import type { LogLevel } from "../../feature/outside.ts";
import { type Clock, sleep } from "../../feature/kit.ts";
import { attempt } from "../../feature/refuse.ts";
import type { ModelRound } from "../../core/observe/seen.ts";
import type { RunReport } from "./run.ts";
import type { RunFacts, RunRecord } from "./run-record.ts";

/** A run that is over and not reported yet. */
export interface HeldRun {
  readonly facts: RunFacts;
  readonly record: RunRecord;
  /** When its request began. */
  readonly begunAt?: number;
  readonly model?: readonly ModelRound[];
}

/** How much an isolate holds, and how often it reports. */
export interface BufferLimits {
  readonly everyMs: number;
  /** The bytes of one report, and so of one tenant's runs that wait. */
  readonly reportBytes: number;
  readonly reportRuns: number;
  /** The bytes of all tenants that wait or are on their way. */
  readonly heldBytes: number;
}

const BUFFER_LIMITS: BufferLimits = {
  everyMs: LIMITS.runReportMs,
  reportBytes: LIMITS.runReportBytes,
  reportRuns: LIMITS.runReportRuns,
  heldBytes: LIMITS.runsHeldBytes,
};

export interface BufferOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  /** Send a report to the object of a tenant. */
  readonly send: (owner: RunOwner, report: RunReport) => Promise<unknown>;
  readonly log: (level: LogLevel, json: string) => void;
  readonly limits?: BufferLimits;
}

/** Whose runs they are, and where they are kept. */
export type RunOwner = Pick<Caller, "tenant" | "jurisdiction">;

interface Waiting {
  readonly owner: RunOwner;
  runs: HeldRun[];
  bytes: number;
  /** When its last report was sent. */
  sentAt: number;
  /** When the next one is; null where none is planned. */
  dueAt: number | null;
  /** Runs that there was no room for, and runs without their content for the same reason. */
  dropped: number;
  cut: number;
}

/** Besides its body a run has a head of about this size, and its places in lists. */
const HEAD_BYTES = 600;

/**
 * Hold what ran until it is reported: at most one report a second of each tenant, off the way of any answer.
 *
 * Bounded for one tenant by its report, and for all tenants together. Where it is full, arguments and results of the oldest run go
 * first, then the oldest run itself, and the log says how many. A report that fails is sent once more, a second later. The request
 * whose run came first keeps the timer; if the platform ends it, the next run sees that the time has passed and takes it over.
 */
export class RunBuffer {
  readonly #options: BufferOptions;
  readonly #limits: BufferLimits;
  readonly #waiting = new Map<string, Waiting>();
  #bytes = 0;

  constructor(options: BufferOptions) {
    this.#options = options;
    this.#limits = options.limits ?? BUFFER_LIMITS;
  }

  /** The bytes of everything that is held. */
  get bytes(): number {
    return this.#bytes;
  }

  add(owner: RunOwner, run: HeldRun, defer: (work: Promise<unknown>) => void): void {
    const waiting = this.#of(owner);
    waiting.runs.push(run);
    this.#grow(waiting, run.record.bytes + HEAD_BYTES);
    const { reportBytes, reportRuns, heldBytes } = this.#limits;
    while (waiting.bytes > reportBytes || waiting.runs.length > reportRuns) this.#shrink(waiting);
    while (this.#bytes > heldBytes) {
      const largest = this.#largest();
      if (largest === undefined) break;
      this.#shrink(largest);
    }
    const now = this.#options.clock.now();
    const { everyMs } = this.#limits;
    if (waiting.dueAt !== null && now < waiting.dueAt + everyMs) return;
    const dueAt = Math.max(now, waiting.sentAt + everyMs);
    waiting.dueAt = dueAt;
    defer(this.#reportAt(waiting, dueAt));
  }

  forget(tenant: string): void {
    const waiting = this.#waiting.get(tenant);
    if (waiting === undefined) return;
    waiting.runs = [];
    this.#grow(waiting, -waiting.bytes);
  }

  #of(owner: RunOwner): Waiting {
    const known = this.#waiting.get(owner.tenant);
    if (known !== undefined) return known;
    const now = this.#options.clock.now();
    if (this.#waiting.size >= LIMITS.keysRemembered)
      for (const [name, { runs, dueAt, sentAt }] of this.#waiting)
        if (runs.length === 0 && dueAt === null && sentAt + this.#limits.everyMs <= now)
          this.#waiting.delete(name);
    const made: Waiting = {
      owner,
      runs: [],
      bytes: 0,
      sentAt: Number.NEGATIVE_INFINITY,
      dueAt: null,
      dropped: 0,
      cut: 0,
    };
    this.#waiting.set(owner.tenant, made);
    return made;
  }

  #grow(waiting: Waiting, bytes: number): void {
    waiting.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Drop the oldest content of a tenant, or where there is none its oldest run. */
  #shrink(waiting: Waiting): void {
    const { reportRuns } = this.#limits;
    const full =
      waiting.runs.length > reportRuns ? undefined : waiting.runs.find((run) => run.record.hasContent);
    if (full !== undefined) {
      waiting.cut += 1;
      this.#grow(waiting, -full.record.dropContent());
      return;
    }
    const oldest = waiting.runs.shift();
    if (oldest === undefined) return;
    waiting.dropped += 1;
    this.#grow(waiting, -(oldest.record.bytes + HEAD_BYTES));
  }

  /** The tenant of which most waits; undefined where nothing waits. */
  #largest(): Waiting | undefined {
    let largest: Waiting | undefined;
    for (const one of this.#waiting.values())
      if (one.runs.length > 0 && one.bytes > (largest?.bytes ?? 0)) largest = one;
    return largest;
  }

  /** Wait until a second has passed since the last report, and take this one's place. */
  async #turnOf(waiting: Waiting): Promise<void> {
    const { clock } = this.#options;
    const { everyMs } = this.#limits;
    do {
      const ms = Math.max(0, waiting.sentAt + everyMs - clock.now());
      await sleep(clock, Number.isFinite(ms) ? ms : 0);
    } while (clock.now() < waiting.sentAt + everyMs);
    waiting.sentAt = clock.now();
  }

  async #reportAt(waiting: Waiting, dueAt: number): Promise<void> {
    const { newId, send, log } = this.#options;
    await this.#turnOf(waiting);
    // Another request took it over.
    if (waiting.dueAt !== dueAt) return;
    const { owner, runs, bytes, dropped, cut } = waiting;
    waiting.runs = [];
    waiting.dropped = waiting.cut = waiting.bytes = 0;
    waiting.dueAt = null;
    const report = { id: newId(), isRepeated: false, runs: runs.map(toReported) };
    let lost = dropped;
    if (runs.length > 0) {
      const sent = await attempt(() => send(owner, report));
      if (!sent.ok) {
        await this.#turnOf(waiting);
        const again = await attempt(() => send(owner, { ...report, isRepeated: true }));
        if (!again.ok) lost += runs.length;
      }
    }
    this.#bytes -= bytes;
    const { tenant } = owner;
    const said = { level: "warn", event: "runs_dropped", tenant, runs: lost, contents: cut };
    if (lost + cut > 0) log("warn", JSON.stringify(said));
  }
}

function toReported({ facts, record, begunAt, model }: HeldRun): RunReport["runs"][number] {
  const joined = model && { model, startedAt: facts.startedAt ?? 0 };
  return { head: record.toHeadJson(facts), body: record.toBodyJson(joined), begunAt };
}

/** The bytes of a report, as one row has them. */
export function sizeOf({ runs }: Pick<RunReport, "runs">): number {
  return runs.reduce((sum, { head, body }) => sum + utf8Length(head) + utf8Length(body), 0);
}
