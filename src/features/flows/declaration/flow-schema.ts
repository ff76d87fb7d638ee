import * as z from "zod/mini";

import * as LIMITS from "../limits.ts";
import type { CronClock } from "../clock/next-time.ts";
import { isJsonObject, type JsonObject, strictSchema, type Written } from "../../../feature/schema.ts";
import { hookTriggerSchema } from "../hooks/hook-trigger.ts";
import { batchForm, type KeptAs, type OnError } from "../../../core/contract/batch.ts";
import { declarationSchema } from "../../added-tools/declared/declaration-schema.ts";
import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import type { HookFacts } from "../../../core/contract/gate/job.ts";

/** Triggers run a flow without a caller: signed deliveries to its address, a clock, or both. */
export const triggersSchema = strictSchema("Triggers", () => ({
  webhook: z.optional(hookTriggerSchema()),
  cron: z.optional(z.string()).check(z.describe("Five fields, such as '0 7 * * 1-5'")),
  timezone: z.optional(z.string()).check(z.describe("An IANA zone; UTC where it is left out")),
  paused: z
    .optional(z.boolean())
    .check(
      z.describe("Neither the webhook nor the clock runs it; what the clock would have run is not made up"),
    ),
}));

type Triggers = Written<typeof triggersSchema>;

/** The clock of a flow that has one and is not paused; null for every other. */
export function clockOf(triggers: Triggers | undefined): CronClock | null {
  const { cron, timezone = "UTC", paused = false } = triggers ?? {};
  return cron === undefined || paused ? null : { cron, timezone };
}

/** The shape of a flow, field by field. `parseFlow` then checks the meaning of its actions. */
export const flowSchema = strictSchema(() => {
  const { summary, description } = declarationSchema().shape;
  const { on_error } = batchForm.schema().shape;
  return {
    summary,
    description: z.optional(description),
    input_schema: z.custom<Record<string, unknown>>(isJsonObject, "a JSON Schema of an object"),
    actions: z
      .array(z.unknown())
      .check(
        z.minLength(1),
        z.maxLength(LIMITS.actions),
        z.describe('As in a batch; {"$ref": "input#/city"} stands for what a run is given'),
      ),
    on_error: z.optional(on_error.def.innerType),
    answer: z
      .optional(z.unknown())
      .check(z.describe("The answer, made of the results: any JSON, with references and templates")),
    deadline_ms: z.optional(z.int().check(z.minimum(1), z.maximum(LIMITS.maxDeadlineMs))),
    triggers: z.optional(triggersSchema()),
  };
});

/**
 * A batch with a name: what `PUT /v1/flows/{name}` takes, and what is shown again. It has the wire's field names, because it
 * is kept as it was sent.
 */
export interface FlowDeclaration {
  readonly summary: string;
  /** The description for a model; the summary where there is none. */
  readonly description?: string;
  /** JSON Schema 2020-12 of an object, complete in itself. */
  readonly input_schema: JsonSchema;
  readonly actions: readonly unknown[];
  readonly on_error?: OnError;
  readonly answer?: unknown;
  readonly deadline_ms?: number;
  readonly triggers?: Triggers;
}

/** Facts that follow for a flow from the tools that its actions call. */
export interface FlowFacts {
  /** One of its actions writes. */
  readonly is_write: boolean;
  /** One of its actions needs a person's yes. */
  readonly confirm: boolean;
  /** Usual size of its answer in a model's context. */
  readonly typical_tokens: number;
}

/** A flow as it is kept, with its facts of that time, because the code that makes a tool of it has no catalog. */
export interface KeptFlow extends FlowFacts {
  readonly name: string;
  readonly flow: FlowDeclaration;
  /** The tools that the key which kept it may call: names, categories or `*`; absent where an older version kept it. */
  readonly tools?: readonly string[];
  /** A feature looks after the writes of its runs: the fields that ask for it, as they were sent. */
  readonly keptAs?: KeptAs;
}

/** The category of every flow. */
export const FLOWS = "flows";

/** The id under which a flow's actions refer to what a run is given; none of them may have it. */
export const INPUT = "input";

/** The same for the delivery that began the run. An older flow may have an action of that name, which counts. */
export const HOOK = "hook";

/** Data of a run, undefined where it is not known yet. */
interface RunData {
  readonly input: JsonObject | undefined;
  /** Null where no delivery began it. */
  readonly hook: HookFacts | null | undefined;
}

/** The data that actions of a flow and its answer can refer to besides results, by the ids under which they do. */
export function givenOf(
  actions: readonly { readonly id: string }[],
  { input, hook }: RunData,
): ReadonlyMap<string, unknown> {
  const given = new Map<string, unknown>([[INPUT, input]]);
  return actions.some(({ id }) => id === HOOK) ? given : given.set(HOOK, hook);
}
