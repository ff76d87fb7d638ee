import type { Orchestration } from "../contract/orchestration.ts";
import type { Tool } from "./define-tool.ts";

/**
 * Say a tool's contract with the defaults for the fields that its author left out, so that a model reads the rules that the
 * engine obeys. A person approves the declaration, which this is not.
 */
export function effectiveContract({ orchestration, onError, confirm }: Tool): Orchestration {
  return {
    ...orchestration,
    on_error: onError,
    confirm: orchestration.confirm ?? (confirm ? "always" : "never"),
  };
}
