import type { AttemptEnd, JobSpec } from "../../core/contract/gate/job.ts";
import { createPartCall } from "../../core/contract/gate/part-call.ts";

/** A run to be recorded, once for what caused it. */
export interface RunRequest {
  /** The name of its cause among those of the flow; a run that was recorded under it before is the run. */
  readonly cause: string;
  readonly spec: JobSpec;
  /** Whether the asker makes the first attempt, where there is room for one more of those. */
  readonly takes: boolean;
  /** Its sender could bring the flow a secret until now. */
  readonly closes?: boolean;
}

/** A secret that a sender brought before anything was signed, for a person to give to the flow. */
export interface BroughtToken {
  readonly token: string;
  readonly receivedAt: number;
  /** Others that came meanwhile, none of which was kept. */
  readonly others: number;
}

/** The recorded run: the job, and the fence of its first attempt; null when that attempt is the alarm's to make, or was made. */
export type RunAnswer =
  | { readonly kind: "recorded"; readonly jobId: string; readonly fence: number | null }
  | { readonly kind: "backlog-full" };

/** Stands between the id of a step and the number of an element of its loop; no id has one. */
export const ELEMENT = ":";

/** A step of a run, as it is kept for the attempts to come. */
export interface KeptStep {
  readonly id: string;
  /** How it ended; null for a write of which only is known that it was about to be sent. */
  readonly outcomeJson: string | null;
  /** The words about a write whose effect is unknown. */
  readonly shownJson?: string;
}

/** The record that an attempt of a run leaves besides its end. */
export interface RunReport {
  readonly envelopeJson: string;
  /** How those of its steps ended that no later attempt may run again. */
  readonly steps: readonly KeptStep[];
}

/** The methods of the part of a tenant's object that keeps its runs. */
export interface FlowMethods {
  /** Record a run of a flow, once for what caused it. */
  recordRun(request: RunRequest): RunAnswer;
  /** Keep the secret that a flow's sender brings; false where it has another, or has had a signed delivery. */
  bringToken(flow: string, token: string): boolean;
  /** The secret that a flow's sender has brought, until it is used. */
  broughtToken(flow: string): BroughtToken | null;
  /** Take the report of a run's attempt; false when its fence is not the row's any more, or the run is not running. */
  settleRun(jobId: string, fence: number, end: AttemptEnd, report?: RunReport): boolean;
  /** The input of a run whose row does not have it, as JSON text; null where it is gone. */
  runInput(jobId: string): string | null;
  /** The steps that earlier attempts of a run have left. */
  runSteps(jobId: string): KeptStep[];
  /**
   * Write down that a write of a run is about to be sent, and how others ended before; false when the attempt may send nothing any
   * more.
   */
  beginStep(jobId: string, fence: number, stepId: string, ended?: readonly KeptStep[]): boolean;
  /** Write down how steps of a run ended; false, and of no effect, when the attempt is not the run's any more. */
  endStep(jobId: string, fence: number, ...steps: KeptStep[]): boolean;
}

/** Call a method of the part of a tenant's object that keeps its runs. */
export const callFlows = createPartCall<FlowMethods>("flows");
