import type { StrategyName } from "./agent-options.ts";

/** The changes that a strategy makes to the loop: nothing else does. */
export interface Strategy {
  /** Before each round the model is asked for a plan, and told no tool may be called. */
  readonly plans: boolean;
  /** Calls and results are text in the conversation; otherwise they are what the provider has for them. */
  readonly isText: boolean;
}

/**
 * The three ways to lead a model through one loop: let it act, let it act in words (for models without calls of tools), and
 * let it think before it acts.
 */
export const STRATEGIES: Readonly<Record<StrategyName, Strategy>> = {
  act: { plans: false, isText: false },
  react: { plans: false, isText: true },
  "think-act": { plans: true, isText: false },
};
