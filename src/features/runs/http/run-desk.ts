import { defineObject } from "../../../feature/object.ts";
import { attempt, ConfigurationError, ok } from "../../../feature/refuse.ts";
import type { RunListener, SeenBatch, Tool } from "../../../feature/tool.ts";
import type { Account } from "../../../core/contract/gate/caller.ts";
import * as LIMITS from "../limits.ts";
import { type Configured, createSlot, type RunWitness } from "../../../feature/define.ts";
import { FOR_DELIVERY, givenBy, type Notice } from "../../../feature/gives.ts";
import { getOrMake } from "../../../core/kit/get-or-make.ts";
import type { ModelRound } from "../../../core/observe/seen.ts";
import { type Kept, parseRunDays, readKept, RUN_DAYS, RUNS_KEPT } from "../read-settings.ts";
import { RUN_LOGS, type RunHead, type RunReport, type RunSource } from "../run.ts";
import type { RunLog, RunLogMethods } from "../run-log-methods.ts";
import { RunBuffer, type RunOwner } from "../run-buffer.ts";
import { type RecordOptions, type RunFacts, RunRecord } from "../run-record.ts";
import { seeRun } from "../see-run.ts";

const logsOf = defineObject<RunLogMethods>({
  binding: RUN_LOGS,
  isErased: true,
  timeoutMs: LIMITS.gateTimeoutMs,
});

/** The runs of one deployment: what is recorded, and the logs that keep it. */
class RunDesk {
  readonly #configured: Configured;
  readonly #kept: Kept;
  readonly #logs: ReturnType<typeof logsOf>;
  readonly #buffer: RunBuffer;
  /** One for all records: made within a request they would hold all of it until they are reported. */
  readonly #recording: RecordOptions;

