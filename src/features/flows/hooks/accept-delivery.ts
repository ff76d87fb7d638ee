import * as LIMITS from "../limits.ts";
import type { HookFacts } from "../../../core/contract/gate/job.ts";
import { isJsonObject, type JsonObject, visibleText } from "../../../feature/schema.ts";
import {
  type AnswerValue,
  type EventPlace,
  findText,
  findValue,
  type Handshake,
  type Place,
  type Searched,
  type SignedQuestion,
  toInput,
} from "./hook-form.ts";
import type { HookForm } from "./read-form.ts";
import type { Proven } from "./verify-signature.ts";
import { STRICT } from "./verify-token.ts";
import { attemptNow } from "../../../feature/refuse.ts";

/** A body of an answer: JSON or text; null for none. */
export interface QuestionAnswer {
  readonly status: 200 | 204;
  readonly json?: unknown;
  readonly text?: string;
}

/**
 * The kind of a delivery that has proved who sent it: an event to run with, a question that wants its answer, or one that starts
 * nothing, and why.
 */
export type Delivery =
  | { readonly kind: "event"; readonly body: object; readonly input: JsonObject; readonly hook: HookFacts }
  | { readonly kind: "question"; readonly answer: QuestionAnswer }
  | { readonly kind: "ping" }
  | { readonly kind: "unwanted"; readonly reason: string };

/**
 * Make of a delivery that has proved who sent it the input of a run and what is known of it.
 *
 * A sender repeats the id when it tries again, so a receiver that remembers it runs a delivery once.
 *
 * @param wanted the events that run the flow; every one where it is undefined
 */
export async function acceptDelivery(
  proven: Proven,
  headers: Pick<Headers, "get">,
  wanted: readonly string[] | undefined,
): Promise<Delivery> {
  const { form, body } = proven;
  const searched: Searched = { headers, body: () => body?.value ?? null };
  const question = form.questions.find(({ at, is }) => findText(at, searched) === String(is));
  if (question !== undefined) return answerQuestion(question, proven, searched);
  if (body === null)
    return { kind: "unwanted", reason: "its body is no JSON object, no list and no form, or too deep" };

  const events = eventsOf(form, searched);
  const [event = null] = events;
  const isWanted = (name: string): boolean => wanted!.some((pattern) => fitsPattern(pattern, name));
  if (wanted !== undefined && !events.some(isWanted))
    return {
      kind: "unwanted",
      reason:
        event === null ? "it names no event" : `the event '${visibleText(event, 100)}' is not among 'events'`,
    };
  const id = await idOf(proven, searched);
  if (id === undefined) return { kind: "unwanted", reason: "it has no usable id" };
  const hook = { event, id, sender: form.sender };
  return { kind: "event", body: body.value, input: toInput(body.value), hook };
}

const ID = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.deliveryIdCharacters}}$`);

/** The delivery's id; null where its form has none, undefined where it lacks the one that it should have. */
async function idOf({ form, digest }: Proven, searched: Searched): Promise<string | null | undefined> {
  const { id, orDigest } = form;
  if (id === "none") return null;
  if (id === "digest") return digest();
  const said = findText(id, searched);
  if (said !== null && ID.test(said)) return said;
  return orDigest && (said === null || said === "") ? digest() : undefined;
}

/** The names of a delivery's events, from the first place that has one: more than one where its body is a list of them. */
function eventsOf({ eventAt }: HookForm, searched: Searched): readonly string[] {
  for (const place of eventAt) {
    const texts = placesOf(place, searched.body()).map((one) => findText(one, searched));
    const names = texts.filter((text) => text !== null && text !== "" && text.length <= EVENT_CHARACTERS);
    if (names.length > 0) return names as readonly string[];
  }
  return [];
}

function placesOf(place: EventPlace, body: object | null): readonly Place[] {
  if (!("each" in place)) return [place];
  return Array.isArray(body)
    ? body.map((_, at) => ({ pointer: `/${at}${place.each}` }))
    : [{ pointer: place.each }];
}

const EVENT_CHARACTERS = 255;

/** Whether an event is one that a pattern stands for: its name, or a prefix and `*`. */
function fitsPattern(pattern: string, event: string): boolean {
  return pattern.endsWith("*") ? event !== "" && event.startsWith(pattern.slice(0, -1)) : pattern === event;
}

async function answerQuestion(
  { json, text, status }: SignedQuestion,
  { sign }: Proven,
  { body }: Searched,
): Promise<Delivery> {
  if (text !== undefined) {
    const said = findValue(text, body());
    return { kind: "question", answer: { status: 200, text: typeof said === "string" ? said : "" } };
  }
  if (status === 204) return { kind: "question", answer: { status } };
  if (json === undefined) return { kind: "ping" };
  const valueOf = async (value: AnswerValue): Promise<unknown> => {
    if ("value" in value) return value.value;
    const said = findValue("hmac" in value ? value.hmac : value.pointer, body());
    if (!("hmac" in value)) return said;
    return typeof said === "string" ? sign(said) : undefined;
  };
  const fields = await Promise.all(
    Object.entries(json).map(async ([name, value]) => [name, await valueOf(value)] as const),
  );
  return { kind: "question", answer: { status: 200, json: Object.fromEntries(fields) } };
}

/** A request that no header of its sender's came with. */
interface Unsigned {
  readonly method: string;
  readonly url: string;
  /** Null where it is too large. */
  readonly body: Uint8Array | null;
  /** Whether a text is the flow's own token, where its sender asks with one. */
  readonly isToken: (text: string) => Promise<boolean>;
}

/** A sender's unsigned question: it wants a text, or it brings the secret. */
export type Shaken = { readonly kind: "text" | "token"; readonly text: string };

/** Find what a sender's unsigned question is; null if it is not one of them. */
export async function findHandshake(
  handshakes: readonly Handshake[],
  asked: Unsigned,
): Promise<Shaken | null> {
  for (const handshake of handshakes) {
    if (handshake.method !== asked.method) continue;
    const shaken = await answerOf(handshake, asked);
    if (shaken !== null) return shaken;
  }
  return null;
}

async function answerOf(handshake: Handshake, { url, body, isToken }: Unsigned): Promise<Shaken | null> {
  if (handshake.method === "HEAD") return { kind: "text", text: "" };
  if (handshake.method === "GET") {
    const { searchParams } = new URL(url);
    const { where = {}, token, echo } = handshake;
    if (!Object.entries(where).every(([name, value]) => searchParams.get(name) === value)) return null;
    if (token !== undefined && !(await isToken(searchParams.get(token) ?? ""))) return null;
    const text = searchParams.get(echo);
    return text === null ? null : { kind: "text", text };
  }
  const text = attemptNow(() => STRICT.decode(body ?? new Uint8Array()));
  if (!text.ok) return null;
  if (handshake.token !== undefined) {
    const brought = attemptNow(() => JSON.parse(text.value) as unknown);
    if (!brought.ok || !isJsonObject(brought.value)) return null;
    const { [handshake.token]: token, ...others } = brought.value;
    const isIt = typeof token === "string" && TOKEN.test(token) && Object.keys(others).length === 0;
    return isIt ? { kind: "token", text: token } : null;
  }
  const names = [...new URLSearchParams(text.value).keys()];
  const isIt = names.length > 0 && names.every((name) => handshake.fields.includes(name));
  return isIt ? { kind: "text", text: "" } : null;
}

/** A secret that a sender brings: what it may be used for again has to be no longer than a secret. */
const TOKEN = /^[\x21-\x7e]{1,255}$/;
