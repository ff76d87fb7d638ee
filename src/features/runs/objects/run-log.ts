import { DurableObject, type ObjectClass, refuseErased, systemClock } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import { type Clock, takeRows } from "../../../feature/kit.ts";
import type { Aftermath } from "../../../core/contract/gate/part-call.ts";
import { listRuns, placeOf } from "../list-runs.ts";
import { readRunDays } from "../read-settings.ts";
import type { TurnedJob } from "../turned-job.ts";
import { sizeOf } from "../run-buffer.ts";
import type { ExportedRun, RunHead, RunReport } from "../run.ts";
import type {
  ExportedRerun,
  FoundRun,
  ListedRun,
  Look,
  RelatedRuns,
  RerunClaim,
  Reruns,
  RunLogMethods,
  RunPage,
  RunQuery,
  Sight,
} from "../run-log-methods.ts";
import { fitsQuery } from "../run-query.ts";
import { sees, seeRun, type SeenHead } from "../see-run.ts";
import { AftermathTable } from "./aftermath-table.ts";
import { JobTable } from "./turned-job-table.ts";
import { type FoundReport, ReportTable, type RunLogLimits } from "./report-table.ts";
import { splitReport } from "./report-text.ts";
import { type KeptRerun, RerunTable } from "./rerun-table.ts";

const LOG_LIMITS: RunLogLimits = { runs: LIMITS.runsKept, bytes: LIMITS.runsBytes };

