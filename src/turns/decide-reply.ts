import { makeFailure } from "../core/contract/failure.ts";
import type { JobCursor } from "../core/contract/gate/job.ts";
import { createPartCall } from "../core/contract/gate/part-call.ts";
import { isJsonObject, type JsonObject, parseExact } from "../core/contract/json.ts";
import * as LIMITS from "../core/contract/limits.ts";
import type { Refusal } from "../core/contract/refusal.ts";
import type { HeldBytes } from "../core/egress/held-bytes.ts";
import type { Execution } from "../core/gate/execution.ts";
import { err, ok, type Result } from "../core/kit/result.ts";
import type { TakenRows } from "../core/kit/take-rows.ts";
import type { ToolReply } from "./read-turn.ts";
import { toFailedReply } from "./write-reply.ts";

/** An answered question, as far as features read it that do not ask. */
export interface AnsweredQuestion {
  /** `running` was approved and may still report its end; all after it is final. */
  readonly status: "pending" | "running" | "done" | "rejected" | "expired";
  /** The actions that it is about, with the elements of their loops that had ended, as it is kept. */
  readonly groupJson?: string;
  /** The envelope that the decision was answered with; null before, or when it was not kept. */
  readonly answerJson: string | null;
  /** When it ends without a decision, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** When it was decided, and the arguments that a person wrote, by action; null before, or where a version recorded it that did not say. */
  readonly decided: { readonly at: number; readonly args?: Readonly<Record<string, JsonObject>> } | null;
}

/** The methods of the part that keeps questions, as far as features call them that do not ask. */
export interface AnsweredMethods {
  confirmation(id: string): AnsweredQuestion | null;
  /** List questions that wait, newest first. */
  confirmations(query: {
    readonly status: "pending";
    readonly limit: number;
    readonly after: JobCursor | null;
  }): TakenRows<JobCursor>;
  /** The questions with a yes that is being carried out, or was within `ms`: false of one of which nothing is heard any more. */
  answering(ms: number): Readonly<Record<string, boolean>>;
}

/** An action of a reply that waits for a person. */
export interface Waiting {
  readonly confirmation: string;
  /** The action's id in its batch. */
  readonly action: string;
}

/** A reply, and the part of it that is still open. */
export interface OpenReply extends ToolReply {
  readonly waits: readonly Waiting[];
}

/** Questions as they are by now, by id: null of one that is not kept, or not any more. */
export type Decisions = ReadonlyMap<string, AnsweredQuestion | null>;

const callQuestions = createPartCall<AnsweredMethods>("confirmations");

/**
 * Read the results of everything that waited for a person, and of the questions that followed from it. A Worker that asks
 * no more cannot tell.
 */
export async function readDecisions(
  replies: readonly OpenReply[],
  { gate, hooks, bytes }: Pick<Execution, "gate" | "hooks"> & { readonly bytes: HeldBytes },
): Promise<Result<Decisions, Refusal>> {
  const waiting = new Set(replies.flatMap(({ waits }) => waits.map(({ confirmation }) => confirmation)));
  const records = new Map<string, AnsweredQuestion | null>();
  for (const id of waiting) {
    const refused = await bytes.hold(LIMITS.idempotencyAnswerBytes);
    if (refused !== null) return err(refused);
    const record = hooks?.beforeStep === undefined ? null : await callQuestions(gate, "confirmation", id);
    bytes.give(LIMITS.idempotencyAnswerBytes - (record?.answerJson?.length ?? 0));
    records.set(id, record);
    for (const result of answered(record)) {
      const next = questionOf(result);
      if (next !== null) waiting.add(next);
    }
  }
  return ok(records);
}

/** The results that a decision was answered with, as far as they were kept. */
export function answered(record: AnsweredQuestion | null): readonly JsonObject[] {
  if (record === null || record.answerJson === null) return [];
  return (parseExact(record.answerJson) as { readonly results: readonly JsonObject[] }).results;
}

