import type { Catalog } from "../../feature/tool.ts";
import type {
  IdempotencyAnswer,
  IdempotencyRequest,
  KeptAnswer,
  KeyedContent,
  KeyEnd,
} from "../../core/contract/gate/idempotency.ts";
import { utf8Length } from "../../feature/schema.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import { canonicalJson } from "../../core/kit/json/canonical-json.ts";
import type { Plan, Step } from "../../core/plan/step.ts";
import { endKey } from "../../core/gate/claimed-keys.ts";
import type { Refused } from "../../core/gate/admit-plan.ts";
import type { Execution } from "../../core/gate/execution.ts";
import { holdLease } from "../../core/gate/hold-lease.ts";
import { KEY_CONFLICT, mayRead, namesOf } from "../../core/gate/kept-answer.ts";
import { type BatchKey, readKeys } from "../../core/gate/read-keys.ts";
import type { Ports } from "../../feature/outside.ts";

/** By what a request is known again. */
export interface RequestName extends Omit<KeyedContent, "seed"> {
  /** It is known by an idempotency key, and so for as long as a batch is. */
  readonly hasKey: boolean;
  /** Its client says that it was never sent before: whatever stands under its name is another request's. */
  readonly isFirst: boolean;
}

type KeyedExecution = Pick<Execution, "caller" | "origin" | "catalog" | "currentCatalog" | "gate" | "ports">;

/**
 * A request that may come again, made of rounds that are not known beforehand. Its claim is held while it runs, and each of its
 * writes has a key of its own, made of the request, the tool and the arguments: the request that comes again may ask for its
 * writes in another order, and finds for each what became of it.
 */
export class RequestKey {
  /** The claim on the request itself. */
  readonly asked: IdempotencyRequest & { readonly batch: KeyedContent };
  readonly #execution: KeyedExecution;
  readonly #writes = new WriteKeys();
  /** How often each batch was recorded that runs later. */
  readonly #recorded = new Map<string, number>();
  /** The tools that its answer tells of, and all that its caller could call where an earlier turn may tell of any. */
  readonly #told = new Set<string>();
  #claiming: Promise<string | null> | null = null;
  #askedAtMs: number;
  /** An answer without a write is kept too. */
  readonly #keepsAnswer: boolean;
  /** An earlier run began it. */
  #isTakenOver = false;
  /** Its writes may have been sent. */
  #wrote = false;
  readonly #lost = new AbortController();
  #letGo = (): void => {};

  constructor({ key, fingerprint, hasKey, isFirst }: RequestName, execution: KeyedExecution) {
    const { ports } = execution;
    this.#execution = execution;
    this.#askedAtMs = ports.clock.now();
    this.asked = {
      runId: ports.newId(),
      batch: {
        key: `request:${key}`,
        fingerprint,
        seed: ports.newId(),
        givesUpSoon: true,
        ...(isFirst && { fresh: true }),
        ...(!hasKey && { retentionMs: LIMITS.repeatRetentionMs }),
      },
      actions: [],
    };
    this.#keepsAnswer = hasKey;
  }

  /** Aborts when another run has taken the request over. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Claim it while something else goes on: nothing but a write waits for that. */
  begin(): void {
    this.#claiming ??= this.#claim();
  }

  /** Take what the gate said of it: the answer that it has already, or null when it is to run. */
  async take(answer: IdempotencyAnswer): Promise<Result<string | null, Refusal>> {
    const { batch: state } = answer;
    switch (state?.kind) {
      case undefined:
        return ok(null);
      case "claimed":
        this.#claiming = Promise.resolve(this.#hold(answer));
        this.#wrote = this.#isTakenOver;
        return ok(null);
      case "done":
        return (await this.#mayRead(state.answer)) ? ok(state.answer.json) : err(KEY_CONFLICT);
      case "conflict":
        return err(KEY_CONFLICT);
      case "running": {
        const retryAfterMs = Math.max(state.retryAfterMs, LIMITS.agentRetryMs);
        const hint = `The same request is still running, or was lost: send it again in ${Math.ceil(retryAfterMs / 1_000)} s to get its answer.`;
        return err(makeRefusal("IDEMPOTENCY_IN_PROGRESS", hint, { retryAfterMs }));
      }
    }
  }

  /** Whether its caller may have an answer. The tenant's tools may have changed since this isolate heard of them. */
  async #mayRead(answer: KeptAnswer): Promise<boolean> {
    const { caller, catalog, currentCatalog } = this.#execution;
    if (mayRead(answer, { caller, catalog })) return true;
    const current = await attempt(() => currentCatalog());
    return current.ok && mayRead(answer, { caller, catalog: current.value });
  }

