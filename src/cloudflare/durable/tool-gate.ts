import type { PermitAnswer, PermitRequest } from "../../core/contract/gate/permit.ts";
import { attemptNow } from "../../core/kit/result.ts";
import {
  openPermits,
  PERMIT_OPTIONS,
  type PermitBook,
  type PermitMarks,
  type PermitOptions,
} from "../../core/gate/state/permit-book.ts";
import { type PermitCommand, stepPermits } from "../../core/gate/state/permits.ts";
import type { Clock } from "../../core/kit/clock.ts";
import { DurableObject } from "../platform/durable-object.ts";
import type { ObjectClass } from "../platform/object-class.ts";
import { systemClock } from "../platform/system-ports.ts";

/** The methods that a Worker may call on the object. */
export interface ToolGateMethods {
  acquire(request: PermitRequest): Promise<PermitAnswer>;
  release(id: string, retryAfterMs: number | null): void;
}

/** How long after a refused write the next one is tried. */
const RETRY_MS = 1_000;

/** Make the Durable Object class that holds what all calls of one tool share. */
export function createToolGate(
  options: PermitOptions = PERMIT_OPTIONS,
  clock: Clock = systemClock,
): ObjectClass<ToolGateMethods> {
  /**
   * The gate of one tool with a global limit: who may call now, and who comes next.
   *
   * Permits and the queue are in memory, two marks are in storage (`state/permits`). Every command is one synchronous
   * turn, and the platform holds the answers of a turn until its marks are durable.
   */
  return class ToolGate extends DurableObject<Record<string, unknown>> implements ToolGateMethods {
    readonly #asking = new Map<string, (answer: PermitAnswer) => void>();
    #book: PermitBook;
    #cancelTimer: () => void = () => {};

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      const { sql } = ctx.storage;
      sql.exec(
        "CREATE TABLE IF NOT EXISTS marks (name TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID, STRICT",
      );
      const marks: Record<keyof PermitMarks, number> = { aliveMs: 0, rateMs: 0 };
      for (const { name, at } of sql.exec<{ name: keyof PermitMarks; at: number }>(
        "SELECT name, at FROM marks",
      ))
        marks[name] = at;
      this.#book = openPermits(marks, clock.now(), options);
    }

    /** Wait for a permit, at most as long as the request says. Asked again with the same id it is the same question. */
    acquire(request: PermitRequest): Promise<PermitAnswer> {
      return new Promise((resolve, reject) => {
        this.#asking.set(request.id, resolve);
        const asked = attemptNow(() => this.#step({ kind: "ask", request }));
        if (asked.ok) return;
        this.#asking.delete(request.id);
        reject(asked.error);
      });
    }

    /** Give a permit back, or a place in the queue up. */
    release(id: string, retryAfterMs: number | null): void {
      this.#step({ kind: "release", id, retryAfterMs });
    }

    #step(command: PermitCommand): void {
      const [book, { answers, marks, wakeAtMs }] = stepPermits(this.#book, clock.now(), command);
      // Rows first: a write that throws leaves the book as it was, and no caller is told of a permit.
      for (const [name, at] of Object.entries(marks)) this.#write(name, at);
      this.#book = book;
      for (const { id, answer } of answers) {
        this.#asking.get(id)?.(answer);
        this.#asking.delete(id);
      }
      this.#wakeAt(wakeAtMs);
    }

    #wakeAt(wakeAtMs: number | null): void {
      this.#cancelTimer();
      this.#cancelTimer =
        wakeAtMs === null ? () => {} : clock.after(Math.max(1, wakeAtMs - clock.now()), () => this.#tick());
    }

    /** Who waits must not be forgotten because storage refused a mark once. */
    #tick(): void {
      if (!attemptNow(() => this.#step({ kind: "tick" })).ok) this.#wakeAt(clock.now() + RETRY_MS);
    }

    #write(name: string, at: number): void {
      this.ctx.storage.sql.exec(
        "INSERT INTO marks (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at",
        name,
        at,
      );
    }
  };
}
