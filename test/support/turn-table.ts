import { PARTS_BY_TYPE, type Speech } from "../../src/turns/turn-table.ts";

/** The ways to deal with something that comes: those of `whatIsDone`, and those of readers of names, ids, arguments and ends. */
type Done =
  | (typeof PARTS_BY_TYPE)[number]["done"]
  /** It is not sent back, because no provider takes it. */
  | "left out"
  /** It runs as if it had been written the usual way, and goes back written so. */
  | "read"
  /** Nothing is run for it, and it goes back under a name that a provider takes. */
  | "told, renamed"
  /** It runs, and goes back under an id that no other call has. */
  | "given an id"
  /** It holds for the first round; in later ones the model chooses. */
  | "first round"
  /** The turn is the answer, and says so in the provider's own words. */
  | "answer";

/** Something that can come, the ways of speech that have it, and what is done with it. */
export interface TurnRow {
  readonly comes: string;
  readonly done: Done;
  /** By which types a part of a turn is known for it, in each way of speech that has it; an empty list where it is told otherwise. */
  readonly types: Readonly<Partial<Record<Speech, readonly string[]>>>;
}

const NOT_BY_TYPE = [] as const;
const EACH = { chat: NOT_BY_TYPE, messages: NOT_BY_TYPE, responses: NOT_BY_TYPE };
const OPENAI = { chat: NOT_BY_TYPE, responses: NOT_BY_TYPE };

/** All that can come in a model's turn, and what is done with it. */
export const TURN_TABLE: readonly TurnRow[] = [
  ...PARTS_BY_TYPE,
  // Parts that call.
  { comes: "a call of the caller's function", done: "handed over", types: EACH },
  { comes: "a call of the caller's function in a namespace", done: "handed over", types: { responses: [] } },
  { comes: "a call of ours in a namespace that nobody has", done: "runs", types: { responses: [] } },
  { comes: "a call in free text, of the caller's tool", done: "handed over", types: OPENAI },
  { comes: "one call without a list around it", done: "read", types: { chat: [] } },
  { comes: "a message's old function_call", done: "read", types: { chat: [] } },
  {
    comes: "a message's old function_call of the caller's function",
    done: "handed over",
    types: { chat: [] },
  },
  // Parts that wait for somebody else.
  // Parts that the provider ran.
  { comes: "a call with its output beside it", done: "kept", types: { messages: [], responses: [] } },
  { comes: "a search for tools that the provider made", done: "kept", types: { responses: [] } },
  // Parts that are said.
  { comes: "text", done: "answer", types: EACH },
  { comes: "text beside a call", done: "kept", types: EACH },
  { comes: "text of nothing but space beside a call", done: "left out", types: { messages: [] } },
  { comes: "a thought without its text", done: "left out", types: { responses: [] } },
  { comes: "notes of the server on a text", done: "left out", types: { chat: [] } },
  { comes: "a refusal", done: "answer", types: EACH },
  // Names.
  { comes: "a name that no tool has", done: "told", types: EACH },
  { comes: "a name with a dot", done: "told, renamed", types: EACH },
  { comes: "a name of 73 characters", done: "told, renamed", types: EACH },
  { comes: "a name with space and letters of any script", done: "told, renamed", types: EACH },
  { comes: "an empty name", done: "told, renamed", types: EACH },
  { comes: "no name", done: "told, renamed", types: EACH },
  // Ids.
  { comes: "no id", done: "given an id", types: EACH },
  { comes: "an empty id", done: "given an id", types: EACH },
  { comes: "two calls with one id", done: "given an id", types: EACH },
  { comes: "an id of an earlier turn", done: "given an id", types: EACH },
  { comes: "an id of an earlier request's turn", done: "given an id", types: EACH },
  { comes: "an id that is no legal one", done: "given an id", types: { messages: [] } },
  // Arguments.
  { comes: "no arguments", done: "read", types: EACH },
  { comes: "arguments that are null", done: "read", types: EACH },
  { comes: "arguments as an object", done: "runs", types: EACH },
  { comes: "arguments in a fence", done: "read", types: EACH },
  { comes: "arguments that are JSON text of JSON text", done: "read", types: EACH },
  { comes: "a read's arguments without their last bracket", done: "read", types: EACH },
  { comes: "a write's arguments without their last bracket", done: "told", types: EACH },
  { comes: "two objects in the arguments of one call", done: "told", types: EACH },
  { comes: "arguments that are no JSON", done: "told", types: EACH },
  { comes: "arguments that are a list", done: "told", types: EACH },
  // Pieces of a stream.
  { comes: "calls without ids under one index", done: "runs", types: { chat: [] } },
  { comes: "calls of one name without ids under one index", done: "runs", types: { chat: [] } },
  { comes: "pieces of a call under shifting indexes", done: "runs", types: { chat: [] } },
  { comes: "a name that comes in pieces", done: "runs", types: { chat: [] } },
  { comes: "a whole message in place of a piece", done: "runs", types: { chat: [] } },
  { comes: "an old function_call whose arguments are an object", done: "read", types: { chat: [] } },
  { comes: "a last event that repeats no item", done: "runs", types: { responses: [] } },
  { comes: "a last event without one of the calls", done: "runs", types: { responses: [] } },
  { comes: "a last event that repeats no item that waits", done: "handed over", types: { responses: [] } },
  { comes: "a call whose item is never said to be done", done: "runs", types: { responses: [] } },
  // How a turn ends.
  { comes: "a turn that is cut off by its length", done: "answer", types: EACH },
  { comes: "a turn that a filter ended", done: "answer", types: EACH },
  { comes: "a turn of nothing", done: "answer", types: EACH },
  { comes: "more calls than a turn may have", done: "told", types: EACH },
  // Options of the first request.
  { comes: "a forced call of any tool", done: "first round", types: EACH },
  { comes: "a forced call of one tool", done: "first round", types: EACH },
  { comes: "a forced call of one of some tools", done: "first round", types: OPENAI },
];
