/** The words that are said of many survivors. */
import type { Reason } from "./reasons.ts";

/** The same is found without it, a little later. */
export const SHORTCUT = "A shortcut: without it the same is found, with more work.";
/** Both sides of a bound do the same at the bound itself. */
export const AT_BOUND = "At the bound itself both do the same.";
export const DEFAULT =
  "A default that every caller of today overrides, or whose value makes no difference to them.";
export const TYPE =
  "Only narrows a type: what it rules out cannot come here, or fails the same way one line later.";
export const WORDS = "Only the words of a hint; its code and path are held.";
export const EMPTY =
  "The content of it is never looked at: the list is replaced, or its reader wants ids that it has not.";
export const ELSEWHERE =
  "Held by tests that run the objects or the built Worker (test/edge, test/harness), which take no part here.";
export const SCHEMA =
  "A part of a schema that describes an answer; the OpenAPI document and its clients hold it (test/harness, test/sdks).";
export const TIDY = "Only gives memory or a listener back; the invocation ends soon after.";
export const HEURISTIC =
  "How much is asked for ahead of time: the limit holds whatever it says, and a simulation holds how well it does.";
export const HINTS_OF_FOREIGN =
  "Only how carefully a hint quotes; the words of it are held for parseArgs itself (test/catalog).";
export const LATER_CHECK = "A value that it lets through is refused by the next check, with the same code.";
export const TOLERANT =
  "Not looked at one by one: a rule of thumb by which text that no format promises is read. The tables hold the spellings that models are known for; where two rules find the same, either may go.";
export const FORWARD =
  "Not looked at one by one: what is passed on is held as a whole, by properties over whole streams and by clients of both providers (test/sdks).";
export const COUNTS =
  "Exactly how many pieces, events or values are too many; that there is a bound is held (test/features/agent/ask-model-bounds).";
export const DECODING = "A mark at the beginning, and bytes that are no UTF-8, are read either way.";

/** A reason for what begins in lines with one of these parts. */
export const on = (why: string, ...parts: readonly string[]): Reason => ({ on: parts, why });
