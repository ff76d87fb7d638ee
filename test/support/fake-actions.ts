import * as z from "zod";

import { defineTool, type Tool, type ToolDeclaration } from "../../src/core/catalog/define-tool.ts";
import type { OnError } from "../../src/core/contract/batch.ts";
import { type Failure, makeFailure } from "../../src/core/contract/failure.ts";
import type { Outcome } from "../../src/core/contract/outcome.ts";
import { err, ok } from "../../src/core/kit/result.ts";
import { remainingPaths } from "../../src/core/plan/remaining-paths.ts";
import { findParking } from "../../src/core/plan/parked-step.ts";
import type { Plan, Step } from "../../src/core/plan/step.ts";
import type { Park } from "../../src/core/plan/parked-step.ts";
import type { StartStep } from "../../src/core/run/start-step.ts";
import type { Ticket } from "../../src/core/run/ticket.ts";
import { ToolCaps } from "../../src/core/run/tool-caps.ts";
import { Turn } from "../../src/core/run/turn.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** A tool that only has a contract; `fake` behaviour is decided by `FakeActions`. */
export function contractOf(name: string, declaration: Partial<ToolDeclaration> = {}): Tool {
  return defineTool({
    name,
    summary: `The tool ${name}`,
    description: `A tool for tests named ${name}.`,
    category: "test",
    actions: ["read"],
    isWrite: false,
    execution: "sync",
    input: z.looseObject({}),
    // Volley sees what goes to a declared host: a failure before that sent nothing.
    hosts: ["fake.example.com"],
    orchestration: { mode: "parallel-safe" },
    run: () => Promise.reject(new Error("Cannot run: contracts have no behaviour")),
    ...declaration,
  });
}

/** One step as a test writes it. */
export interface StepSketch {
  readonly id: string;
  readonly needs?: readonly string[];
  /** Steps it only comes after, however they ended. */
  readonly after?: readonly string[];
  readonly tool?: Tool;
  /** Wrong from the beginning. */
  readonly refused?: Failure;
  /** How long it takes, in virtual milliseconds. */
  readonly ms?: number;
  /** It ends like this instead of in success. */
  readonly fails?: Failure;
  /** Needs a person's yes. */
  readonly gated?: boolean;
}

const PLAIN = contractOf("plain");

/** Make a plan from sketches. */
export function planOf(
  sketches: readonly StepSketch[],
  options: { onError?: OnError; deadlineMs?: number } = {},
): Plan {
  const position = new Map(sketches.map(({ id }, index) => [id, index]));
  const at = (ids: readonly string[] = []): number[] => ids.map((id) => position.get(id)!);
  const needsOf = sketches.map(({ needs }) => at(needs));
  const parking = findParking(
    sketches.map(({ gated, refused }) => gated === true && refused === undefined),
    needsOf,
  );
  // A step that waits for a person holds nothing back, and only the steps that it needs hold it back.
  const afterOf = sketches.map(({ after }, index) =>
    parking[index] === null ? at(after).filter((earlier) => parking[earlier] === null) : [],
  );
  const remaining = remainingPaths(needsOf.map((needed, index) => [...needed, ...afterOf[index]!]));
  const steps = sketches.map(({ id, tool = PLAIN, refused }, index): Step => {
    const call = { tool, input: {}, args: {}, timeoutMs: 1_000 };
    return {
      index,
      id,
      toolName: tool.name,
      needs: needsOf[index]!,
      after: afterOf[index]!,
      edges: [],
      parking: parking[index]!,
      remaining: remaining[index]!,
      task: refused === undefined ? ok({ ...call, call, forEach: undefined, select: null }) : err(refused),
    };
  });
  return {
    steps,
    onError: options.onError ?? "partial-success",
    deadlineMs: options.deadlineMs ?? 60_000,
    demotes: true,
    maxTokens: null,
    handles: [],
    sharesReads: true,
  };
}

/** Parks everything under one id. */
export const fakePark: Park = async (parked) =>
  new Map(
    parked.map(({ step }) => [
      step.index,
      {
        status: "pending_confirmation",
        confirmation: { id: "parked", expiresAt: 0, message: `${step.id} waits`, url: "" },
        meta: {},
      },
    ]),
  );

/** Actions that take the time their sketch says, and a record of what happened when. */
export class FakeActions {
  readonly startedAt = new Map<string, number>();
  /** When each was really over, which a write at the deadline is after its outcome. */
  readonly endedAt = new Map<string, number>();
  readonly stopped = new Map<string, string>();
  readonly #clock: VirtualClock;
  readonly #sketches: ReadonlyMap<string, StepSketch>;
  readonly #caps: ToolCaps;
  readonly #active = new Map<string, number>();
  /** The most calls of each tool that were under way at once. */
  readonly peaks = new Map<string, number>();

  constructor(clock: VirtualClock, sketches: readonly StepSketch[]) {
    this.#clock = clock;
    this.#caps = new ToolCaps(clock, new Turn());
    this.#sketches = new Map(sketches.map((sketch) => [sketch.id, sketch]));
  }

  readonly start: StartStep = (ticket, step) => {
    if (!step.task.ok) throw new Error("Cannot start a step that was refused");
    const { tool } = step.task.value;
    const rank = { remaining: step.remaining, position: step.index };
    this.#caps.enqueue(ticket, { tool, ...rank }, () => this.#begin(ticket, step, tool));
  };

  #begin(ticket: Ticket, step: Step, tool: Tool): void {
    const sketch = this.#sketches.get(step.id)!;
    const startedAt = this.#clock.now();
    this.startedAt.set(step.id, startedAt);
    const active = (this.#active.get(tool.name) ?? 0) + 1;
    this.#active.set(tool.name, active);
    this.peaks.set(tool.name, Math.max(active, this.peaks.get(tool.name) ?? 0));

    const { queuedMs } = ticket;
    const meta = () => ({ durationMs: this.#clock.now() - startedAt, queuedMs, attempts: 1 });
    const end = (outcome: Outcome): void => {
      this.#active.set(tool.name, this.#active.get(tool.name)! - 1);
      this.endedAt.set(step.id, this.#clock.now());
      ticket.end(outcome);
    };
    ticket.start();
    const cancel = this.#clock.after(sketch.ms ?? 0, () => {
      if (sketch.fails !== undefined) end({ status: "error", error: sketch.fails, meta: meta() });
      else if (tool.execution === "fire-and-forget")
        end({ status: "initiated", jobId: `job-${step.id}`, meta: {} });
      else end({ status: "success", data: step.id, json: JSON.stringify(step.id), meta: meta() });
    });
    ticket.hold((failure, sentWrite) => {
      this.stopped.set(step.id, failure.code);
      if (!tool.isWrite) {
        cancel();
        end({ status: "error", error: failure, meta: meta() });
      } else if (sentWrite === "report-unknown") {
        ticket.settle({ status: "unknown", error: failure, meta: meta() });
      }
    });
  }
}

/** The failure most tests mean when any will do. */
export const SOME_FAILURE = makeFailure("UPSTREAM_ERROR");
