import type { envelopeSchema, resultSchema } from "../../core/answer/result-schema.ts";
import type { jobSchema } from "../../core/contract/gate/job-json.ts";
import type { Written } from "../../core/contract/lazy-schema.ts";
import type { problemSchema } from "../../core/contract/refusal.ts";
import type { PlanDescription } from "../../core/plan/describe-plan.ts";

export { keepTold } from "../../package/client/keep-told.ts";
export type { Issue } from "../../core/contract/failure.ts";
export type { Redriven } from "../../core/contract/gate/job.ts";
export type { Written };

/** The API's answers, typed by the schemas that describe them: a change there is an error of types here. */
export type WireResult = Written<typeof resultSchema>;
export type WireEnvelope = Written<typeof envelopeSchema>;
export type WirePlan = PlanDescription;
export type WireJob = Written<typeof jobSchema>;
export type WireProblem = Written<typeof problemSchema>;

/** JSON Schema, as far as the console reads it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** A tool of `GET /v1/tools?format=json-schema&surface=flat`. */
export interface WireTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
  /** Absent of the tools that find and describe others. */
  readonly "x-orchestration"?: Readonly<Record<string, unknown>>;
}
