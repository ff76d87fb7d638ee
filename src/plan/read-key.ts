import { canonicalKey } from "../kit/canonical-key.ts";
import type { Call } from "./step.ts";

/** Name what a read asks for and how long it waits for it: only then can one call stand for another. */
export function flightKey(call: Call): string {
  return `${call.timeoutMs} ${readKey(call)}`;
}

/**
 * Name what a read asks for: two calls of one tool with the same key ask the same. By what its schema made of the
 * arguments, so that a default that was written out changes nothing; by what was sent where that is no plain JSON.
 */
export function readKey({ tool, input, args }: Call): string {
  const parsed = canonicalKey(args);
  return parsed === null ? `${tool.name} sent ${canonicalKey(input)}` : `${tool.name} ${parsed}`;
}
