import { decideReply, readDecisions } from "../../turns/decide-reply.ts";
import type { Caller } from "../../feature/caller.ts";
import type { Gate } from "../../core/contract/gate/tenant-gate-methods.ts";
import { parseExact } from "../../feature/schema.ts";
import * as LIMITS from "./limits.ts";
import { countValues } from "../../core/contract/parse-json.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import type { HeldBytes, Ports } from "../../feature/outside.ts";
import type { Execution } from "../../core/gate/execution.ts";
import { CROWDED } from "../../core/egress/held-bytes.ts";
import { textOf } from "./dialect/conversation.ts";
import type { Anchor, Conversation, Dialect, Message } from "./dialect/dialect.ts";
import { findQuestions } from "./notes.ts";
import type { KeptTurn, Voice } from "./voice.ts";

type KeepPorts = Pick<Ports, "sha256">;

/** A conversation as its caller sent it. */
type Sent = Pick<Conversation, "messages" | "body">;

/** Where a kept turn is found again: by the caller's calls in it, or by the question that it waits for. */
export type KeptUnder =
  | { readonly kind: "calls"; readonly calls: Anchor["calls"]; readonly sent: Sent }
  | { readonly kind: "question"; readonly id: string };

/**
 * Keep a turn until its conversation comes back, in the tenant's object: whichever isolate it reaches then. Whether it is
 * durable there.
 */
export async function keepTurn(
  kept: KeptTurn,
  under: readonly KeptUnder[],
  voice: Voice,
  { gate, ...world }: NameWorld & { readonly gate: Gate },
): Promise<boolean> {
  const parts = toParts(JSON.stringify(kept));
  if (parts.length > LIMITS.turnParts) return false;
  for (const store of ["turns", "questions"] as const) {
    const keys = under.filter(({ kind }) => STORE_OF[kind] === store);
    const names = await Promise.all(keys.map((key) => nameOf(key, voice, world)));
    const rows = names.flatMap(({ exact, loose }) => [
      ...parts.map((json, part) => ({ handle: partHandle(exact, part), json })),
      ...(loose === null ? [] : [{ handle: loose, json: `${POINTS_TO}${exact}` }]),
    ]);
    const asked = rows.length === 0 ? ok([]) : await attempt(() => gate.keep(rows, store));
    if (!asked.ok || asked.value.length < rows.length) return false;
  }
  return true;
}

const STORE_OF = { calls: "turns", question: "questions" } as const;

/** Divide what is too much for one row; the first part says how many there are. */
function toParts(json: string): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < json.length;) {
    const to = from + LIMITS.turnPartCharacters;
    // Half a character would be stored as none.
    const end = /[\udc00-\udfff]/.test(json.charAt(to)) ? to - 1 : to;
    parts.push(json.slice(from, end));
    from = end;
  }
  return parts.map((part, at) => (at === 0 ? `${parts.length}:${part}` : part));
}

function partHandle(handle: string, part: number): string {
  return part === 0 ? handle : `${handle}-${part}`;
}

/** Stands before the handle under which something is kept, in the row of another name of it. */
const POINTS_TO = "=";

/**
 * The handles under which a turn is kept and, where its name says more than every client sends back unchanged, those under
 * which it is found all the same.
 */
interface TurnName {
  readonly exact: string;
  readonly loose: string | null;
}

/** A turn that may have been kept, and where in the conversation it belongs. */
interface Missing {
  readonly at: number;
  readonly name: TurnName;
  readonly store: "turns" | "questions";
}

/**
 * Put back what a conversation's caller never saw: each of the model's messages that has something kept for it is replaced by all that was said, with every reply in its place. An expired turn stays as the caller sent it, which is a
 * conversation too, and so does a turn that was kept for a key that could call more than this one: it holds results that this one may not see. Refused when the tenant's object does not answer: going on without would be going on with
 * another conversation.
 */
export async function restoreTurns(
  sent: Sent,
  voice: Voice,
  world: KeepWorld,
): Promise<Result<readonly Message[], Refusal>> {
  const { messages } = sent;
  const missing = await findMissing(sent, voice, world);
  if (missing.length === 0) return ok(messages);
  const asked = await attempt(() => recall(missing, world));
  if (!asked.ok) return err(NOT_RESTORED);
  const recalled = asked.value;
  if (!recalled.ok) return recalled;
  const found = missing.flatMap(({ at }, index) => {
    const json = recalled.value[index] ?? null;
    if (json === null) return [];
    const kept = parseExact(json) as KeptTurn;
    return maySee(kept, world.caller) ? [{ at, kept }] : [];
  });
  const looked = await attempt(() =>
    readDecisions(
      found.flatMap(({ kept }) => kept.replies.map(([, reply]) => reply)),
      world,
    ),
  );
  if (!looked.ok) return err(NOT_RESTORED);
  const decided = looked.value;
  if (!decided.ok) return decided;
  let restored = messages;
  // From the end, so that the places of those before stay what they are.
  for (const { at, kept } of found.toReversed()) {
    const replies = kept.replies.map(([id, reply]) => [id, decideReply(reply, decided.value)] as const);
    const rest = restored.slice(at + 1);
    restored = [...restored.slice(0, at), ...kept.before, ...voice.join(kept, new Map(replies), rest)];
  }
  return ok(restored);
}