/** The question that a result waits for; null where it waits for none. */
export function questionOf({ status, confirmation }: JsonObject): string | null {
  return status === "pending_confirmation" && isJsonObject(confirmation) ? String(confirmation["id"]) : null;
}

/** A reply as it is by now: what waited for a person has its result, once that is decided. */
export function decideReply<R extends OpenReply>(reply: R, records: Decisions): R {
  if (reply.waits.length === 0) return reply;
  const results = new Map(
    reply.waits.flatMap(({ confirmation, action }) => {
      const result = resultOf(action, confirmation, records);
      return result === null ? [] : [[action, result] as const];
    }),
  );
  if (results.size === 0) return reply;
  const said = parseExact(reply.json) as JsonObject;
  if (!Array.isArray(said["results"])) {
    const [[, result] = []] = results;
    return { ...reply, ...toReply(result!) };
  }
  const shown = (said["results"] as JsonObject[]).map((result) => {
    const decided =
      result["status"] === "pending_confirmation" ? results.get(String(result["id"])) : undefined;
    return decided === undefined ? result : { ...decided, index: result["index"], id: result["id"] };
  });
  const counted = Object.keys(isJsonObject(said["summary"]) ? said["summary"] : {}).map((key) => [key, 0]);
  const summary: Record<string, number> = { ...Object.fromEntries(counted), total: shown.length };
  for (const { status } of shown) {
    const key = status === "success" ? "ok" : String(status);
    summary[key] = (summary[key] ?? 0) + 1;
  }
  return { ...reply, json: JSON.stringify({ ...said, results: shown, summary }) };
}

/** The result of an action that waited; null while it waits. */
function resultOf(action: string, question: string, records: Decisions): JsonObject | null {
  const record = records.get(question) ?? null;
  if (record?.status === "pending") return null;
  if (record === null)
    return failed(
      "unknown",
      "Its question is not kept any more, so it is not known whether it happened. Look before you repeat it.",
    );
  const { status } = record;
  const own = answered(record).find(({ id }) => id === action);
  if (own !== undefined) {
    const next = questionOf(own);
    return (next === null ? null : resultOf(action, next, records)) ?? own;
  }
  if (status === "expired" || status === "rejected") return refused(record, action);
  return failed("unknown", "A person agreed, and what it came to is not known. Look before you repeat it.");
}

/** Make the result of an action that no person agreed to. One that had begun may have done something before. */
function refused({ status, groupJson }: AnsweredQuestion, action: string): JsonObject {
  const [why, next] =
    status === "expired"
      ? ["The question expired without a decision", "Ask again if it is still wanted."]
      : ["A person said no", "Do not ask for it again unless the person wants it."];
  const { actions } = parseExact(groupJson || '{"actions":[]}') as {
    readonly actions: readonly JsonObject[];
  };
  const { begun, doubted } = actions.find(({ id }) => id === action) ?? {};
  if (doubted !== undefined)
    return failed(
      "unknown",
      `${why}, but it may have happened in an earlier run. Look before you repeat it.`,
    );
  if (begun !== undefined)
    return failed("error", `${why}. What it did before stays: look before you repeat it.`);
  return failed("error", `${why}, so it did not happen. ${next}`);
}

function failed(status: "error" | "unknown", hint: string): JsonObject {
  const { json } = toFailedReply(status, makeFailure("CONFIRMATION_INVALID", { hint }));
  return JSON.parse(json) as JsonObject;
}

/** A result of an envelope, as the reply to a call. */
function toReply(result: JsonObject): { readonly json: string; readonly failed: boolean } {
  const { index: _, id: __, tool: ___, meta, ...said } = result;
  const { status, data } = said;
  const doubt = isJsonObject(meta) && meta["in_doubt"] === true && { in_doubt: true };
  const isData = status === "success" && !(isJsonObject(data) && "status" in data);
  return {
    json: JSON.stringify(isData ? data : { ...said, ...doubt }),
    failed: !["success", "initiated", "pending_confirmation"].includes(String(status)),
  };
}