  /** Note that its conversation holds earlier turns, with results of tools that its caller may call. */
  tellsOfTurns(): void {
    for (const grant of this.#execution.caller.tools) this.#told.add(grant);
  }

  /** Give a plan's writes their keys; refused where it cannot be written down that they are sent. */
  async keyWrites(plan: Plan, catalog: Catalog): Promise<Result<Plan, Refused>> {
    for (const name of namesOf(plan, catalog)) this.#told.add(name);
    if (!plan.steps.some(needsKey)) return ok(plan);
    const seed = await this.#writeDown();
    return seed.ok ? ok(await this.#writes.give(plan, seed.value, this.#execution.ports.sha256)) : seed;
  }

  /** Give a batch that is recorded, and runs later, its key; refused as a write is. */
  async keyBatch(content: unknown): Promise<Result<BatchKey & { readonly key: string }, Refused>> {
    const seed = await this.#writeDown();
    if (!seed.ok) return seed;
    const digest = await this.#execution.ports.sha256(canonicalJson([seed.value, content]));
    return ok({ key: `${digest} ${this.#recorded.get(digest) ?? 0}`, content });
  }

  /** Count a batch that this run was the first to record: asked for once more, it is another one. */
  countBatch({ key }: { readonly key: string }): void {
    const [digest = ""] = key.split(" ");
    this.#recorded.set(digest, (this.#recorded.get(digest) ?? 0) + 1);
  }

  /** Make the claims of a plan whose writes have their keys. */
  async keysOf(plan: Plan): Promise<IdempotencyRequest | null> {
    const { caller, ports, origin } = this.#execution;
    const keys = await readKeys(plan, { caller, ports, origin, batchKey: undefined });
    if (keys === null) return null;
    const { key: _, seed: __, fresh: ___, givesUpSoon: ____, ...own } = this.asked.batch;
    // Its key names content and caller already: of references as they were written.
    const actions = keys.actions.map((action) =>
      this.#writes.has(action.key)
        ? {
            index: action.index,
            key: action.key,
            seed: action.seed,
            inherited: this.#isTakenOver,
            ...(action.parked !== undefined && { parked: action.parked }),
            ...own,
          }
        : action,
    );
    return { ...keys, actions };
  }

  /**
   * Count the writes that this run was the first to send: asked for once more, they are other writes. One that an earlier run
   * sent is the same however often it is asked for.
   */
  count(plan: Plan, begun: readonly number[]): void {
    this.#writes.count(plan, begun);
  }

  /** Say how the request ended; null where it has no answer, so that the next one runs at once. */
  async end(answer: string | null): Promise<void> {
    if (this.#claiming === null || (await this.#claiming) === null) return;
    const { runId, batch } = this.asked;
    const ends = [endKey(batch, this.#endOf(answer))];
    // Where it is lost the request stays claimed, until its lease ends.
    await attempt(() => this.#execution.gate.complete({ runId, ends }));
    this.#letGo();
  }

  #endOf(answer: string | null): KeyEnd {
    if (!this.#wrote && (!this.#keepsAnswer || answer === null)) return { kind: "free" };
    if (answer === null || utf8Length(answer) > LIMITS.idempotencyAnswerBytes) return { kind: "release" };
    return { kind: "done", answer: { json: answer, failed: false, tools: [...this.#told] } };
  }

  /** Write down that something is about to be sent. Without the claim it is not known what an earlier run has sent, unless there was none. */
  async #writeDown(): Promise<Result<string, Refused>> {
    const seed = (await this.#seed()) ?? (await this.#seed());
    const { fresh = false } = this.asked.batch;
    if (seed === null) return err({ refusal: NOT_WRITTEN_DOWN, quota: null, mayHaveBegun: !fresh });
    this.#wrote = true;
    return ok(seed);
  }

  async #seed(): Promise<string | null> {
    const seed = await (this.#claiming ??= this.#claim());
    if (seed === null) this.#claiming = null;
    return seed;
  }

  async #claim(): Promise<string | null> {
    const { asked } = this;
    this.#askedAtMs = this.#execution.ports.clock.now();
    const request = { quota: null, draws: [], jobs: [], allOrNothing: false, idempotency: asked };
    const answer = await attempt(() => this.#execution.gate.admit(request));
    return answer.ok && answer.value.idempotency !== undefined ? this.#hold(answer.value.idempotency) : null;
  }

  /** Hold what was claimed until the end; the seed that it was given, or null where it was not claimed. */
  #hold({ batch: state, leaseMs }: IdempotencyAnswer): string | null {
    if (state?.kind !== "claimed") return null;
    const { runId, batch } = this.asked;
    const { gate, ports } = this.#execution;
    this.#isTakenOver = state.seed !== batch.seed;
    if (leaseMs !== undefined) {
      const keys = [{ key: batch.key, seed: state.seed, retentionMs: batch.retentionMs }];
      const onLost = (): void => this.#lost.abort();
      const held = { gate, clock: ports.clock, askedAtMs: this.#askedAtMs, onLost };
      this.#letGo = holdLease({ runId, keys, leaseMs }, held);
    }
    return state.seed;
  }
}

const NOT_WRITTEN_DOWN = makeRefusal(
  "UNAVAILABLE",
  "It could not be written down that this is about to be sent, so nothing of it ran now; it may be sent again.",
  { retryAfterMs: 1_000 },
);

/**
 * The keys of one request's writes. A key is made of the request, the tool and the arguments, with a number: a write that is asked
 * for once more, after the request was the first to send it, is another write.
 */
class WriteKeys {
  readonly #sent = new Map<string, number>();
  readonly #made = new Set<string>();

  /** Whether a claim is on one of these keys. */
  has(key: string): boolean {
    return this.#made.has(key);
  }

  /** Give a plan's writes their keys. */
  async give(plan: Plan, seed: string, sha256: Ports["sha256"]): Promise<Plan> {
    const digests = await Promise.all(plan.steps.map((step) => sha256(canonicalJson(contentOf(step)))));
    const inPlan = new Map<string, number>();
    const steps: Step[] = [];
    for (const step of plan.steps) {
      if (!needsKey(step)) {
        steps.push(step);
        continue;
      }
      const sources = sourcesOf(step, plan.steps).map(({ id, index }) => [id, digests[index]!]);
      const digest = await sha256(JSON.stringify([seed, digests[step.index]!, sources]));
      const before = inPlan.get(digest) ?? 0;
      inPlan.set(digest, before + 1);
      const key = `${digest} ${(this.#sent.get(digest) ?? 0) + before}`;
      this.#made.add(`action:${key}`);
      steps.push({ ...step, keyed: { key, content: {} } });
    }
    return { ...plan, steps };
  }

  /** Count the writes that the request was the first to send. */
  count(plan: Plan, begun: readonly number[]): void {
    for (const index of begun) {
      const [digest] = plan.steps[index]!.keyed!.key.split(" ") as [string];
      this.#sent.set(digest, (this.#sent.get(digest) ?? 0) + 1);
    }
  }
}

/** A write whose key is not its sender's own. */
function needsKey({ task, keyed }: Step): boolean {
  return keyed === undefined && task.ok && task.value.tool.isWrite;
}

/** Name what a step does. */
function contentOf({ task }: Step): unknown {
  if (!task.ok) return null;
  const { tool, input, forEach } = task.value;
  return [tool.name, input, forEach ?? null];
}

/** Find the steps whose results stand in a step's arguments, and in theirs. */
function sourcesOf(step: Step, steps: readonly Step[]): readonly Step[] {
  const found = new Set<number>();
  const open = [step];
  for (let one = open.pop(); one !== undefined; one = open.pop())
    for (const { from, reason } of one.edges) {
      if (reason !== "reference" || found.has(from)) continue;
      found.add(from);
      open.push(steps[from]!);
    }
  return steps.filter(({ index }) => found.has(index));
}
