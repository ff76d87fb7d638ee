import * as LIMITS from "./limits.ts";
import { attempt, err, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import { EventSplitter } from "../../core/kit/event-splitter.ts";
import { type AnswerBytes, isBearable, type Reading, readPieces } from "./read-answer.ts";
import type { ModelEvent, ModelTurn, RelayMode, StreamHearer } from "./dialect/dialect.ts";
import { EventRedactor, type ModelRedactor } from "./dialect/redact-events.ts";
import { withoutOurVoice } from "./dialect/clean-answer.ts";
import { type Trouble, unavailable, UNREADABLE } from "./explain-refusal.ts";

/** Where what a model says goes while it says it. */
export interface Outlet {
  /** The model has begun to answer. */
  readonly begin: () => void;
  /** Send text on; resolved when the caller has taken it, rejected when the caller is gone. */
  readonly write: (text: string) => Promise<void>;
}

/** A stream, and who hears what of it. */
export interface Streaming {
  readonly relay: StreamHearer;
  readonly mode: RelayMode;
  readonly outlet: Outlet;
  /** The ids of earlier calls of the conversation. */
  readonly ids?: ReadonlySet<string>;
}

/** Read a stream to its end, and pass on what of it is for the caller, without secrets and not in our voice. */
export async function readModelStream(
  response: Response,
  { relay, mode, outlet, ids }: Streaming,
  {
    wait,
    clock,
    redactor,
    held,
  }: Reading & { readonly redactor: ModelRedactor | null; readonly held: AnswerBytes },
): Promise<Result<ModelTurn, Trouble>> {
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  const splitter = new EventSplitter();
  const secrets = redactor === null ? null : new EventRedactor(redactor);
  relay.begin(mode, ids);
  let isHeard = false;
  let left: number = LIMITS.modelStreamBytes;
  let eventsLeft: number = LIMITS.modelPieces;
  let fault: Refusal | null = null;
  const take = (events: readonly ModelEvent[], said: string[]): void => {
    for (const event of events) {
      const taken = relay.take(event);
      if (!taken.ok) {
        fault = taken.error === "error" ? unavailable("reported an error in its stream") : UNREADABLE;
        return;
      }
      if (taken.value !== "") said.push(taken.value);
    }
  };
  const pass = (events: readonly ModelEvent[]): string => {
    const said: string[] = [];
    eventsLeft -= events.length;
    for (const event of events) {
      if (eventsLeft < 0 || !isBearable(event.data ?? "")) fault = UNREADABLE;
      else {
        const own = withoutOurVoice(event);
        take(secrets?.take(own) ?? [own], said);
      }
      if (fault !== null) break;
    }
    return said.join("");
  };
  const passLast = (events: readonly ModelEvent[]): string => {
    const said = [pass(events)];
    if (fault === null && secrets !== null) take(secrets.end(), said);
    return said.join("");
  };
  const read = await readPieces(response, { wait, clock }, async (chunk) => {
    left -= chunk.length;
    const text = pass(splitter.read(decoder.decode(chunk, { stream: true })));
    if (left < 0 || splitter.pending > LIMITS.modelEventCharacters) fault = UNREADABLE;
    const isHeld = await held.growTo(relay.kept + splitter.pending + text.length);
    if (!isHeld) return false;
    if (text !== "") {
      isHeard = true;
      await wait(outlet.write(text));
    }
    return fault === null && !relay.isOver;
  });
  fault ??= held.refused;
  const rest = read && fault === null ? passLast(splitter.end()) : "";
  if (rest !== "") {
    isHeard = true;
    await attempt(() => wait(outlet.write(rest)));
  }
  const turn = read && fault === null ? relay.turn() : null;
  if (turn !== null) return ok(turn);
  return err({ refusal: fault ?? UNREADABLE, isPassing: !isHeard && held.refused === null });
}
