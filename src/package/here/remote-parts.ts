import { inDoubt } from "../../core/answer/failed-outcome.ts";
import { type Failure, makeFailure } from "../../core/contract/failure.ts";
import type { FailureCode } from "../../core/contract/failure-codes.ts";
import { parseExact, utf8Length } from "../../core/contract/json.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import type { Outcome } from "../../core/contract/outcome.ts";
import { toPointer } from "../../core/kit/json/json-pointer.ts";
import { attempt } from "../../core/kit/result.ts";
import type { Prepared } from "../../core/plan/prepare-task.ts";
import type { Step, Task } from "../../core/plan/step.ts";
import type { Ticket } from "../../core/run/ticket.ts";
import type { Transport } from "../client/transport.ts";
import { VolleyError } from "../client/volley-error.ts";
import type { Envelope } from "../client/wire-types.ts";
import type { Here } from "./local-call.ts";
import { readRemote, type Sent } from "./remote-result.ts";

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
      // Whatever a value looks like, it is no reference any more.
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
      // A fail-fast or a caller that goes away leaves it: what was sent is seen through, or its request ends with the signal.
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
        ticket.end(answer.ok ? this.#unknown(makeFailure("UPSTREAM_ERROR")) : this.#fail(answer.error));
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

  #fail(error: unknown): Outcome {
    const isRefused =
      error instanceof VolleyError &&
      (error.code === "CONNECTION_LOST" ? error.arrived === false : !IN_DOUBT.has(error.code));
    if (!isRefused) return this.#unknown(makeFailure("UPSTREAM_ERROR"));
    const { code, hint, retryAfterMs } = error;
    const failure = makeFailure(CODES[code] ?? "MISCONFIGURED", {
      hint: `The batch for 'url' was refused, and nothing of it ran: ${code}: ${hint}`,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
    return { status: "error", error: failure, meta: { sentNothing: true } };
  }
}

/** Codes after which nobody here knows what ran. */
const IN_DOUBT: ReadonlySet<string> = new Set(["UNEXPECTED_ANSWER", "IDEMPOTENCY_IN_PROGRESS"]);

/** Codes of actions for those of requests; any other refusal is one of the configuration. */
const CODES: Readonly<Partial<Record<string, FailureCode>>> = {
  CONNECTION_LOST: "UPSTREAM_ERROR",
  QUOTA_EXCEEDED: "RATE_LIMITED",
  UNAVAILABLE: "OVERLOADED",
  INVALID_BATCH: "INVALID_ACTION",
  BODY_TOO_LARGE: "INVALID_ARGS",
};
