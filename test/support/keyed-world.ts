import type { Tool, ToolDeclaration } from "../../src/core/catalog/define-tool.ts";
import { parseBatch } from "../../src/core/contract/batch.ts";
import type {
  IdempotencyRenewal,
  IdempotencyRequest,
  KeyedContent,
  KeyState,
} from "../../src/core/contract/gate/idempotency.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import { execute } from "../../src/core/run/execute/executor.ts";
import type { BatchKey } from "../../src/core/gate/read-keys.ts";
import type { Execution } from "../../src/core/gate/execution.ts";
import { claimKey, completeKey, type KeyRecord, renewKey } from "../../src/core/gate/state/idempotency.ts";
import { TestWorld, type WireEnvelope } from "./execute-batch.ts";
import { contractOf } from "./fake-actions.ts";

const { idempotencyRetentionMs: retentionMs, idempotencyLeaseMs: leaseMs } = LIMITS;

/** A world whose gate remembers idempotency keys by the rules of the real one, and which can lose a batch in the middle. */
export class KeyedWorld extends TestWorld {
  /** The calls, as `tool` and the idempotency key it was given. */
  readonly calls: { readonly tool: string; readonly key: string }[] = [];
  readonly records = new Map<string, KeyRecord>();
  /** How each key was left, oldest first. */
  readonly ends: string[] = [];

  constructor() {
    super();
    this.gate.claim = (asked) => ({
      batch: asked.batch && this.#claim(asked.batch, asked),
      actions: asked.actions.map((action) => ({ index: action.index, state: this.#claim(action, asked) })),
      leaseMs,
    });
    const renew = this.gate.renew.bind(this.gate);
    this.gate.renew = async (renewal) => {
      await renew(renewal);
      return this.#renew(renewal);
    };
    const complete = this.gate.complete.bind(this.gate);
    this.gate.complete = async (closing) => {
      await complete(closing);
      const nowMs = this.clock.now();
      for (const { key, end, fingerprint } of closing.ends) {
        this.ends.push(`${key} ${end.kind}`);
        const { runId } = closing;
        const record = completeKey(this.records.get(key) ?? null, nowMs, {
          runId,
          end,
          fingerprint,
          retentionMs,
        });
        if (record === null) this.records.delete(key);
        else this.records.set(key, record);
      }
    };
  }

  #claim(content: KeyedContent, { runId }: IdempotencyRequest): KeyState {
    const before = this.records.get(content.key) ?? null;
    const command = { content, runId, leaseMs, retentionMs };
    const [after, state] = claimKey(before, this.clock.now(), command);
    if (after !== null) this.records.set(content.key, after);
    return state;
  }

  #renew({ runId, keys }: IdempotencyRenewal): boolean {
    const lost = keys.filter(({ key, seed }) => {
      const before = this.records.get(key) ?? null;
      const command = { runId, seed, leaseMs, retentionMs };
      const [after, takenOver] = renewKey(before, this.clock.now(), command);
      if (after !== null) this.records.set(key, after);
      return takenOver;
    });
    return lost.length === 0;
  }

  /** A tool that notes its calls and succeeds, unless told otherwise. */
  tool(name: string, declaration: Partial<ToolDeclaration> = {}): Tool {
    const { run = () => Promise.resolve({ from: name }) } = declaration;
    return contractOf(name, {
      ...declaration,
      run: (args, context) => {
        this.calls.push({ tool: name, key: context.idempotencyKey });
        return run(args, context);
      },
    });
  }

  /** Execute a batch under a key. */
  send(
    tools: readonly Tool[],
    body: object,
    key?: string,
    ways: Pick<BatchKey, "isShared"> = {},
  ): Promise<WireEnvelope> {
    return this.run(tools, body, this.#keyed(body, key, ways));
  }

  /** Begin a batch and lose it: the runtime dies after `ms`, and nothing of it is ever reported. */
  async lose(
    tools: readonly Tool[],
    body: object,
    { key, ms }: { readonly key?: string; readonly ms: number },
  ) {
    const batch = parseBatch(body, 1_000);
    if (!batch.ok) throw new Error(`Cannot lose: ${batch.error.hint}`);
    const { gate } = this;
    const { beforeAnswer } = gate;
    const complete = gate.complete.bind(gate);
    const renew = gate.renew.bind(gate);
    void execute(batch.value, this.execution(tools, this.#keyed(body, key)));
    await this.clock.advance(ms);
    // The gate hears nothing more of it.
    gate.complete = () => new Promise(() => {});
    gate.renew = () => new Promise(() => {});
    gate.beforeAnswer = () => new Promise(() => {});
    await this.clock.advance(leaseMs);
    gate.complete = complete;
    gate.renew = renew;
    gate.beforeAnswer = beforeAnswer;
    this.calls.length = 0;
    // Its deferred work died with it.
    this.deferred.length = 0;
  }

  /** The seed of the ids of a key's calls and jobs. */
  seedOf(key: string): string {
    const record = this.records.get(key);
    if (record === undefined) throw new Error(`Cannot give a seed: nothing is known of '${key}'`);
    return record.seed;
  }

  #keyed(body: object, key: string | undefined, ways: Pick<BatchKey, "isShared"> = {}): Partial<Execution> {
    return {
      ...(key !== undefined && { batchKey: { key, content: body, ...ways } }),
    };
  }
}
