import { failUnsent, inDoubt } from "../../core/answer/failed-outcome.ts";
import { selectFields } from "../../core/answer/select-fields.ts";
import { type Failure, makeFailure, toWireFailure } from "../../core/contract/failure.ts";
import type { FailureCode } from "../../core/contract/failure-codes.ts";
import { isJsonObject, parseExact, utf8Length } from "../../core/contract/json.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import type { Outcome } from "../../core/contract/outcome.ts";
import { toPointer } from "../../core/kit/json/json-pointer.ts";
import { attempt } from "../../core/kit/result.ts";
import type { Prepared } from "../../core/plan/prepare-task.ts";
import type { Step, Task } from "../../core/plan/step.ts";
import type { Ticket } from "../../core/run/ticket.ts";
import { type Transport, VolleyError } from "../client/transport.ts";
import type { ActionResult, Envelope } from "../client/wire-types.ts";
import type { Here } from "./local-call.ts";

/** A batch of its own, in which some of the actions were sent. */
export interface Part {
  readonly batch_id: string;
  readonly actions: readonly string[];
}

export interface PartsOptions extends Here {
  readonly transport: Transport;
  readonly signal: AbortSignal | undefined;
  readonly endsAt: number;
  /** The caller's key; absent where there is none. */
  readonly key: string | undefined;
  readonly newId: () => string;
  /** The fields of every part besides its actions and its deadline. */
  readonly fields: object;
}

/** The differences between an action as it was asked for and as it was sent. */
interface Sent {
  readonly step: Step;
  /** Elements of its loop that could not be called, with the reason. */
  readonly unfit: ReadonlyMap<number, Failure>;
  /** Its selection, where that is made here because another action refers to the whole. */
  readonly select: Task["select"];
  /** When it was sent, in milliseconds from the batch's start. */
  readonly sentMs: number;
}

/** An action that is ready, with its values in the place of references. */
interface Ready extends Omit<Sent, "sentMs"> {
  readonly ticket: Ticket;
  readonly action: object;
  readonly bytes: number;
}

/** Bytes of a body besides its actions. */
const FIELDS_BYTES = 8 * 1024;
/** Time after the deadline for the answer that says what had become of each action by then. */
const GRACE_MS = 5_000;

/** Gathers the actions that are ready at one moment, and sends them as one batch; as several where a body has no room for all. */
export class RemoteParts {
  readonly #options: PartsOptions;
  #ready: Ready[] = [];
  readonly sent: Part[] = [];
  /** Results as the caller gets them, as JSON, by the outcomes that were made of them. */
  readonly results = new Map<Outcome, string>();

  constructor(options: PartsOptions) {
    this.#options = options;
  }

