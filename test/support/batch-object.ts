import type { JobClaim } from "../../src/core/contract/gate/job.ts";
import { parseBatch } from "../../src/core/contract/batch.ts";
import { ByteBudget } from "../../src/core/egress/byte-budget.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import { Semaphore } from "../../src/core/kit/semaphore.ts";
import type { Tool } from "../../src/core/catalog/define-tool.ts";
import type { BatchMethods, BatchReport, KeptResult } from "../../src/features/background/batch-job.ts";
import { completeBatch, toPageJson } from "../../src/features/background/batch-results.ts";
import { runBatch } from "../../src/features/background/http/attempt-batch.ts";
import { makePlan } from "../../src/core/plan/make-plan.ts";
import { createCatalog } from "./create-catalog.ts";
import { TestWorld } from "./execute-batch.ts";
import { valueOf } from "./unwrap.ts";

const JOB = "0f0f0f0f-0000-4000-8000-000000000000";

/** A result as a page says it. */
interface BatchResult {
  readonly status: string;
  readonly id: string;
  readonly data?: unknown;
  readonly error?: { readonly code: string };
  readonly meta?: object;
}

/** One batch in the background, with the rows that its tenant's object keeps of it, in virtual time. */
export class BatchObject {
  readonly world = new TestWorld();
  readonly rows = new Map<string, KeptResult>();
  /** How many rows were written, and by how many calls. */
  readonly written = { rows: 0, calls: 0 };
  /** Called with each write of rows, before it is taken. */
  onWrite: (results: readonly KeptResult[]) => void = () => {};
  report: BatchReport | null = null;
  total = 0;
  #fence = 0;
  #attempt = 0;
  #endsAt: number | null = null;
  readonly #body: string;
  readonly #tools: readonly Tool[];
  readonly #deadlineMs: number;

  constructor(tools: readonly Tool[], body: object, deadlineMs: number = LIMITS.maxBackgroundDeadlineMs) {
    this.#tools = tools;
    this.#body = JSON.stringify({ background: true, ...body });
    this.#deadlineMs = deadlineMs;
    const call = (method: string, args: readonly unknown[]): unknown =>
      (this.#methods as unknown as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>)[
        method
      ]!(...args);
    const others = this.world.gate.call.bind(this.world.gate);
    this.world.gate.call = async (feature, method, ...args) =>
      feature === "background" ? call(method, args) : others(feature, method, ...args);
  }

  readonly #methods: Pick<BatchMethods, "open" | "write"> = {
    open: (_, fence, { deadlineMs }) => {
      if (fence !== this.#fence) return null;
      this.#endsAt ??= this.world.clock.now() + deadlineMs;
      return { endsAt: this.#endsAt, kept: [...this.rows.values()] };
    },
    write: (_, fence, { results, total }) => {
      if (this.#isCancelled) this.#keep(results.filter(({ outcomeJson }) => outcomeJson !== null));
      if (fence !== this.#fence) return false;
      this.onWrite(results);
      if (fence !== this.#fence) return false;
      this.#keep(results);
      this.total = total ?? this.total;
      return true;
    },
  };

  #keep(results: readonly KeptResult[]): void {
    this.written.calls += 1;
    this.written.rows += results.length;
    for (const result of results) this.rows.set(`${result.step}.${result.element}`, result);
  }

  /** Let no attempt that is under way write anything any more, as when its runtime is gone. */
  kill(): void {
    this.#fence += 1;
  }

  #isCancelled = false;

  /** Cancel it: an attempt that is under way begins nothing more, and says how what it had begun ended. */
  cancel(): void {
    this.#isCancelled = true;
    this.#fence += 1;
  }

  /** Have a result for everything, as its reader has once it is over. */
  complete(): void {
    const batch = valueOf(parseBatch(JSON.parse(this.#body), this.#body.length));
    const plan = valueOf(makePlan(batch, createCatalog(this.#tools), { isLong: true }));
    this.#keep(completeBatch(plan, [...this.rows.values()]));
  }

  /** Begin an attempt. */
  begin(): Promise<BatchReport | null> {
    this.#fence += 1;
    this.#attempt += 1;
    const claim: JobClaim = {
      spec: {
        id: JOB,
        kind: "batch",
        tool: "execute_actions:tester",
        argsJson: this.#body,
        idempotencyKey: JOB,
        maxAttempts: 5,
        backoffInitialMs: 1_000,
        delivery: "at-least-once",
      },
      attempt: this.#attempt,
      fence: this.#fence,
    };
    return runBatch(claim, this.world.execution(this.#tools), {
      deadlineMs: this.#deadlineMs,
      slots: new Semaphore(LIMITS.headerSlots),
      budget: new ByteBudget(LIMITS.requestResponseBytes, LIMITS.responseReserveBytes),
    });
  }

  /** Make an attempt to its end, and take its report. */
  async attempt(): Promise<BatchReport> {
    const report = await this.world.clock.runUntil(this.begin());
    if (report === null) throw new Error("The attempt had lost its job");
    this.take(report);
    return report;
  }

  /** Take the report of an attempt. */
  take(report: BatchReport): void {
    this.#keep(report.results);
    this.total = report.total ?? this.total;
    this.report = report;
    if (report.end.kind === "continued" || report.end.kind === "deferred") this.#attempt -= 1;
  }

  /** Make attempts until one has lost its job: it was killed or cancelled. It says what it says all the same. */
  async untilLost(): Promise<BatchReport> {
    for (;;) {
      const began = this.#fence + 1;
      const report = (await this.world.clock.runUntil(this.begin()))!;
      if (this.#fence !== began) return report;
      this.take(report);
    }
  }

  /** Make attempts until one is the last. */
  async finish(): Promise<BatchReport> {
    for (;;) {
      const report = await this.attempt();
      const { end } = report;
      const isLast = end.kind === "failed" && (!end.error.retryable || this.#attempt >= 5);
      if (end.kind === "succeeded" || end.kind === "unknown" || isLast) return report;
      await this.world.clock.runUntil(this.world.clock.sleep(1_000));
    }
  }

  /** All results, as its pages say them. */
  results(): readonly BatchResult[] {
    const results = [...this.rows.values()].sort((a, b) => a.step - b.step || a.element - b.element);
    const { entries } = valueOf(parseBatch(JSON.parse(this.#body), this.#body.length));
    const page = toPageJson({ results, loop: null, hasMore: false }, entries);
    return (JSON.parse(page) as { results: readonly BatchResult[] }).results;
  }
}