  /** Throws where its part of the configuration cannot be read. */
  constructor(configured: Configured) {
    this.#configured = configured;
    const { env, ports } = configured;
    const kept = readKept(env);
    if (kept === null)
      throw new ConfigurationError(RUNS_KEPT, "it must be 'content', 'outline', 'off' or empty");
    if (parseRunDays(env) === null)
      throw new ConfigurationError(RUN_DAYS, `it must be a whole number from 1 to ${LIMITS.maxRunDays}`);
    this.#kept = kept;
    this.#recording = { keepsContent: kept === "content", secretOf: (name) => ports.secret(name) };
    this.#logs = logsOf(configured);
    this.#buffer = new RunBuffer({
      clock: ports.clock,
      newId: () => ports.newId(),
      send: (owner, report) => this.#report(owner, report),
      log: (level, json) => ports.log(level, json),
    });
  }

  /** The log of a tenant; null where the deployment has no objects that keep any. */
  logOf(owner: RunOwner): RunLog | null {
    return this.#logs?.(owner.tenant, owner) ?? null;
  }

  /** Forget what waits to be reported of a tenant. */
  forget({ tenant }: RunOwner): void {
    this.#buffer.forget(tenant);
  }

  listen(to: RunWitness): RunListener | undefined {
    if (this.#logs === null || this.#kept === "off") return undefined;
    const record = (): RunRecord => new RunRecord(this.#recording);
    const begunAt = this.#configured.ports.clock.now();
    return listenTo(to, record, (facts, held, model) => {
      const run = { facts, record: held, begunAt, ...(model !== undefined && { model }) };
      this.#buffer.add(to.caller, run, to.defer);
    });
  }

  /** Report runs; what the tenant is told of those that failed is recorded first, so that none is kept without it. */
  async #report(owner: RunOwner, report: RunReport): Promise<void> {
    const { features, ports } = this.#configured;
    const [tell] = givenBy(features, "tell");
    const failed = tell === undefined ? [] : toFailedNotices(report, ports.clock.now());
    const told =
      failed.length === 0 ? ok(undefined) : await attempt(() => tell!(failed, owner, this.#configured));
    await this.logOf(owner)?.report(report);
    // Both are sent once more; a tenant that cannot be told then has its runs all the same.
    if (!told.ok && !report.isRepeated) throw told.error;
  }
}

export const runDeskOf = createSlot((configured) => new RunDesk(configured));

type Keep = (facts: RunFacts, record: RunRecord, model?: readonly ModelRound[]) => void;

/**
 * Listen to one request: every batch is a run, but for those of a request that joins them, which are its rounds. A flow that is an
 * action of a batch is a run of its own, caused by that of the batch; where it calls a private tool, its answer is private too, and the
 * secrets of its tools are taken out of the batch's run as well.
 */
function listenTo({ caller, watch }: RunWitness, begin: () => RunRecord, keep: Keep): RunListener {
  const privateFlows = new Set<string>();
  const secretive = new Set<Tool>();
  const isPrivate = ({ name, private: isMarked }: Tool): boolean =>
    isMarked === true || privateFlows.has(name);
  let joined: RunRecord | null = null;
  let joinedAt = 0;
  let rounds = 0;
  let account: Account | undefined;
  return {
    get joined() {
      return joined === null ? undefined : watch.requestId;
    },
    saw(batch) {
      const { tool: flow } = batch;
      for (const { task } of batch.plan.steps)
        if (task.ok && task.value.tool.secrets.length > 0) secretive.add(task.value.tool);
      if (flow !== undefined && batch.plan.steps.some(({ task }) => task.ok && isPrivate(task.value.tool)))
        privateFlows.add(flow);
      if (joined !== null && batch.ran?.outer === undefined) {
        rounds += 1;
        account ??= batch.origin.account;
        const afterMs = Math.max(0, (batch.ran?.startedAt ?? joinedAt) - joinedAt);
        const batchId = batch.batchId ?? undefined;
        joined.add(batch, { round: rounds, batchId, afterMs, isPrivate, secretive });
        return;
      }
      const record = begin();
      record.add(batch, { isPrivate, secretive });
      const outer = joined === null ? undefined : { id: watch.requestId, round: rounds + 1 };
      keep(factsOf(batch, watch, outer), record);
    },
    join(tags, startedAt) {
      const record = (joined = begin());
      joinedAt = startedAt;
      const key = caller.name;
      return ({ durationMs, model, code }) => {
        joined = null;
        const source = sourceOf(watch.route, { isInside: false });
        const of = { id: watch.requestId, source, key, request: watch.requestId, startedAt, durationMs };
        const more = { ...(tags.length > 0 && { tags }), ...(code !== null && { code }) };
        keep({ ...of, ...accountFacts(account), ...more }, record, model);
      };
    },
  };
}

function factsOf(
  { batchId, origin, plan, tool: flow, durationMs, ran }: SeenBatch,
  { route }: RunWitness["watch"],
  outer: { readonly id: string; readonly round: number } | undefined,
): RunFacts {
  const { startedAt = 0, runOf, outer: batch, at, again, goesOn } = ran ?? {};
  // A rerun has a batch that it comes after, and is no flow inside of it.
  const isInside = batch !== undefined && runOf !== undefined && again === undefined;
  const { approved } = plan;
  const parent = isInside ? (outer?.id ?? batch) : (batch ?? approved?.asker?.runId);
  // A field that is undefined is not written.
  return {
    id: batchId ?? "",
    source: (again as RunSource | undefined) ?? sourceOf(route, { trigger: runOf?.trigger, isInside }),
    key: origin.key,
    request: origin.requestId,
    startedAt,
    durationMs,
    flow,
    tags: plan.tags,
    ...accountFacts(origin.account),
    parent,
    job: runOf?.runId,
    goesOn: goesOn || undefined,
    answers: approved?.question,
    of: at && { id: at.id, element: at.element ?? undefined, round: outer?.round },
  };
}

/** Whose accounts a run used, and which: their names, which a rerun goes by. */
function accountFacts(account: Account | undefined): Pick<RunFacts, "subject" | "connections"> {
  const { subject, connections = {} } = account ?? {};
  return subject === undefined ? {} : { subject, connections };
}

/** The ends of a run that its tenant is told of: nothing of it succeeded, or a write of it is in doubt. */
const FAILED: ReadonlySet<string> = new Set(["error", "unknown"]);

function toFailedNotices({ runs }: RunReport, nowMs: number): Notice[] {
  return runs.flatMap((reported) => {
    // Nearly every head has neither, and to parse it costs more than to write it.
    if (!/"(?:failed|code)":/.test(reported.head)) return [];
    const head = JSON.parse(reported.head) as RunHead;
    if (head.key === FOR_DELIVERY || head.goesOn === true) return [];
    const seen = seeRun(head, { look: { sight: { key: head.key } }, answerOf: () => undefined, nowMs });
    if (seen === null || !FAILED.has(seen.run.status)) return [];
    return [{ id: `run-failed-${head.id}`, type: "volley.run.failed", data: JSON.stringify(seen.run) }];
  });
}

/** The doors by their routes; every other route is one of plain HTTP. */
const DOORS: readonly (readonly [pattern: RegExp, source: RunSource])[] = [
  [/ \/v1\/(?:chat\/completions|messages|responses)$/, "agent"],
  [/ \/v1\/(?:openai|anthropic|gemini)\//, "turn"],
  [/\/mcp$/, "mcp"],
  [/ \/v1\/flows\//, "flow"],
  [/ \/(?:v1\/confirmations|approvals)\//, "approval"],
  [/ \/api\/orchestration\//, "orchestration"],
  [/^connection$/, "approval"],
  [/^background$/, "background"],
  [/^delivery$/, "flow"],
];

/** The doors of routes that there were: as many as endpoints, because a route is one as it is declared. */
const sources = new Map<string, RunSource>();

/** Find the door that a run came by: the trigger that started it, the batch that it is an action of, or the route of its request. */
function sourceOf(
  route: string,
  { trigger, isInside }: { readonly trigger?: "webhook" | "cron" | undefined; readonly isInside: boolean },
): RunSource {
  if (trigger !== undefined) return trigger;
  if (isInside) return "flow";
  return getOrMake(sources, route, () => DOORS.find(([pattern]) => pattern.test(route))?.[1] ?? "http");
}