  /**
   * Send an action with the next part.
   *
   * @param isNeeded another action may refer to the whole of its data
   */
  add(
    ticket: Ticket,
    step: Step,
    {
      task,
      prepared,
      isNeeded,
    }: { readonly task: Task; readonly prepared: Prepared; readonly isNeeded: boolean },
  ): void {
    const { key, clock } = this.#options;
    const { tool, select, timeoutMs, callbackUrl, runAt } = task;
    const ownKey = step.keyed?.key ?? (key && `${key}:${step.id}`);
    const unfit = new Map<number, Failure>();
    if (prepared.kind === "loop")
      for (const [index, call] of prepared.calls.entries()) if (!call.ok) unfit.set(index, call.error);
    const action = {
      id: step.id,
      tool: tool.name,
      ...(ownKey !== undefined && { idempotency_key: ownKey }),
      ...(timeoutMs < tool.timeoutMs && { timeout_ms: timeoutMs }),
      ...(callbackUrl !== undefined && { callback_url: callbackUrl }),
      ...(runAt !== undefined && { run_at: new Date(runAt).toISOString() }),
      ...(select !== null && !isNeeded && { select: select.map(toPointer) }),
      // A value that looks like a reference is sent as the text or object that it is.
      ...(prepared.kind === "call"
        ? { args: { $literal: prepared.call.input } }
        : {
            args: { $ref: "item#" },
            for_each: prepared.calls.map((call) => (call.ok ? { $literal: call.value.input } : null)),
          }),
    };
    const bytes = utf8Length(JSON.stringify(action));
    this.#ready.push({ ticket, step, action, bytes, unfit, select: isNeeded ? select : null });
    if (this.#ready.length === 1) clock.after(0, () => this.#send());
  }

  #send(): void {
    const parts: Ready[][] = [];
    let left = 0;
    for (const ready of this.#ready.filter(({ ticket }) => !ticket.isOver)) {
      if (parts.length === 0 || ready.bytes > left) {
        parts.push([]);
        left = LIMITS.bodyBytes - FIELDS_BYTES;
      }
      left -= ready.bytes;
      parts.at(-1)!.push(ready);
    }
    this.#ready = [];
    for (const part of parts) {
      // An answer of any other form says nothing of what ran.
      void attempt(() => this.#sendPart(part)).then((sent) => {
        const odd = this.#unknown(makeFailure("BAD_UPSTREAM_RESPONSE"));
        if (!sent.ok) for (const { ticket } of part) ticket.end(odd);
      });
    }
  }

  async #sendPart(part: readonly Ready[]): Promise<void> {
    const { transport, clock, startedAt, endsAt, signal, fields, count, newId } = this.#options;
    const sentAt = clock.now();
    const body = {
      ...fields,
      deadline_ms: Math.max(1, endsAt - sentAt),
      actions: part.map(({ action }) => action),
    };
    const forgets: (() => void)[] = [];
    for (const { ticket } of part) {
      // Neither a failed action nor a caller that goes away stops it here: the request ends with its answer, or with the signal.
      ticket.hold((failure, sentWrite) => {
        if (sentWrite === "report-unknown")
          forgets.push(clock.after(GRACE_MS, () => ticket.settle(this.#unknown(failure))));
      });
      ticket.start();
    }
    count(part.length);
    const read = async (response: Response): Promise<Envelope> =>
      parseExact(await response.text()) as Envelope;
    const answer = await attempt(() =>
      transport.send("/v1/execute_actions", { method: "POST", body, key: newId(), signal }, read),
    );
    count(-part.length);
    for (const forget of forgets) forget();
    const results = new Map(answer.ok ? answer.value.results.map((result) => [result.id, result]) : []);
    if (answer.ok)
      this.sent.push({ batch_id: answer.value.batch_id, actions: part.map(({ step }) => step.id) });
    for (const { ticket, ...ready } of part) {
      const came = results.get(ready.step.id);
      if (came === undefined) {
        ticket.end(this.#fail(answer.ok ? null : answer.error, ready));
        continue;
      }
      const { outcome, json } = readRemote(came, { ...ready, sentMs: sentAt - startedAt });
      this.results.set(outcome, json);
      ticket.end(outcome);
    }
  }

  /** It may have arrived, and only `url` knows whether its tool writes. */
  #unknown(failure: Failure): Outcome {
    return { status: "unknown", error: inDoubt(failure, this.#options.key !== undefined), meta: {} };
  }

  /** Under a caller's key an earlier run may have sent it: a batch can be refused before its keys are looked at. */
  #fail(error: unknown, { step }: Pick<Ready, "step">): Outcome {
    const isRefused = error instanceof VolleyError && (error.arrived === false || !IN_DOUBT.has(error.code));
    if (!isRefused) return this.#unknown(makeFailure("UPSTREAM_ERROR"));
    const { code, hint, retryAfterMs } = error;
    const isKeyed = this.#options.key !== undefined || step.keyed !== undefined;
    const ran = isKeyed ? "it may have run under its key before" : "nothing of it ran";
    const failure = makeFailure(CODES[code] ?? "MISCONFIGURED", {
      hint: `The batch for 'url' was refused, and ${ran}: ${code}: ${hint}`,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
    return isKeyed ? { status: "unknown", error: failure, meta: {} } : failUnsent(failure);
  }
}

/** The codes that leave open whether something ran: where `url` is not available, background actions may be recorded. */
const IN_DOUBT: ReadonlySet<string> = new Set([
  "CONNECTION_LOST",
  "UNEXPECTED_ANSWER",
  "IDEMPOTENCY_IN_PROGRESS",
  "UNAVAILABLE",
]);

/** Codes of actions for those of requests; any other refusal is one of the configuration. */
const CODES: Readonly<Partial<Record<string, FailureCode>>> = {
  CONNECTION_LOST: "UPSTREAM_ERROR",
  QUOTA_EXCEEDED: "RATE_LIMITED",
  INVALID_BATCH: "INVALID_ACTION",
  BODY_TOO_LARGE: "INVALID_ARGS",
};

/** The outcome of a result that the plan goes on with, and the result as the caller gets it. */
function readRemote(came: ActionResult, sent: Sent): { readonly outcome: Outcome; readonly json: string } {
  const { step, unfit, select, sentMs } = sent;
  const { data: all } = came as { readonly data?: unknown };
  const data = unfit.size > 0 && Array.isArray(all) ? all.map(withUnfit(unfit)) : all;
  const { data: shown, missing } = select === null ? { data, missing: [] } : show(data, select, step);
  const { meta } = came;
  const { started_ms: startedMs, tries } = meta;
  const result = {
    ...came,
    index: step.index,
    ...(data !== undefined && { data: shown }),
    meta: {
      ...meta,
      ...(startedMs !== undefined && { started_ms: startedMs + sentMs }),
      ...(tries && { tries: tries.map((one) => ({ ...one, started_ms: one.started_ms + sentMs })) }),
      ...(missing.length > 0 && { select_missing: missing }),
      ...(step.readAs && { read_as: step.readAs }),
    },
  };
  return { outcome: toOutcome({ ...came, data } as ActionResult), json: JSON.stringify(result) };
}

const withUnfit =
  (unfit: Sent["unfit"]) =>
  (entry: unknown, index: number): unknown => {
    const failure = unfit.get(index);
    return failure === undefined ? entry : { index, status: "error", error: toWireFailure(failure) };
  };

/** Select of the data; of a loop's, in each element. */
function show(
  data: unknown,
  select: NonNullable<Sent["select"]>,
  { task }: Step,
): { readonly data: unknown; readonly missing: readonly string[] } {
  if (data === undefined) return { data, missing: [] };
  const isLoop = task.ok && task.value.forEach !== undefined;
  if (!isLoop || !Array.isArray(data)) return selectFields(data, select);
  const missing = new Set<string>();
  const shown = data.map((entry: unknown) => {
    if (!isJsonObject(entry) || !("data" in entry)) return entry;
    const selected = selectFields(entry["data"], select);
    for (const pointer of selected.missing) missing.add(pointer);
    return { ...entry, data: selected.data };
  });
  return { data: shown, missing: [...missing] };
}

/** The outcome of a result: as much of it as the plan, the counts and the times depend on. */
function toOutcome(came: ActionResult): Outcome {
  const {
    data,
    meta: { duration_ms: durationMs, items },
  } = came as ActionResult & { readonly data?: unknown };
  const meta = { ...(durationMs !== undefined && { durationMs }), ...(items && { items }) };
  if (came.status === "success") return { status: "success", data, json: JSON.stringify(data), meta };
  if (came.status === "initiated") return { status: "initiated", jobId: came.job_id, meta };
  return { ...(came as object), meta } as Outcome;
}
