import type * as z from "zod/mini";

import type { envelopeSchema, resultSchema } from "../../core/answer/result-schema.ts";
import type { actionForm } from "../../core/contract/action.ts";
import type { batchForm } from "../../core/contract/batch.ts";
import type { jobSchema } from "../../core/contract/gate/job-json.ts";
import type { resultPageSchema } from "../../features/background/batch-results.ts";
import type { confirmationSchema } from "../../features/confirmations/wire-confirmation.ts";
import type { undoneSchema } from "../../features/undo/run/keepers.ts";
import type { Written } from "../../core/contract/lazy-schema.ts";
import type { problemSchema } from "../../core/contract/refusal.ts";
import type { PlanDescription } from "../../core/plan/describe-plan.ts";

// Types only, of the schemas that the server checks and documents by: nothing of them reaches who uses the client.

/** One requested call. */
export type ActionRequest = Readonly<z.input<ReturnType<typeof actionForm.schema>>>;

/** The request of one call: 1 to 50 actions in the order asked. */
export type BatchRequest = Readonly<
  Omit<z.input<ReturnType<typeof batchForm.schema>>, "actions" | "dry_run" | "background" | "on_error">
> & {
  readonly on_error?: "partial-success" | "fail-fast" | "undo";
  /** Beside `undo`: writes without a way back stay. */
  readonly undo?: "what-can";
  readonly actions: readonly ActionRequest[];
  /** Whose accounts its tools use. */
  readonly subject?: string;
  /** Which of several accounts, by connector. */
  readonly connections?: Readonly<Record<string, string>>;
  /** `park`: an action that misses an account waits until it is connected. */
  readonly on_connection?: "park" | "error";
};

/** The result of one action; `status` tells which fields there are. */
export type ActionResult = Written<typeof resultSchema>;

/** The answer to a batch: exactly one result for every action, in the order asked. */
export type Envelope = Written<typeof envelopeSchema> & {
  /** The writes of a batch that was undone, in the order in which they are taken back. */
  readonly undone?: readonly Written<typeof undoneSchema>[];
};

/** The answer to a batch that was recorded: it runs in the background. */
export interface RecordedBatch {
  readonly run_id: string;
  readonly job_id: string;
}

/** A page of the results of a batch in the background. */
export type ResultPage = Written<typeof resultPageSchema>;

/** How a batch would run. */
export type Plan = PlanDescription;

/** Background work. */
export type Job = Written<typeof jobSchema>;

export type JobStatus = Job["status"];

/** The question to a person, and the actions that an approval would run. */
export type Confirmation = Written<typeof confirmationSchema>;

/** Why a request was refused whole, as RFC 9457 writes it. */
export type Problem = Written<typeof problemSchema>;

/** One page of a list; `next_cursor` leads to the next one, and is null where there is none. */
export interface JobPage {
  readonly jobs: readonly Job[];
  readonly next_cursor: string | null;
}

/** The same of what waits for a person, or was decided. */
export interface ConfirmationPage {
  readonly confirmations: readonly Confirmation[];
  readonly next_cursor: string | null;
}

/** Which jobs to list; all of the tenant's that the key may see unless said. */
export interface JobsQuery {
  readonly status?: JobStatus;
  readonly tool?: string;
  /** Created at or after this time, and before that one: RFC 3339. */
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface ConfirmationsQuery {
  readonly status?: "waiting";
  readonly limit?: number;
  readonly cursor?: string;
}

/** The events of a stream: each result the moment it is known, once, and at the end the whole answer. */
export type StreamEvent =
  | { readonly event: "result"; readonly result: ActionResult }
  | { readonly event: "done"; readonly envelope: Envelope };
