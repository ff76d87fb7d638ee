import type { Outcome } from "../../core/contract/outcome.ts";
import type { Plan } from "../../core/plan/step.ts";

interface Development {
  readonly origins: readonly string[];
  /** How a person at a terminal is shown a batch; null where a program reads the log, which is JSON then. */
  readonly drawBatch: ((plan: Plan, outcomes: readonly Outcome[]) => string) | null;
}

/** The freedoms of a development server; null everywhere else. */
let allowed: Development | null = null;

/**
 * Say that this is a development server, and which origins of its machine may be reached. Only the entries of
 * development call it, before they load anything that is served: the code of a deployed Worker has nothing that does, so
 * there no variable can open the way to a private network.
 */
export function beginDevelopment(development: Development): void {
  allowed = development;
}

export function batchDrawing(): Development["drawBatch"] {
  return allowed?.drawBatch ?? null;
}

export function isDevelopment(): boolean {
  return allowed !== null;
}

/** Origins that may be plain http or private: none but on a development server. */
export function developmentOrigins(): readonly string[] {
  return allowed?.origins ?? [];
}
