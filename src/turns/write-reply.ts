import { type Failure, toWireFailure } from "../core/contract/failure.ts";
import { isInDoubt, type Outcome, type Shown, toWirePending } from "../core/contract/outcome.ts";
import { type Refusal, toProblem } from "../core/contract/refusal.ts";
import type { ToolReply } from "./read-turn.ts";

/**
 * Say to a model what became of its call, so that it can tell a tool's output from Volley's own words, whatever the output:
 * an object with a `status` is always Volley's, and anything else the tool's. A success is the bare data, for that is what
 * most calls are, unless it could be taken for such an object: then it stands under `data` of one that is ours.
 */
export function toToolReply(outcome: Outcome): ToolReply {
  const { readAs, note } = outcome.meta;
  const bare = toBareReply(outcome);
  const reply =
    note === undefined
      ? bare
      : { ...bare, json: `${bare.json.slice(0, -1)},"note":${JSON.stringify(note)}}` };
  return readAs === undefined ? reply : { ...reply, readAs };
}

function toBareReply(outcome: Outcome): ToolReply {
  switch (outcome.status) {
    case "success":
      return toDataReply(outcome);
    case "initiated":
      return { json: JSON.stringify({ status: outcome.status, job_id: outcome.jobId }), failed: false };
    case "pending_confirmation": {
      const { status, confirmation } = outcome;
      return { json: JSON.stringify({ status, confirmation: toWirePending(confirmation) }), failed: false };
    }
    case "error":
    case "skipped":
    case "unknown":
      return toFailedReply(outcome.status, outcome.error, { inDoubt: isInDoubt(outcome) });
  }
}

/** A cut result says so, and how the rest can be had. */
function toDataReply(outcome: Extract<Outcome, { readonly status: "success" }>): ToolReply {
  const { data, json }: Shown = outcome.shown ?? outcome;
  const { truncated, handle, note } = outcome.meta;
  const meta = truncated === undefined ? null : { truncated, ...(handle !== undefined && { handle }) };
  const more = meta === null ? "" : `,"meta":${JSON.stringify(meta)}`;
  const isWrapped = meta !== null || note !== undefined || isLikeOurs(data);
  return { json: isWrapped ? `{"status":"success","data":${json}${more}}` : json, failed: false };
}

/**
 * Whether output could be taken for what Volley says: an object that has a status, however it is spelt, or a text that looks
 * like an object, which some formats show without its quotes. Told by the value: its text may be large.
 */
function isLikeOurs(data: unknown): boolean {
  if (typeof data === "string") return OBJECT_TEXT.test(data);
  if (typeof data !== "object" || data === null) return false;
  // A value that writes itself as JSON may write anything.
  if ("toJSON" in data) return true;
  return !Array.isArray(data) && Object.keys(data).some(isStatus);
}

/** A brace is the first thing that is seen. */
const OBJECT_TEXT = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[{\uff5b\ufe5b]/u;

/** The word in any case and width, and with anything around or between its letters that is not a letter. */
function isStatus(key: string): boolean {
  return key.length <= LONGEST && STATUS.test(ASCII.test(key) ? key : key.normalize("NFKC"));
}

const STATUS = /^[^a-z]*s[^a-z]*t[^a-z]*a[^a-z]*t[^a-z]*u[^a-z]*s[^a-z]*$/i;
const ASCII = /^[\x20-\x7e]*$/;
/** No reader takes a longer key for the word. */
const LONGEST = 64;

/** Say that a call failed, be it before it became an action. */
export function toFailedReply(
  status: "error" | "skipped" | "unknown",
  failure: Failure,
  { inDoubt = status === "unknown" }: { readonly inDoubt?: boolean } = {},
): ToolReply {
  const doubt = inDoubt && { in_doubt: true };
  return { json: JSON.stringify({ status, ...doubt, error: toWireFailure(failure) }), failed: true };
}

/**
 * Say that a call of `execute_actions` was refused whole: a model wrote that batch, so it is told what to change.
 *
 * @param inDoubt an earlier run may have sent something of it
 */
export function toRefusedReply(refusal: Refusal, inDoubt = false): ToolReply {
  const { code, title, detail, path, expected, received, retry_after_ms } = toProblem(refusal);
  const error = { code, message: title, retry_after_ms, hint: detail, path, expected, received };
  const doubt = inDoubt && { in_doubt: true };
  return { json: JSON.stringify({ status: inDoubt ? "unknown" : "error", ...doubt, error }), failed: true };
}