/** Where a turn gets its name, and who asks for it. */
interface NameWorld {
  readonly ports: KeepPorts;
  readonly caller: Pick<Caller, "name">;
}

/** Where turns are kept, who asks for them, and what holds them. */
interface KeepWorld extends NameWorld, Pick<Execution, "gate" | "hooks"> {
  readonly caller: Pick<Caller, "name" | "tools">;
  readonly bytes: HeldBytes;
}

function maySee({ grants }: KeptTurn, { tools }: Pick<Caller, "tools">): boolean {
  return tools.includes("*") || grants?.every((grant) => tools.includes(grant)) === true;
}

const NOT_RESTORED = makeRefusal(
  "UNAVAILABLE",
  "The earlier answers of this conversation's tools could not be read; send the same request again.",
  { retryAfterMs: 1_000 },
);

async function findMissing(
  { messages, body }: Sent,
  { dialect }: Voice,
  world: NameWorld,
): Promise<readonly Missing[]> {
  const anchors = dialect
    .findAnchors(messages)
    .map(({ at, calls, text }) => ({
      at,
      calls,
      question: calls.length > 0 ? undefined : findQuestions(text)[0],
    }))
    .filter(({ calls, question }) => calls.length > 0 || question !== undefined)
    // The last ones: the kept ones are minutes old.
    .slice(-LIMITS.keptTurns);
  if (anchors.length === 0) return [];
  const digests = messages.map((message) => digestOf(message, dialect));
  /** Characters before each message. */
  const lengths = [0];
  for (const [at, text] of digests.entries()) lengths.push(lengths[at]! + text.length);
  const missing: Missing[] = [];
  let left: number = LIMITS.keptTurnCharacters;
  for (const { at, calls, question } of anchors.toReversed()) {
    if (question !== undefined) {
      missing.unshift({ at, name: nameQuestion(question), store: "questions" });
      continue;
    }
    left -= lengths[at]!;
    if (left < 0) break;
    const name = await nameCalls(calls, { said: digests.slice(0, at), body }, world);
    missing.unshift({ at, name, store: "turns" });
  }
  return missing;
}

async function nameOf(under: KeptUnder, { dialect }: Voice, world: NameWorld): Promise<TurnName> {
  if (under.kind === "question") return nameQuestion(under.id);
  const { messages, body } = under.sent;
  const said = messages.map((message) => digestOf(message, dialect));
  return nameCalls(under.calls, { said, body }, world);
}

function nameQuestion(id: string): TurnName {
  return { exact: `q-${id}`, loose: null };
}

/**
 * Name a kept turn. The ids of its calls, all messages before it and the arguments are in the name. Parts that a client may write
 * otherwise the next time (system messages, white space) are not where an id is no other call's; and as some send arguments as their
 * own schema read them, there is a name without those.
 *
 * Some servers count ids from one in every conversation, or send none. Two people's conversations may then be the same but for the
 * key and the model's instructions. So these are in the name too; a client that writes them otherwise finds nothing.
 */
async function nameCalls(
  calls: Anchor["calls"],
  { said, body }: { readonly said: readonly string[]; readonly body: Sent["body"] },
  { ports, caller }: NameWorld,
): Promise<TurnName> {
  const ids = JSON.stringify(calls.map(({ id }) => id));
  const told = calls.some(isUnique)
    ? said.filter((line) => !line.startsWith(SYSTEM))
    : [JSON.stringify([caller.name, ...WHOSE.map((field) => body[field] ?? null)]), ...said];
  const loose = (await ports.sha256([ids, ...told].join(""))).slice(0, 60);
  const exact = await ports.sha256([loose, ...calls.map(({ args }) => args)].join("\n"));
  return { exact: `t-${exact.slice(0, 60)}`, loose: `t-${loose}` };
}

/** Whether an id was drawn: it has no counter's form, and holds nothing of the call. */
function isUnique({ id, name }: Anchor["calls"][number]): boolean {
  return DRAWN.test(id.replaceAll(name, ""));
}

/** A UUID, or many letters and digits in a row. */
const DRAWN = /[\da-f]{8}(-[\da-f]{4}){3}-|(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16}/i;

