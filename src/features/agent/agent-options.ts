import * as z from "zod/mini";

import { nearest, parseRequest, strictSchema, visibleText } from "../../feature/schema.ts";
import { TOOL_SURFACES } from "../discovery/tool-surface.ts";
import type { Catalog } from "../../feature/tool.ts";
import { type Batch, tagsForm } from "../../core/contract/batch.ts";
import * as LIMITS from "./limits.ts";
import { makeRefusal, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import type { OfferedSurface } from "./offer-tools.ts";

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

/** How a model is led: see `STRATEGIES`. */
const STRATEGY_NAMES = ["act", "react", "think-act"] as const;

type StrategyName = (typeof STRATEGY_NAMES)[number];

/** The field `volley` of a request to a model. */
export const agentOptionsSchema = strictSchema("AgentOptions", () => ({
  strategy: z.optional(z.enum(STRATEGY_NAMES)),
  surface: z
    .optional(z.enum(["auto", ...TOOL_SURFACES]))
    .check(
      z.describe(
        `How much of the catalog the model is told: auto unless said, flat for react. auto is batch while its schema has at most ${LIMITS.agentSchemaTokens} tokens, else meta`,
      ),
    ),
  tools: z
    .optional(z.array(z.string().check(z.minLength(1))).check(z.minLength(1), z.maxLength(LIMITS.agentTools)))
    .check(z.describe("Names of tools or categories; all that the key may call unless said")),
  max_rounds: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.agentMaxRounds))),
  deadline_ms: z.optional(
    z.int().check(z.minimum(LIMITS.agentLeastDeadlineMs), z.maximum(LIMITS.agentMaxDeadlineMs)),
  ),
  max_tokens: z
    .optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxTokens)))
    .check(
      z.describe(`For the data of all results of one round together; ${LIMITS.agentRoundMaxTokens} at most`),
    ),
  skip_approval: z.optional(z.boolean()),
  tags: z.optional(tagsForm.schema()),
  on_error: z
    .optional(z.enum(["partial-success", "fail-fast"]))
    .check(z.describe("For the batch of every round")),
}));

/** How one request's loop goes. */
export interface AgentOptions extends Pick<Batch, "deadlineMs" | "keptAs" | "onError" | "skipApproval"> {
  readonly strategy: StrategyName;
  readonly surface: OfferedSurface;
  /** Names of tools or categories; null for all. */
  readonly tools: readonly string[] | null;
  readonly maxRounds: number;
  /** Estimated tokens of the data of one round's results together. */
  readonly maxTokens: number;
  /** The words by which its run can be found. */
  readonly tags: readonly string[];
}

/**
 * Parse the field `volley` of a body, which may be missing; null in a field of it means that it is missing, as in a batch.
 *
 * @param taken fields that were taken out of it before: a misspelt one may have meant them
 */
export function parseAgentOptions(
  value: unknown,
  taken: readonly string[] = [],
): Result<AgentOptions, Refusal> {
  const sent = parseRequest(agentOptionsSchema(), value ?? {}, { base: ["volley"], taken });
  if (!sent.ok) return sent;
  const {
    strategy = "act",
    surface,
    tools,
    max_rounds,
    deadline_ms,
    max_tokens,
    on_error = "partial-success",
    skip_approval,
    tags,
  } = sent.value.parsed;
  const maxRounds = max_rounds ?? LIMITS.agentRounds;
  // More rounds than usual hold no more together.
  const share = Math.floor((LIMITS.agentRoundMaxTokens * LIMITS.agentRounds) / maxRounds);
  return ok({
    strategy,
    // Calls that a model writes as text are easier to write without a batch around them.
    surface: surface ?? (strategy === "react" ? "flat" : "auto"),
    tools: tools ?? null,
    maxRounds,
    deadlineMs: deadline_ms ?? LIMITS.agentDeadlineMs,
    maxTokens: Math.min(max_tokens ?? LIMITS.agentRoundTokens, LIMITS.agentRoundMaxTokens, share),
    onError: on_error,
    skipApproval: skip_approval ?? false,
    tags: tags ?? [],
  });
}

/** Find a name among the wanted tools that a catalog has not, and say so; null where all are there. */
export function refuseUnknownTools(tools: readonly string[] | null, catalog: Catalog): Refusal | null {
  const at = tools?.findIndex(
    (name) => name !== "*" && catalog.get(name) === undefined && !catalog.byCategory.has(name),
  );
  if (tools === null || at === undefined || at === -1) return null;
  const name = tools[at]!;
  const near = nearest(name, [...catalog.names, ...catalog.byCategory.keys()]);
  const meant = near.length > 0 ? ` Did you mean ${near.map((other) => `'${other}'`).join(" or ")}?` : "";
  const issue = {
    path: `/volley/tools/${at}`,
    expected: "the name of a tool or a category",
    received: `the string "${visibleText(name)}"`,
  };
  const hint = `${issue.path} is no tool and no category: '${visibleText(name)}'.${meant}`;
  return makeRefusal("INVALID_REQUEST", hint, { issue });
}
