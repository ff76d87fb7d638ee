import type { Tool } from "../../src/core/catalog/define-tool.ts";
import { parseBatch } from "../../src/core/contract/batch.ts";
import { parseExact } from "../../src/core/contract/json.ts";
import type { Execution } from "../../src/core/gate/execution.ts";
import type { SeenBatch } from "../../src/core/observe/seen.ts";
import { execute } from "../../src/core/run/execute/executor.ts";
import { decideRerun } from "../../src/features/runs/rerun/decide-rerun.ts";
import type { KeptRun } from "../../src/features/runs/rerun/kept-run.ts";
import { runRerun } from "../../src/features/runs/rerun/run-rerun.ts";
import { RunRecord } from "../../src/features/runs/run-record.ts";
import { TestWorld, type WireEnvelope } from "./execute-batch.ts";
import { contractOf } from "./fake-actions.ts";

/** How the store treats one request. A killed one is the last thing that its isolate did. */
export type Treatment =
  | "done"
  | "refused"
  | "lost after it was done"
  | "lost before it was done"
  | "killed after it was done"
  | "killed before it was done";

const KILLED = Symbol("killed");

/** A store that writes go to, and a log of the runs that sent them: both outlive the isolates that batches run in. */
export class RerunWorld {
  /** How often each write has taken effect, by its argument. */
  readonly effects = new Map<string, number>();
  readonly #treatments: Treatment[];
  readonly #runs = new Map<string, string>();
  readonly #claims: { root: string; rerun: string; writes: readonly string[] }[] = [];
  readonly tools: readonly Tool[];
  #ids = 0;

  constructor(treatments: readonly Treatment[], more: readonly Tool[] = []) {
    this.#treatments = [...treatments];
    const run: Tool["run"] = async (args, ctx) => {
      const { of } = args as { readonly of: string };
      return (await ctx.fetch(`https://store.example.com/${of}`, { method: "POST" })).json();
    };
    const hosts = ["store.example.com"];
    this.tools = [
      contractOf("write", { isWrite: true, actions: ["create"], hosts, run }),
      contractOf("read", { run: () => Promise.resolve({ found: true }) }),
      ...more,
    ];
  }

  /** Run a batch in an isolate of its own; the id of its run, or null where it was killed and left none. */
  async run(body: object): Promise<string | null> {
    const batch = parseBatch(body, 1_000);
    if (!batch.ok) throw new Error(batch.error.hint);
    const ran = await this.#inIsolate((execution) => execute(batch.value, execution));
    return ran === null ? null : ran.batch_id;
  }

  /** Run a run again; null where it was killed, the ids where it was refused for them. */
  async rerun(runId: string, only?: "failed"): Promise<WireEnvelope | readonly string[] | null> {
    const kept = this.bodyOf(runId)!;
    const root = this.#claims.find(({ rerun }) => rerun === runId)?.root ?? runId;
    const claims = this.#claims.filter((claim) => claim.root === root);
    const fates = decideRerun({
      actions: kept.actions,
      earlier: claims.map(({ rerun, writes }) => ({ writes, actions: this.bodyOf(rerun)?.actions ?? null })),
      onlyFailed: only === "failed",
      toolOf: (name) => this.tools.find((tool) => tool.name === name),
    });
    if (!fates.ok) return fates.error;
    const log = {
      claimRerun: (claim: { root: string; rerun: string; writes: readonly string[] }) =>
        Promise.resolve(this.#claims.push(claim) > 0),
      dropRerun: () => Promise.resolve(),
    };
    const of = { runId, root, earlier: claims.length, kept, source: "http", known: new Map(), log };
    return this.#inIsolate((execution) => runRerun(fates.value, of, execution));
  }

  bodyOf(runId: string): KeptRun | null {
    const body = this.#runs.get(runId);
    return body === undefined ? null : (parseExact(body) as KeptRun);
  }

  async #inIsolate(run: (execution: Execution) => ReturnType<typeof execute>): Promise<WireEnvelope | null> {
    const world = new TestWorld();
    const killed = Promise.withResolvers<typeof KILLED>();
    const bodies: [string, string][] = [];
    world.fetch = (url) => this.#answer(new URL(url).pathname.slice(1), () => killed.resolve(KILLED));
    const watch = {
      listeners: [{}],
      enter: () => {},
      sawBatch: (batch: SeenBatch) => {
        const record = new RunRecord({ keepsContent: true, secretOf: () => undefined });
        record.add(batch, { isPrivate: () => false, secretive: new Set() });
        bodies.push([batch.batchId!, record.toBodyJson()]);
      },
    };
    const execution = world.execution(this.tools, {
      watch: watch as unknown as NonNullable<Execution["watch"]>,
    });
    const own = { ...execution, ports: { ...execution.ports, newId: () => this.#newId() } };
    const answer = await world.clock.runUntil(Promise.race([run(own), killed.promise]));
    if (answer === KILLED) return null;
    for (const [id, body] of bodies) this.#runs.set(id, body);
    if (!answer.ok) throw new Error(answer.error.refusal.hint);
    return JSON.parse(answer.value.json) as WireEnvelope;
  }

  #newId(): string {
    this.#ids += 1;
    return `${this.#ids.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
  }

  #answer(of: string, kill: () => void): Promise<Response> {
    const treatment = this.#treatments.shift() ?? "done";
    const isDone = treatment === "done" || treatment.endsWith("after it was done");
    if (isDone) this.effects.set(of, (this.effects.get(of) ?? 0) + 1);
    if (treatment.startsWith("killed")) {
      kill();
      return new Promise(() => {});
    }
    if (treatment.startsWith("lost")) return Promise.reject(new Error("the connection broke"));
    return Promise.resolve(Response.json({ of }, { status: treatment === "refused" ? 400 : 200 }));
  }
}