/** Make the Durable Object class that keeps what ran. */
export function createRunLog(
  limits: RunLogLimits = LOG_LIMITS,
  clock: Clock = systemClock,
): ObjectClass<RunLogMethods> {
  /** The object that keeps the runs of one tenant: the reports that isolates send, and the reruns that were written down before they ran. */
  class RunLog extends DurableObject<Record<string, unknown>> implements RunLogMethods {
    readonly #keptMs: number;
    readonly #reports: ReportTable;
    readonly #reruns: RerunTable;
    readonly #jobs: JobTable;
    readonly #aftermaths: AftermathTable;
    #hasAlarm = false;

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      this.#keptMs = readRunDays(env) * 86_400_000;
      this.#reports = new ReportTable(ctx.storage.sql, clock);
      this.#reruns = new RerunTable(ctx.storage.sql);
      this.#jobs = new JobTable(ctx.storage.sql);
      this.#aftermaths = new AftermathTable(ctx.storage.sql);
    }

    report({ id, isRepeated, runs: reported }: RunReport): void {
      const { erasedAt } = this.#reports;
      // Work under way when its tenant was deleted leaves no run, and causes none later.
      const runs = reported.filter(
        ({ head, begunAt = (JSON.parse(head) as RunHead).startedAt }) => begunAt > erasedAt,
      );
      if (runs.length === 0 || (isRepeated && this.#reports.has(id))) return;
      this.#reports.add(id, runs);
      this.#keepAlarm();
      this.#prune();
    }

    hear(jobs: readonly TurnedJob[], aftermaths: readonly Aftermath[] = []): void {
      const { erasedAt } = this.#reports;
      this.#jobs.take(jobs.filter(({ at }) => at > erasedAt));
      this.#aftermaths.take(aftermaths.filter(({ at }) => at > erasedAt));
      this.#jobs.prune(this.#oldest);
      this.#keepAlarm();
    }

    list(query: RunQuery, look: Look): RunPage {
      const { status, ...others } = query;
      const { limit, after, since = 0, until } = query;
      const begin =
        until === undefined || (after !== null && after.at < until) ? after : { at: until, id: LAST_ID };
      const highest = begin === null ? Number.MAX_SAFE_INTEGER : begin.at + LIMITS.runListedMs;
      const see = this.#seer(look);
      let asks = false;
      const { index } = this.#reports;
      const pick = (head: RunHead, at: number): ListedRun | null => {
        // A run of several attempts is listed as the last one has left it.
        if (index.placeOf(head.id) !== at) return null;
        // One that is a job itself is among the jobs that go on.
        if (status === "running" && look.jobs?.some(({ job }) => job === head.job)) return null;
        const seen = see(head);
        if (seen === null || !fitsQuery(others, seen.run, head, look)) return null;
        asks ||= seen.asks;
        return status === undefined || seen.run.status === status ? seen.run : null;
      };
      const options = { limit, after: begin, since: Math.max(since, this.#oldest), pick };
      // A list that asks is asked for again with what the gate knows: the rest of it is read then.
      const isOver = (): boolean => asks && look.jobs === undefined;
      const { runs, next } = listRuns(this.#reports.heads(highest, isOver), options);
      const { rows, hasMore } = takeRows(runs, { limit, characters: LIMITS.pageBytes });
      const places = rows.map(({ at, id }) => ({ at, id }));
      return { runs: rows.map(({ run }) => run), places, next: hasMore ? places.at(-1)! : next, asks };
    }

    find(id: string, look: Look): FoundRun | null {
      const found = this.#find(id);
      if (found === null) return null;
      const see = this.#seer(look);
      const seen = see(found.head);
      if (seen === null) return null;
      const causes = [found.head.id, ...(found.head.job === undefined ? [] : [found.head.job])];
      const children = causes
        .flatMap((cause) => this.#reports.index.childrenOf(cause))
        .slice(0, LIMITS.runChildren)
        .flatMap((child) => see(this.#reports.headOf(child)) ?? []);
      const asks = seen.asks || children.some((child) => child.asks);
      const jobs = this.#jobsOf(found.head).filter(({ tool }) => sees(look, tool));
      const after = this.#aftermathsOf(found.head).map((aftermath) => aftermath.id);
      const body = this.#jobs.into(found);
      return { run: seen.run, body, children: children.map(({ run }) => run), jobs, asks, after };
    }

    forget(id: string, sight: Sight): boolean {
      let found = this.#find(id);
      if (found === null || this.#seer({ sight })(found.head) === null) return false;
      // One of several attempts was reported by each.
      const { id: own } = found.head;
      for (; found !== null; found = this.#find(own)) {
        this.#reports.remove(found);
        this.#jobs.forget(found);
      }
      return true;
    }

    reruns(id: string): Reruns {
      const root = this.#rootOf(id);
      const jobs: TurnedJob[] = [];
      const read = (found: readonly FoundReport[]): { answers: string[]; ids: string[] } => {
        jobs.push(...found.flatMap(({ head }) => this.#jobsOf(head)));
        return { answers: found.map(({ body }) => body), ids: found.map(({ head }) => head.id) };
      };
      const own = read([this.#find(root) ?? [], this.#answersTo(root)].flat());
      const earlier = this.#rerunsOf(root).map((rerun) => ({
        ...rerun,
        body: read([this.#find(rerun.rerun) ?? []].flat()).answers[0] ?? null,
        ...read(this.#answersTo(rerun.rerun)),
      }));
      return { root, body: this.#find(this.#baseOf(id))?.body ?? null, ...own, earlier, jobs };
    }

    related(id: string): RelatedRuns {
      const root = this.#rootOf(id);
      const reruns = this.#rerunsOf(root).map(({ rerun }) => rerun);
      const sharing = [root, ...reruns].flatMap((run) =>
        [this.#find(run) ?? [], this.#answersTo(run)].flat(),
      );
      const inside = sharing.flatMap(({ head }) =>
        this.#reports.index
          .childrenOf(head.id)
          .filter((child) => !reruns.includes(child))
          .flatMap((child) => this.#find(child) ?? [])
          .filter((child) => child.head.answers === undefined),
      );
      return { root, runs: [...sharing, ...inside].map(({ head, body }) => ({ head, body })) };
    }

    claimRerun({ root, rerun, writes, after }: RerunClaim): boolean {
      if (this.#rerunsOf(root).length !== after) return false;
      this.#reruns.add({ root, rerun, at: clock.now(), writes });
      return true;
    }

    dropRerun(rerun: string): void {
      this.#reruns.drop(rerun);
    }

    read(before: number | null, bytes: number): { runs: ExportedRun[]; next: number | null } {
      const runs: ExportedRun[] = [];
      let held = 0;
      for (const { at, ...texts } of this.#reports.texts(before ?? Number.MAX_SAFE_INTEGER)) {
        const read = splitReport(texts).map((run) => {
          const { head } = run;
          const jobs = this.#jobsOf(head);
          const since = this.#aftermathsOf(head).map(toCopy);
          const more = { ...(jobs.length > 0 && { jobs }), ...(since.length > 0 && { since }) };
          const body = this.#jobs.into(run);
          return { at, head: JSON.stringify({ ...head, ...more }), body, after: since.map(({ id }) => id) };
        });
        runs.push(...read);
        held += sizeOf({ runs: read });
        if (held >= bytes) return { runs, next: at };
      }
      return { runs, next: null };
    }

    readReruns(): readonly ExportedRerun[] {
      return this.#reruns.last();
    }

    restore(runs: readonly ExportedRun[], reruns: readonly ExportedRerun[]): number {
      const { index } = this.#reports;
      const missing = runs.flatMap(({ at, head, body }) => {
        const facts = JSON.parse(head) as RunHead;
        const isMissing = at >= this.#oldest && at <= clock.now() && index.placeOf(facts.id) === undefined;
        return isMissing ? [{ at, head: JSON.stringify({ ...facts, imported: true }), body }] : [];
      });
      for (const [at, ofReport] of [...Map.groupBy(missing, (run) => run.at)].sort(([a], [b]) => b - a))
        this.#reports.prepend(at, ofReport);
      // In the order in which they were written down.
      for (const rerun of [...reruns].reverse()) this.#reruns.add(rerun);
      this.#keepAlarm();
      return missing.length;
    }

    erase(): number {
      this.#reruns.erase();
      this.#jobs.erase();
      this.#aftermaths.erase();
      return this.#reports.erase();
    }

    override async alarm(): Promise<void> {
      this.#prune();
      this.#reruns.prune(this.#oldest);
      this.#jobs.prune(this.#oldest);
      this.#aftermaths.prune(this.#oldest);
      await this.#wake();
    }

    /** Earlier arrivals are too old. */
    get #oldest(): number {
      return clock.now() - this.#keptMs;
    }

    #find(id: string): FoundReport | null {
      const found = this.#reports.find(id);
      return found !== null && placeOf(found.head, found.at).at >= this.#oldest ? found : null;
    }

    /** The run that a run shares actions with and that has caused it, and so on to the first one. */
    #rootOf(id: string): string {
      let root = this.#reruns.rootOf(id);
      for (let depth = 0; depth < DEEPEST; depth += 1) {
        const head = this.#find(root)?.head;
        if (head?.answers === undefined || head.parent === undefined) break;
        root = this.#reruns.rootOf(head.parent);
      }
      return root;
    }

    /** The run that a run is a rerun of, however often: itself if it is not one. */
    #baseOf(id: string): string {
      let base = id;
      for (let depth = 0; depth < DEEPEST && this.#reruns.rootOf(base) !== base; depth += 1)
        base = this.#find(base)?.head.parent ?? this.#reruns.rootOf(base);
      return base;
    }

    /** The reruns of a root. An earlier version wrote those of a run that answered a question down as of that run. */
    #rerunsOf(root: string): readonly KeptRerun[] {
      const own = this.#reruns.of(root);
      const formerly = this.#answersTo(root).flatMap(({ head }) => this.#reruns.of(head.id));
      return formerly.length === 0 ? own : [...own, ...formerly].sort((a, b) => a.at - b.at);
    }

    #answersTo(id: string): readonly FoundReport[] {
      return this.#reports.index
        .childrenOf(id)
        .map((child) => this.#find(child))
        .filter((found) => found?.head.answers !== undefined)
        .map((found) => found!);
    }

    #seer(look: Look): (head: RunHead) => SeenHead | null {
      const { index } = this.#reports;
      const answerOf = (question: string): boolean | undefined => {
        const answer = index.answerOf(question);
        return (
          answer &&
          answer.isWell &&
          this.#jobs.of({ source: "approval", request: "", ...answer }).length === 0
        );
      };
      const nowMs = clock.now();
      // The id of a request to a model is that of its run; a flow in it is one of its own.
      const going = look.jobs?.flatMap(({ run, request }) =>
        index.placeOf(run) === undefined ? [run, request] : run,
      );
      const goingOn = new Set(going);
      return (head) => {
        const asked = head.tools.flatMap(({ waits = [] }) =>
          waits.map(({ question }) => index.answerOf(question)?.id),
        );
        const goes = going && [head.id, ...asked].some((id) => id !== undefined && goingOn.has(id));
        const jobs = this.#jobsOf(head);
        return seeRun(head, { look, answerOf, nowMs, jobs, goes, aftermaths: this.#aftermathsOf(head) });
      };
    }

    /** The jobs of a run that are in trouble. A flow in a request to a model is a run of its own. */
    #jobsOf(head: RunHead): readonly TurnedJob[] {
      const { index } = this.#reports;
      const own = this.#jobs
        .of(head)
        .filter(({ run }) => run === head.id || index.placeOf(run) === undefined);
      return head.jobs === undefined ? own : [...head.jobs, ...own];
    }

    /** The run of a flow that is a job is told of by that. */
    #aftermathsOf({ id, job, since = [] }: RunHead): readonly Aftermath[] {
      const own = [...this.#aftermaths.of(id), ...(job === undefined ? [] : this.#aftermaths.of(job))];
      return own.length === 0 ? since : own;
    }

    #prune(): void {
      if (this.#reports.prune(this.#oldest, limits)) this.#reruns.prune(this.#oldest);
    }

    #keepAlarm(): void {
      if (!this.#hasAlarm) this.ctx.waitUntil(this.#wake());
    }

    /** Have the alarm come when the oldest of all that is kept is too old, so that a tenant that runs nothing keeps nothing either. */
    async #wake(): Promise<void> {
      const { at: oldestAt } = this.ctx.storage.sql.exec<{ at: number | null }>(OLDEST).one();
      this.#hasAlarm = oldestAt !== null;
      if (oldestAt === null || (await this.ctx.storage.getAlarm()) !== null) return;
      const overAt = oldestAt + this.#keptMs;
      const now = clock.now();
      await this.ctx.storage.setAlarm(
        overAt <= now ? now + 1_000 : Math.max(overAt, now + LIMITS.runPruneMs),
      );
    }
  }
  return refuseErased<RunLogMethods>(RunLog, clock);
}

/** A chain of runs is no longer: a question follows from a yes, and a rerun from a rerun. */
const DEEPEST = 100;

/** Rows of what came of a run later are younger than its report, and a rerun that was killed has left none. */
const OLDEST = `SELECT MIN(at) AS at FROM (SELECT MIN(at) AS at FROM reports UNION ALL SELECT MIN(at) FROM reruns
  UNION ALL SELECT MIN(at) FROM turned_jobs UNION ALL SELECT MIN(at) FROM aftermaths)`;

/** Comes after every id. */
const LAST_ID = "~";

/** The same for an export: its copy hears no more of what is under way. */
function toCopy({ tools, ...aftermath }: Aftermath): Aftermath {
  const copied = tools.map(({ tool, gone, stands, unsure, going, waits }) => {
    const open = going + waits;
    return { tool, gone, stands: stands + open, unsure: unsure + open, going: 0, waits: 0 };
  });
  return { ...aftermath, tools: copied };
}
