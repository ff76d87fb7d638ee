import { toFailedReply } from "../formats/to-tool-reply.ts";
import { makeFailure } from "../contract/failure.ts";
import type { ConfirmationRecord } from "../contract/gate/confirmation.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import { isJsonObject, type JsonObject, parseExact } from "../contract/json.ts";
import { LIMITS } from "../contract/limits.ts";
import { makeRefusal, type Refusal } from "../contract/refusal.ts";
import type { Ports } from "../egress/ports.ts";
import { attempt, err, ok, type Result } from "../kit/result.ts";
import type { Dialect, Message } from "./dialect/dialect.ts";
import { findQuestions } from "./notes.ts";
import type { KeptReply, KeptTurn, Voice } from "./voice.ts";

type KeepPorts = Pick<Ports, "sha256">;

/** Where a kept turn is found again: by the caller's calls in it, or by the question that it waits for. */
export type KeptUnder =
  | { readonly kind: "calls"; readonly ids: readonly string[]; readonly sent: readonly Message[] }
  | { readonly kind: "question"; readonly id: string };

/**
 * Keep a turn until its conversation comes back, in the tenant's object: whichever isolate it reaches then. Whether it is
 * durable there.
 */
export async function keepTurn(
  kept: KeptTurn,
  under: readonly KeptUnder[],
  voice: Voice,
  { gate, ports }: { readonly gate: Gate; readonly ports: KeepPorts },
): Promise<boolean> {
  const parts = toParts(JSON.stringify(kept));
  if (parts.length > LIMITS.turnParts) return false;
  for (const shelf of ["turns", "questions"] as const) {
    const keys = under.filter(({ kind }) => SHELF_OF[kind] === shelf);
    const handles = await Promise.all(keys.map((key) => handleOf(key, voice, ports)));
    const rows = handles.flatMap((handle) =>
      parts.map((json, part) => ({ handle: partHandle(handle, part), json })),
    );
    const asked = rows.length === 0 ? ok([]) : await attempt(() => gate.keep(rows, shelf));
    if (!asked.ok || asked.value.length < rows.length) return false;
  }
  return true;
}

const SHELF_OF = { calls: "turns", question: "questions" } as const;

/** Divide what is too much for one row; the first part says how many there are. */
function toParts(json: string): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < json.length;) {
    const to = from + LIMITS.turnPartCharacters;
    // Half a character would be stored as none.
    const end = isLowSurrogate(json.charCodeAt(to)) ? to - 1 : to;
    parts.push(json.slice(from, end));
    from = end;
  }
  return parts.map((part, at) => (at === 0 ? `${parts.length}:${part}` : part));
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function partHandle(handle: string, part: number): string {
  return part === 0 ? handle : `${handle}-${part}`;
}

/** A turn that may have been kept, and where in the conversation it belongs. */
interface Missing {
  readonly at: number;
  readonly handle: string;
  readonly shelf: "turns" | "questions";
}

/**
 * Put back what a conversation's caller never saw: each of the model's messages that has something kept for it is replaced
 * by all that was said, with every reply in its place. What has expired stays as the caller sent it, which is a conversation
 * too. Refused when the tenant's object does not answer: going on without would be going on with another conversation.
 */
export async function restoreTurns(
  messages: readonly Message[],
  voice: Voice,
  world: { readonly gate: Gate; readonly ports: KeepPorts },
): Promise<Result<readonly Message[], Refusal>> {
  const missing = await findMissing(messages, voice, world.ports);
  if (missing.length === 0) return ok(messages);
  const recalled = await attempt(() => recall(missing, world.gate));
  if (!recalled.ok) return err(NOT_RESTORED);
  const found = missing.flatMap(({ at, handle }) => {
    const json = recalled.value.get(handle);
    return json === undefined ? [] : [{ at, kept: parseExact(json) as KeptTurn }];
  });
  const decided = await attempt(() =>
    readDecisions(
      found.map(({ kept }) => kept),
      world.gate,
    ),
  );
  if (!decided.ok) return err(NOT_RESTORED);
  let restored = messages;
  // From the end, so that the places of those before stay what they are.
  for (const { at, kept } of found.toReversed()) {
    const replies = kept.replies.map(([id, reply]) => [id, decideReply(reply, decided.value)] as const);
    const rest = restored.slice(at + 1);
    restored = [...restored.slice(0, at), ...kept.before, ...voice.join(kept, new Map(replies), rest)];
  }
  return ok(restored);
}

const NOT_RESTORED = makeRefusal(
  "UNAVAILABLE",
  "What this conversation's tools had answered could not be read, and the model was not asked; send the same request again.",
  { retryAfterMs: 1_000 },
);

