import type { KeptAs, OnError } from "../../../core/contract/batch.ts";
import type { JsonObject } from "../../../feature/schema.ts";
import type { OutcomeStatus } from "../../../core/contract/outcome.ts";

/** An action as a run keeps it, as far as running it again goes by it. */
export interface KeptAction {
  readonly id: string;
  readonly tool: string;
  /** The name that was asked for, where there is no tool of that name. */
  readonly asked?: string;
  readonly status: OutcomeStatus;
  /** Whether it happened is not known; absent of one that an earlier version recorded. */
  readonly in_doubt?: true;
  readonly args?: JsonObject;
  /** Its other fields: its loop, what it selects, its time, its callback, its idempotency key. */
  readonly with?: JsonObject;
  readonly data?: unknown;
  /** With its message where content is kept. */
  readonly error?: {
    readonly code: string;
    readonly message?: string;
    readonly hint?: string;
    readonly upstream_status?: number;
  };
  readonly job_id?: string;
  /** The question that it waited for; with its texts where content is kept. */
  readonly confirmation?: {
    readonly id: string;
    readonly expires_at: string;
    readonly message?: string;
    readonly url?: string;
  };
  readonly attempts?: number;
  /** It was told as it had ended before; this run sent nothing for it. */
  readonly replayed?: true;
  readonly items?: { readonly total: number; readonly ok: number };
  /** It was an action of one of several rounds. */
  readonly round?: number;
  /** The id of that batch. */
  readonly batch_id?: string;
  /** The references in its arguments are resolved. */
  readonly resolved?: true;
  /** The key that its upstream knows it by; writes only. */
  readonly call_key?: string;
  /** The accounts that it used, by connector. */
  readonly accounts?: Readonly<Record<string, string>>;
  readonly private?: true;
  readonly cut?: readonly string[];
  readonly redacted?: readonly string[];
}

/**
 * The fields of a batch that its run does not keep as they were sent; every other one is kept. Actions, tags and the rule of failures stand
 * elsewhere in it; what only plans leaves no run; a receipt was for one plan; and who sends it again says anew whether to skip approval.
 */
export const NOT_KEPT = new Set(["actions", "tags", "on_error", "dry_run", "plan_receipt", "skip_approval"]);

export interface KeptRun {
  readonly plan: {
    readonly edges: readonly { readonly from: string; readonly to: string; readonly reason: string }[];
    /** The rule of its batch where one fails, unless that was the usual one. */
    readonly on_error?: OnError;
    /** The fields by which it asked a feature to look after its writes. */
    readonly kept_as?: KeptAs;
    readonly deadline_ms?: number;
  };
  readonly actions: readonly KeptAction[];
  /** The input of the flow that it was. */
  readonly input?: JsonObject;
  /** The delivery that began it. */
  readonly hook?: JsonObject;
}

/**
 * A run that shares actions with one that is run again, by its root: that root, a rerun, or the run that answered a question. The writes that it set out to send, and what is kept of them; null
 * where nothing is, or not yet.
 */
export interface EarlierRerun {
  /** Its id, where that is known. */
  readonly run?: string | undefined;
  /** The run whose question it answered. */
  readonly asker?: string | undefined;
  readonly writes: readonly string[];
  readonly actions: readonly KeptAction[] | null;
}

/** The fields of an action that it has, of some. */
export function pick(action: KeptAction, names: readonly (keyof KeptAction)[]): Partial<KeptAction> {
  return Object.fromEntries(names.flatMap((name) => (name in action ? [[name, action[name]]] : [])));
}

/** An action without its own idempotency key, which would answer it as it ended under that. */
export function withoutKey(action: KeptAction): KeptAction {
  const { idempotency_key: _, ...others } = action.with ?? {};
  return action.with === undefined ? action : { ...action, with: others };
}
