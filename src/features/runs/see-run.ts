import type { Aftermath } from "../../core/contract/gate/part-call.ts";
import { isTrouble } from "../../feature/tool.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { UNKNOWN_TOOL } from "../../core/observe/watch.ts";
import type { TurnedJob } from "./turned-job.ts";
import { ENDS, type RunHead, type RunStatus, type ToolCount } from "./run.ts";
import type { ListedRun, Look } from "./run-log-methods.ts";
import { TOOLS_LISTED } from "./tool-counts.ts";

/** Says whether the run that answered a question went well; undefined where the log has none. */
export type AnswerOf = (question: string) => boolean | undefined;

/** A run as one key sees it. */
export interface SeenHead {
  readonly run: ListedRun;
  /** Its status depends on a question or a job of which the log does not know whether it is open. */
  readonly asks: boolean;
}

export interface SeeOptions {
  readonly look: Look;
  readonly answerOf: AnswerOf;
  /** The jobs of the run that are in trouble; none unless said. */
  readonly jobs?: readonly TurnedJob[];
  /** Whether a job of it, or of a yes to its question, goes on; undefined where the gate was not asked. */
  readonly goes?: boolean | undefined;
  /** Tell what became of it since it was over; nothing unless said. */
  readonly aftermaths?: readonly Aftermath[];
  readonly nowMs: number;
}

/** Whether a key may see the actions of a tool. Every key may see one of an unknown tool: it called nothing. */
export function sees({ sight }: Look, tool: string): boolean {
  return sight.tools === undefined || tool === UNKNOWN_TOOL || sight.tools.includes(tool);
}

/**
 * See a run as a key may: the actions of tools that it may not call are in no count, no list and no status. Null where nothing of
 * it is left: one that another key sent and of which no action is for this one does not exist for it.
 */
export function seeRun(
  head: RunHead,
  { look, answerOf, nowMs, jobs = [], goes, aftermaths = [] }: SeeOptions,
): SeenHead | null {
  if (look.sight.subject !== undefined && look.sight.subject !== head.subject) return null;
  const tools = head.tools.filter(({ tool }) => sees(look, tool));
  const ownFlow = head.flow !== undefined && sees(look, head.flow);
  const isOwn = head.key === look.sight.key;
  if (tools.length === 0 && head.tools.length > 0 && !isOwn && !ownFlow) return null;
  const count = ENDS.map((_, at) => tools.reduce((sum, { ends }) => sum + ends[at]!, 0));
  const [success = 0, error = 0, initiated = 0, skipped = 0, pending = 0, unknown = 0] = count;
  const total = count.reduce((sum, one) => sum + one, 0);
  const asked = askedOf(tools, { look, answerOf, nowMs });
  const troubled = jobs.filter((job) => isTrouble(job.status) && sees(look, job.tool));
  const { id, source, key, request, startedAt, durationMs, flow, parent, job, tags, code, imported } = head;
  const { subject, connections } = head;
  const made = tools.reduce((sum, { ends, jobs: some }) => sum + (some ?? ends[INITIATED]!), 0);
  const going = Math.min(initiated, Math.max(0, made - troubled.length));
  const lost = troubled.filter(({ status }) => status === "unknown").length;
  const since = aftermaths.flatMap((aftermath) => aftermath.tools).filter(({ tool }) => sees(look, tool));
  const isLess = troubled.length > 0;
  const isInDoubt =
    [...tools, ...troubled].some(({ inDoubt }) => inDoubt) || since.some(({ unsure }) => unsure > 0);
  const [late] = troubled.flatMap(({ action, code: cause }) =>
    cause === undefined ? [] : [{ action, code: cause }],
  );
  const why = firstFailure(tools) ?? (code === undefined ? late : { code });
  return {
    asks: asked.unsure || (goes === undefined && (made + asked.granted > 0 || job !== undefined)),
    run: {
      run_id: id,
      source,
      key,
      ...(flow !== undefined && (ownFlow || isOwn) && { flow }),
      parent,
      job_id: job,
      request_id: request,
      started_at: new Date(startedAt).toISOString(),
      duration_ms: durationMs,
      status:
        statusSince(since) ??
        statusOf({
          ...asked,
          ok: success + going,
          unknown: unknown + lost + asked.lost,
          total,
          isLess,
          goes: goes || asked.goes,
          code,
        }),
      in_doubt: isInDoubt || undefined,
      actions: total,
      summary: { total, ok: success, error, initiated, skipped, pending_confirmation: pending, unknown },
      tools: tools.slice(0, TOOLS_LISTED).map(({ tool }) => tool),
      unknown_tools: tools.find(({ asked }) => asked !== undefined)?.asked,
      tags,
      subject,
      connections,
      error: why,
      imported,
    },
  };
}

const INITIATED = ENDS.indexOf("initiated");

interface Asked {
  /** Actions that wait for a person still. */
  readonly open: number;
  /** Actions that a person said yes to, and whose run went well. */
  readonly granted: number;
  /** Actions that a person said yes to, and whose run broke off. */
  readonly lost: number;
  /** An action that a person said yes to is under way. */
  readonly goes: boolean;
  readonly unsure: boolean;
}

/** Find out what became of the actions that waited for a person. */
function askedOf(tools: readonly ToolCount[], { look, answerOf, nowMs }: SeeOptions): Asked {
  let [open, granted, lost, goes, unsure] = [0, 0, 0, false, false];
  for (const { question, until, actions } of tools.flatMap(({ waits = [] }) => waits)) {
    const answer = answerOf(question);
    if (answer === true) granted += actions;
    // The gate keeps what was decided a day longer.
    if (answer !== undefined || until + LIMITS.questionRetentionMs <= nowMs) continue;
    unsure ||= look.open === undefined;
    const isAnswering = look.answering?.[question];
    if (isAnswering === false) lost += actions;
    else if (nowMs < until && look.open?.includes(question) !== false) open += actions;
    goes ||= isAnswering === true;
  }
  return { open, granted, lost, goes, unsure };
}

/** The status of a run whose writes were taken back in whole or in part, or are being; null of any other. */
function statusSince(since: Aftermath["tools"]): RunStatus | null {
  const count = (of: "gone" | "stands" | "going" | "waits"): number =>
    since.reduce((sum, tool) => sum + tool[of], 0);
  if (count("waits") > 0) return "waiting";
  if (count("going") > 0) return "running";
  if (count("stands") > 0) return "partial";
  return count("gone") > 0 ? "undone" : null;
}

type Counted = Asked & {
  readonly ok: number;
  readonly unknown: number;
  readonly total: number;
  /** Some of its jobs did not end well. */
  readonly isLess: boolean;
  readonly code: string | undefined;
};

function statusOf({ open, granted, ok, unknown, total, isLess, goes, code }: Counted): RunStatus {
  if (open > 0) return "waiting";
  if (unknown > 0) return "unknown";
  if (goes) return "running";
  const good = ok + granted;
  if (good === total && !isLess) return code === undefined ? "success" : total > 0 ? "partial" : "error";
  return good > 0 ? "partial" : "error";
}

function firstFailure(tools: readonly ToolCount[]): ListedRun["error"] {
  const [first] = tools.flatMap((one) => one.failed ?? []).toSorted((a, b) => a.at - b.at);
  return first && { action: first.action, code: first.code };
}