async function findMissing(
  messages: readonly Message[],
  { dialect }: Voice,
  ports: KeepPorts,
): Promise<readonly Missing[]> {
  const anchors = dialect
    .findAnchors(messages)
    .map(({ at, ids, text }) => ({ at, ids, question: ids.length > 0 ? undefined : findQuestions(text)[0] }))
    .filter(({ ids, question }) => ids.length > 0 || question !== undefined)
    // The last ones: what is kept is minutes old.
    .slice(-LIMITS.keptTurns);
  if (anchors.length === 0) return [];
  const digests = messages.map((message) => digestOf(message, dialect));
  /** Characters before each message. */
  const lengths = [0];
  for (const [at, text] of digests.entries()) lengths.push(lengths[at]! + text.length);
  const missing: Missing[] = [];
  let left: number = LIMITS.keptTurnCharacters;
  for (const { at, ids, question } of anchors.toReversed()) {
    if (question !== undefined) {
      missing.unshift({ at, handle: questionHandle(question), shelf: "questions" });
      continue;
    }
    left -= lengths[at]!;
    if (left < 0) break;
    missing.unshift({ at, handle: await callsHandle(ids, digests.slice(0, at), ports), shelf: "turns" });
  }
  return missing;
}

async function handleOf(under: KeptUnder, { dialect }: Voice, ports: KeepPorts): Promise<string> {
  if (under.kind === "question") return questionHandle(under.id);
  return callsHandle(
    under.ids,
    under.sent.map((message) => digestOf(message, dialect)),
    ports,
  );
}

function questionHandle(id: string): string {
  return `q-${id}`;
}

/**
 * Name a kept turn. The ids of calls are not enough: some servers count them from one in every conversation, so what came
 * before is part of the name. What a client may write otherwise the next time (system messages, white space of arguments) is
 * not.
 */
async function callsHandle(
  ids: readonly string[],
  said: readonly string[],
  ports: KeepPorts,
): Promise<string> {
  const hash = await ports.sha256([JSON.stringify(ids), ...said].join(""));
  return `t-${hash.slice(0, 60)}`;
}

/** Who says a message and in which words, on a line; nothing of a system's. */
function digestOf(message: Message, dialect: Dialect): string {
  const digest = dialect.digestOf(message);
  return digest === null ? "" : `\n${JSON.stringify(digest)}`;
}

/** Read what was kept, by its handle; what is not all there is not there. */
async function recall(missing: readonly Missing[], gate: Gate): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const shelf of ["turns", "questions"] as const) {
    const handles = missing.filter((one) => one.shelf === shelf).map(({ handle }) => handle);
    if (handles.length === 0) continue;
    for (const { handle, json } of await gate.recall(handles, shelf)) {
      const [head = "", count = "1"] = /^(\d+):/.exec(json) ?? [];
      const rest = Array.from({ length: Number(count) - 1 }, (_, part) => partHandle(handle, part + 1));
      const parts = rest.length === 0 ? [] : await gate.recall(rest, shelf);
      if (parts.length === rest.length)
        found.set(handle, [json.slice(head.length), ...parts.map((part) => part.json)].join(""));
    }
  }
  return found;
}

/** What has become of everything that waited for a person. */
async function readDecisions(
  turns: readonly KeptTurn[],
  gate: Gate,
): Promise<ReadonlyMap<string, ConfirmationRecord | null>> {
  const waiting = turns.flatMap(({ replies }) =>
    replies.flatMap(([, { waits }]) => waits.map(({ confirmation }) => confirmation)),
  );
  const records = new Map<string, ConfirmationRecord | null>();
  for (const id of new Set(waiting)) records.set(id, await gate.confirmation(id));
  return records;
}

/** A reply as it is by now: what waited for a person has its result, once that is decided. */
function decideReply(reply: KeptReply, records: ReadonlyMap<string, ConfirmationRecord | null>): KeptReply {
  if (reply.waits.length === 0) return reply;
  const results = new Map(
    reply.waits.flatMap(({ confirmation, action }) => {
      const result = resultOf(action, records.get(confirmation) ?? null);
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
  const summary: Record<string, number> = { total: shown.length };
  for (const { status } of shown) {
    const key = status === "success" ? "ok" : String(status);
    summary[key] = (summary[key] ?? 0) + 1;
  }
  return { ...reply, json: JSON.stringify({ ...said, results: shown, summary }) };
}

/** What an action that waited has come to; null while it waits. */
function resultOf(action: string, record: ConfirmationRecord | null): JsonObject | null {
  if (record?.status === "pending") return null;
  if (record === null || record.status === "expired")
    return failed(
      "error",
      "Nobody decided in time, so it did not happen. Ask for it again if it is still wanted.",
    );
  const { status, answerJson } = record;
  if (answerJson !== null) {
    const { results } = parseExact(answerJson) as { readonly results: readonly JsonObject[] };
    const own = results.find(({ id }) => id === action);
    if (own !== undefined) return own;
  }
  return status === "rejected"
    ? failed(
        "error",
        "A person said no, so it did not happen. Do not ask for it again unless the person wants it.",
      )
    : failed(
        "unknown",
        "A person agreed and it was begun, but what it came to is not known. Look before you repeat it.",
      );
}

function failed(status: "error" | "unknown", hint: string): JsonObject {
  const { json } = toFailedReply(status, makeFailure("CONFIRMATION_INVALID", { hint }));
  return JSON.parse(json) as JsonObject;
}

/** A result of an envelope, as the reply to a call. */
function toReply(result: JsonObject): { readonly json: string; readonly failed: boolean } {
  const { index: _, id: __, tool: ___, meta: ____, ...said } = result;
  const { status, data } = said;
  const isData = status === "success" && !(isJsonObject(data) && "status" in data);
  return {
    json: JSON.stringify(isData ? data : said),
    failed: status !== "success" && status !== "initiated",
  };
}