/** The fields of a body that say whose a conversation is, and what its model is told before it. */
const WHOSE = ["system", "instructions", "user", "safety_identifier"];

/** Begins the line of a system's message. */
const SYSTEM = "\t";

/** Who says a message and in which words, on a line. */
function digestOf(message: Message, dialect: Dialect): string {
  const digest = dialect.digestOf(message);
  return digest === null
    ? `${SYSTEM}${JSON.stringify(textOf(message["content"]))}`
    : `\n${JSON.stringify(digest)}`;
}

/** Turns whose first rows are asked for together: each may be as long as a row is. */
const TURNS_AT_ONCE = 4;

/**
 * Read what was kept for each of these; null for what is not there, or not all of it. The newest come first: those that a request
 * may not hold besides are left where they are.
 */
async function recall(
  missing: readonly Missing[],
  { gate, bytes }: Pick<KeepWorld, "gate" | "bytes">,
): Promise<Result<readonly (string | null)[], Refusal>> {
  const found = missing.map((): string | null => null);
  for (let end = missing.length; end > 0; end -= TURNS_AT_ONCE) {
    const from = Math.max(0, end - TURNS_AT_ONCE);
    const crowded = await bytes.hold((end - from) * LIMITS.turnPartCharacters);
    if (crowded !== null) return crowded === CROWDED ? err(crowded) : ok(found);
    const rows = await readHeads(missing.slice(from, end), gate);
    for (let at = end - 1; at >= from; at -= 1) {
      const whole = await readWhole(missing[at]!.name, rows, { gate, bytes });
      if (whole.ok) {
        found[at] = whole.value;
        continue;
      }
      bytes.give((at - from) * LIMITS.turnPartCharacters);
      return whole.error === CROWDED ? whole : ok(found);
    }
  }
  return ok(found);
}

/** Read the first rows of some turns, under whichever of their names they are kept. */
async function readHeads(missing: readonly Missing[], gate: Gate): Promise<ReadonlyMap<string, Row>> {
  const rows = new Map<string, Row>();
  for (const store of ["turns", "questions"] as const) {
    const read = async (handles: readonly string[]): Promise<void> => {
      if (handles.length === 0) return;
      for (const { handle, json } of await gate.recall(handles, store)) rows.set(handle, { json, store });
    };
    const names = missing.filter((one) => one.store === store).map(({ name }) => name);
    await read(names.flatMap(({ exact, loose }) => (loose === null ? exact : [exact, loose])));
    const heads = names.map((name) => handleIn(rows, name)).filter((handle) => handle !== null);
    await read(heads.filter((handle) => !rows.has(handle)));
  }
  return rows;
}

interface Row {
  readonly json: string;
  readonly store: Missing["store"];
}

/** Read the other rows of a turn, whose first is held as if it were full, and hold what all of it takes. */
async function readWhole(
  name: TurnName,
  heads: ReadonlyMap<string, Row>,
  { gate, bytes }: Pick<KeepWorld, "gate" | "bytes">,
): Promise<Result<string | null, Refusal>> {
  const handle = handleIn(heads, name);
  const head = handle === null ? undefined : heads.get(handle);
  const rest = handle === null ? [] : restOf(handle, head?.json);
  const most = (1 + rest.length) * LIMITS.turnPartCharacters;
  const refused = await bytes.hold(most - LIMITS.turnPartCharacters);
  if (refused !== null) {
    bytes.give(LIMITS.turnPartCharacters);
    return err(refused);
  }
  const read = head === undefined || rest.length === 0 ? [] : await gate.recall(rest, head.store);
  const rows = new Map(read.map((row) => [row.handle, row.json]));
  const parts = [head?.json, ...rest.map((part) => rows.get(part))];
  // A row under which two turns were kept is empty.
  const json = parts.every(Boolean) ? parts.join("").replace(COUNT, "") : null;
  bytes.give(most - (json?.length ?? 0));
  if (json === null) return ok(null);
  const large = await bytes.hold(LIMITS.valueBytes * countValues(json, json.length));
  if (large === null) return ok(json);
  bytes.give(json.length);
  return err(large);
}

/** How many parts there are, at the beginning of the first. */
const COUNT = /^(\d+):/;

function restOf(handle: string, head: string | undefined): string[] {
  const [, count = "1"] = COUNT.exec(head ?? "") ?? [];
  return Array.from({ length: Number(count) - 1 }, (_, part) => partHandle(handle, part + 1));
}

/** Under which handle a turn is kept, as far as that is known; null where it is not. */
function handleIn(rows: ReadonlyMap<string, Row>, { exact, loose }: TurnName): string | null {
  if (rows.has(exact)) return exact;
  const pointer = loose === null ? undefined : rows.get(loose);
  return pointer === undefined ? null : pointer.json.slice(POINTS_TO.length);
}
