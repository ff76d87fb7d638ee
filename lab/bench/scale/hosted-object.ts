import { CountedStorage } from "./counted-storage.ts";
import type { EventQueue } from "./event-queue.ts";
import { type ObjectParts, SimulatedObject } from "./simulated-object.ts";
import { CEILING, IDLE_MS } from "./workload.ts";

/** The kinds of calls to an object. */
export const KINDS = ["batch", "lease", "job", "settle", "keyed", "hook", "step", "alarm"] as const;
export type Kind = (typeof KINDS)[number];

/** The tally of the calls of one kind. */
export interface Tally {
  calls: number;
  rows: number;
}

/** How long a call takes the object, in milliseconds: what its documented ceilings say. */
const SERVICE_MS = { call: 1_000 / CEILING.calls, write: 1_000 / CEILING.writes } as const;

/**
 * An object where it runs: one call after the other, each for as long as the documented ceiling says, the others wait in line. An
 * object that is idle is put away and opened again from its rows.
 */
export class HostedObject {
  readonly name: string;
  readonly tallies = new Map<Kind, Tally>();
  /** Calls that wrote. */
  writes = 0;
  busyMs = 0;
  /** How long the thread was taken in the second that it was taken for longest. */
  worstSecondMs = 0;
  /** Waits in line of more than nothing, and the longest, in milliseconds. */
  waits: number[] = [];
  readonly #queue: EventQueue;
  readonly #parts: Omit<ObjectParts, "storage" | "alarmAt" | "clock">;
  readonly #storage: CountedStorage;
  readonly #line: (() => void)[] = [];
  #object: SimulatedObject | null = null;
  #isTaken = false;
  #usedAt = 0;
  #alarmAt: number | null = null;
  #second = 0;
  #secondMs = 0;
  #seenRows = 0;

  constructor(name: string, queue: EventQueue, parts: Omit<ObjectParts, "storage" | "alarmAt" | "clock">) {
    this.name = name;
    this.#queue = queue;
    this.#parts = parts;
    this.#storage = new CountedStorage((at) => this.#setAlarm(at));
  }

  get calls(): number {
    let calls = 0;
    for (const tally of this.tallies.values()) calls += tally.calls;
    return calls;
  }

  get rows(): number {
    let rows = 0;
    for (const tally of this.tallies.values()) rows += tally.rows;
    return rows;
  }

  /** Call the object: there, in line, its turn, and back. */
  call<T>(kind: Kind, oneWayMs: number, turn: (object: SimulatedObject) => T): Promise<T> {
    return new Promise((resolve) => {
      this.#queue.after(oneWayMs, () =>
        this.#enter(kind, turn, (value) => this.#queue.after(oneWayMs, () => resolve(value))),
      );
    });
  }

  /** Count from nothing again. */
  forgetFigures(): void {
    this.tallies.clear();
    this.#seenRows = this.#storage.rowsWritten;
    [this.writes, this.busyMs, this.worstSecondMs, this.waits] = [0, 0, 0, []];
  }

  /** Let all that is over be forgotten, as calls days later would; the rows that this writes. */
  forgetRows(nowMs: number): number {
    const object = this.#open();
    const before = this.#storage.rowsWritten;
    let written = -1;
    for (let at = nowMs; written < this.#storage.rowsWritten; at += 3_600_000) {
      written = this.#storage.rowsWritten;
      object.prune(at);
    }
    return this.#storage.rowsWritten - before;
  }

  /** A turn that the object takes by itself, such as writing down how an attempt of its alarm ended. */
  takeTurn(): void {
    this.#countBusy(SERVICE_MS.write);
  }

  #enter<T>(kind: Kind, turn: (object: SimulatedObject) => T, answer: (value: T) => void): void {
    const arrivedS = this.#queue.elapsedS;
    const begin = (): void => {
      const waitedMs = (this.#queue.elapsedS - arrivedS) * 1_000;
      if (waitedMs > 0) this.waits.push(waitedMs);
      this.#isTaken = true;
      const value = turn(this.#open());
      const serviceMs = this.#count(kind);
      this.#countBusy(serviceMs);
      this.#queue.after(serviceMs, () => {
        this.#isTaken = false;
        answer(value);
        this.#line.shift()?.();
      });
    };
    if (this.#isTaken) this.#line.push(begin);
    else begin();
  }

  #open(): SimulatedObject {
    const now = this.#queue.now();
    if (this.#object?.active === false && now - this.#usedAt > IDLE_MS) this.#object = null;
    this.#usedAt = now;
    this.#object ??= new SimulatedObject({
      ...this.#parts,
      storage: this.#storage.asStorage(),
      alarmAt: this.#alarmAt,
      clock: this.#queue,
    });
    return this.#object;
  }

  #setAlarm(atMs: number): void {
    this.#alarmAt = atMs;
    this.#queue.after(atMs - this.#queue.now(), () => {
      if (this.#alarmAt !== atMs) return;
      this.#alarmAt = null;
      this.#enter(
        "alarm",
        (object) => void object.alarm(),
        () => {},
      );
    });
  }

  /** Rows that the object wrote by itself since the call before are of its alarm. */
  #count(kind: Kind): number {
    const rows = this.#storage.rowsWritten - this.#seenRows;
    this.#seenRows = this.#storage.rowsWritten;
    const tally = this.tallies.get(kind) ?? { calls: 0, rows: 0 };
    this.tallies.set(kind, { calls: tally.calls + 1, rows: tally.rows + rows });
    if (rows > 0) this.writes += 1;
    return rows > 0 ? SERVICE_MS.write : SERVICE_MS.call;
  }

  #countBusy(ms: number): void {
    const second = Math.floor(this.#queue.elapsedS);
    if (second !== this.#second) [this.#second, this.#secondMs] = [second, 0];
    this.#secondMs += ms;
    this.busyMs += ms;
    this.worstSecondMs = Math.max(this.worstSecondMs, this.#secondMs);
  }
}
