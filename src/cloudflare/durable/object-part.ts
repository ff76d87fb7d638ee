import type { IdempotencyRenewal } from "../../core/contract/gate/idempotency.ts";
import type { Aftermath } from "../../core/contract/gate/part-call.ts";
import type { Attempt, JobProgress, JobSpec } from "../../core/contract/gate/job.ts";
import type { JsonObject } from "../../core/contract/json.ts";
import type { Refusal } from "../../core/contract/refusal.ts";
import type { UsageQuery, UsageReport } from "../../core/contract/gate/usage.ts";
import type { OutgoingEvent } from "../../core/contract/gate/outgoing-event.ts";
import type { Job } from "../../core/gate/state/outbox.ts";
import type { Semaphore } from "../../core/kit/semaphore.ts";
import type { JobKind } from "./job-kind.ts";
import type { Outbox } from "./stored-outbox.ts";
import type { EventTable } from "./tables/event-table.ts";
import type { PartTables } from "./tables/schema.ts";

/** The part of a tenant's object that a feature keeps: its tables, its methods, and the kind of job that it brings. */
export interface ObjectPart extends PartTables {
  readonly createKind?: (host: PartHost) => JobKind;
  /** Read what is kept: when the object wakes, and again after its rows were deleted. */
  readonly open: (world: PartWorld) => OpenPart;
}

/** Whose object it is, and the environment that it runs in. */
export interface PartHost {
  readonly env: Record<string, unknown>;
  readonly tenant: string;
  /** The header slots of the object's alarm. */
  readonly slots: Semaphore | undefined;
}

/** The object around an open part. */
export interface PartWorld extends Pick<PartHost, "env" | "tenant"> {
  /** The name of the object, which is one of several of its tenant. */
  readonly object: string;
  readonly storage: DurableObjectStorage;
  readonly outbox: Outbox;
  /** Whether an attempt still has its job, or a run its keys, which that renews. */
  readonly holds: (nowMs: number, holder: Attempt | IdempotencyRenewal) => boolean;
  /** The events that the deployment's address is sent. */
  readonly events: Pick<EventTable, "isOn" | "record">;
  /** Tell every part of something that the tenant may be told. */
  readonly tell: (nowMs: number, make: MakeEvent) => void;
  /** Tell every part what became of runs that are over. */
  readonly tellAfter: (aftermath: Aftermath) => void;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly usage: (nowMs: number) => Partial<UsageReport>;
  /** Tell every part that a question was asked or decided. */
  readonly changed: (nowMs: number) => void;
  /** Have the alarm come no later than this. */
  readonly onDue: (dueAt: number) => void;
  /** Find the open part of a feature that this one needs. */
  readonly part: (name: string) => OpenPart;
  /** Find the questions to people; undefined in a Worker that asks none. */
  readonly questions: () => PartQuestions | undefined;
  /** Whether a part looks after the writes of a run, and tells its questions what became of those. */
  readonly looksAfter: (runId: string) => boolean;
}

/** Makes an event where somebody hears of it; null where there is nothing to tell after all. */
export type MakeEvent = () => OutgoingEvent | null;

/** A part that was read. All of it is synchronous: each call belongs to one turn of the object. */
export interface OpenPart {
  /** The methods that a Worker may call. */
  readonly methods: Readonly<Record<string, (nowMs: number, ...args: never[]) => unknown>>;
  /** When it has something to do next; null when it has not. Every entry asks. */
  readonly nextAt?: number | null;
  /** The version of the tenant's tools, where it has those. Every admission asks. */
  readonly toolsVersion?: number;
  /** Do what is due, before the alarm claims jobs. */
  take?(nowMs: number): void;
  /** Forget what is too old or too much; throws when storage refuses. */
  prune?(nowMs: number): void;
  /** Hear that a job died or may be redriven, or that a question was asked or decided. */
  changed?(nowMs: number): void;
  /** Hear of something that the tenant may be told, in its turn. Never throws. */
  hear?(nowMs: number, make: MakeEvent): void;
  /** Hear, in its turn, what became of runs that are over. Never throws. */
  hearAfter?(aftermath: Aftermath): void;
  /** Hear, in its turn, of a job that was recorded, perhaps before, with what this part is to know of it. Never throws. */
  kept?(nowMs: number, spec: JobSpec): void;
  /** Hear, in its turn, of a job that ended, goes on after its end, or has written lines. Never throws. */
  turned?(job: Job): void;
  /** Forget what belongs to jobs that are gone. */
  forget?(jobIds: readonly string[]): void;
  /** Say how far a job of its kind has come. */
  progress?(jobId: string): JobProgress | undefined;
  usage?(nowMs: number, query: UsageQuery): Partial<UsageReport>;
  /** The claims on what it keeps that allow an admission. */
  readonly claims?: PartClaims;
  /** The questions to people that it keeps. */
  readonly questions?: PartQuestions;
  /** Whether it looks after the writes of a run. */
  looksAfter?(runId: string): boolean;
}

/** Questions to people, as far as another part goes by what becomes of them. */
export interface PartQuestions {
  /** Look at one: `running` has its yes, `done` has run, the others have no yes. Null where it is not kept any more. */
  look(nowMs: number, id: string): PartQuestion | null;
  /** The questions of a run whose writes are looked after. */
  of(runId: string): readonly string[];
  /** Say no to one that is open, in the name of the part. */
  withdraw(nowMs: number, id: string, by: QuestionDecider & { readonly reason: string }): void;
  /** Tell who asked that a question has no yes, and more members of what that is told with, as JSON with a comma before each. */
  conclude(nowMs: number, id: string, members: string): void;
}

/** Who decided a question, and the door, or the part, that it was decided by. */
interface QuestionDecider {
  readonly name: string;
  readonly via: string;
}

/** A question, and the arguments that a person wrote, by action. */
export interface PartQuestion {
  readonly status: "pending" | "running" | "done" | "rejected" | "expired";
  readonly args?: Readonly<Record<string, JsonObject>> | undefined;
}

/**
 * The claims of a part. The object takes one and admits what it allows in the same turn, and gives it back where the quota is used up:
 * if that breaks off in between, nothing of it ever runs, and never does anything run without a claim.
 */
export interface PartClaims {
  /** Take a claim; why not, or null when it is taken. The same claim sent twice is one. */
  take(nowMs: number, value: unknown): Refusal | null;
  /** Give back a claim whose plan was not admitted. */
  giveBack(nowMs: number, value: unknown): void;
  /** Hear that the plan of a claim was admitted. */
  granted(nowMs: number, value: unknown): void;
}
