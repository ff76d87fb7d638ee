import * as z from "zod/mini";

import { type Catalog, parseBatch } from "../../../feature/tool.ts";
import { NO_SUCH_FIELD } from "../../../core/contract/issues.ts";
import { isJsonObject, type JsonObject, toIssues } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { withoutRefusedNulls } from "../../../core/contract/run-schema.ts";
import { makePlan } from "../../../core/plan/make-plan.ts";
import type { Plan } from "../../../core/plan/step.ts";
import { attemptNow, err, ok, type Result } from "../../../feature/refuse.ts";
import { parsePointer } from "../../../core/kit/json/json-pointer.ts";
import { NAME_IN_WORDS, TOOL_NAME } from "../../../core/catalog/define-tool.ts";
import {
  checkText,
  type DeclarationIssue,
  Problems,
  suggestName,
} from "../../added-tools/declared/problems.ts";
import { argumentsOf } from "../../added-tools/json-schema/walk-schema.ts";
import { toInput } from "../../added-tools/json-schema/to-input.ts";
import { checkSchema } from "../../added-tools/json-schema/check-schema.ts";
import { checkActions, checkAnswer } from "./check-actions.ts";
import { type FlowDeclaration, flowSchema, givenOf, type KeptFlow, triggersSchema } from "./flow-schema.ts";
import { batchOf } from "./flow-tool.ts";
import { factsOf } from "./plan-kept-flow.ts";
import { checkTriggers, type TriggerRules } from "./check-triggers.ts";

export interface FlowOptions {
  readonly name: string;
  /** The tools that its actions may call. */
  readonly catalog: Catalog;
  readonly triggers: TriggerRules;
}

/** A flow in which nothing is wrong. */
export interface Flow {
  readonly kept: KeptFlow;
  /** With the tools that there were; what a run is given is not known in it. */
  readonly plan: Plan;
  /** The tools of the tenant's own that its actions call. */
  readonly needs: readonly string[];
}

/**
 * Parse a flow and plan it with the tools there are, or say all that is wrong with it, by path. The caller that keeps it checks
 * whether its name is free.
 *
 * The flow's size is looked at first and bounds the cost.
 */
export function parseFlow(
  sent: unknown,
  { name, catalog, triggers }: FlowOptions,
): Result<Flow, readonly DeclarationIssue[]> {
  const problems = new Problems();
  checkText(sent, problems);
  if (problems.issues.length > 0) return err(problems.issues);
  const value = withoutRefusedNulls(flowSchema(), sent);

  if (!TOOL_NAME.test(name)) problems.add(["name"], NAME_IN_WORDS, name);
  const parsed = flowSchema().safeParse(value);
  if (!parsed.success)
    addMisfits(toIssues(parsed.error, value, { most: LIMITS.declarationIssues }), problems);
  const plan = isJsonObject(value) ? checkMeaning(value, parsed.success, { name, catalog }, problems) : null;
  if (isJsonObject(value) && value["triggers"] !== undefined) {
    // Only a schema in which nothing is wrong is worth asking.
    const mayRun = problems.issues.length === 0 ? takesNothing(value) : null;
    checkTriggers(value["triggers"], mayRun, triggers, problems);
  }
  if (!parsed.success || plan === null || problems.issues.length > 0) return err(problems.issues);
  const flow = parsed.data as FlowDeclaration;
  const called = plan.steps.flatMap(({ task }) => (task.ok ? [task.value.tool] : []));
  return ok({
    kept: { name, flow, ...factsOf(plan, flow.answer) },
    plan,
    needs: [...new Set(called.flatMap((tool) => (tool.added === undefined ? [] : [tool.name])))],
  });
}

/** Every rule whose fields have their shape is checked, whatever is wrong with the others. */
function checkMeaning(
  value: JsonObject,
  isWhole: boolean,
  { name, catalog }: Pick<FlowOptions, "name" | "catalog">,
  problems: Problems,
): Plan | null {
  const { input_schema: input, actions, answer } = value;
  const before = problems.issues.length;
  if (isJsonObject(input))
    checkSchema(input, (path, expected, found, said) =>
      problems.add(["input_schema", ...path], expected, found, said),
    );
  // The schema has reported a body with no list of actions.
  if (!Array.isArray(actions) || actions.length === 0 || actions.length > LIMITS.actions) return null;
  const sent = isWhole ? batchOf(value as unknown as FlowDeclaration) : { actions };
  const batch = parseBatch(sent, JSON.stringify(actions).length);
  if (!batch.ok) {
    const { issue, hint } = batch.error;
    const { path = "/actions", expected = "actions of a batch", received = "others" } = issue ?? {};
    problems.add(parsePointer(path) ?? ["actions"], expected, undefined, { received, hint });
    return null;
  }
  const planned = makePlan(batch.value, catalog, { given: givenOf([], NOT_KNOWN) });
  // A wrong schema does not tell which arguments it was to have.
  const known = problems.issues.length > before ? null : argumentsToName(input);
  const check = { name, catalog, known, problems, entries: batch.value.entries };
  checkActions(check, planned);
  if (answer !== undefined) checkAnswer(answer, check);
  return planned.ok ? planned.value : null;
}

const NOT_KNOWN = { input: undefined, hook: undefined };

/** Whether a run may be given nothing; null where the schema does not say, because it is not valid. */
function takesNothing({ input_schema: input }: JsonObject): boolean | null {
  if (!isJsonObject(input)) return null;
  const checked = attemptNow(() => z.safeParse(toInput(input), {}).success);
  return checked.ok ? checked.value : null;
}

/**
 * The arguments that references may name; null where others than those may be sent, where none is described, as a webhook's
 * body often is not, and where the schema is none.
 */
function argumentsToName(input: unknown): readonly string[] | null {
  if (!isJsonObject(input) || (argumentsOf(input).length === 0 && input["additionalProperties"] !== false))
    return null;
  const { additionalProperties: others = false, unevaluatedProperties: rest = false } = input;
  return others !== false || rest !== false || input["patternProperties"] !== undefined
    ? null
    : argumentsOf(input);
}

/** Say what Zod found, with a did-you-mean for each field that does not exist. */
function addMisfits(issues: ReturnType<typeof toIssues>, problems: Problems): void {
  for (const { path, expected, received } of issues) {
    const tokens = parsePointer(path) ?? path.split("/").slice(1);
    const hint = expected === NO_SUCH_FIELD ? hintOf(tokens) : undefined;
    problems.add(tokens, expected, undefined, { received, hint });
  }
}

/** The field to write instead of one that does not exist; undefined where that depends. */
function hintOf(tokens: readonly string[]): string | undefined {
  const [field = "", inner] = tokens;
  if (tokens.length === 1)
    return ELSEWHERE.get(field) ?? suggestName(field, Object.keys(flowSchema().shape), "field");
  if (tokens.length === 2 && field === "triggers")
    return suggestName(inner!, Object.keys(triggersSchema().shape), "field");
  return undefined;
}

const ofTools = "A flow's contract follows from the tools that its actions call; leave it out.";

/** Fields that somebody may well look for in a flow. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["cron", "Write it in 'triggers'."],
  ["webhook", "Write it in 'triggers'."],
  ["dry_run", "'dry_run' is said when the flow is run; leave it out."],
  ["max_tokens", "'max_tokens' is said when the flow is run; leave it out."],
  ["skip_approval", "'skip_approval' is said when the flow is run; leave it out."],
  ["callback_url", "'callback_url' is said when the flow is run; leave it out."],
  ["progress", "'progress' is said when the flow is run; leave it out."],
  ["category", "Every flow is of the category 'flows'; leave it out."],
  ["is_write", ofTools],
  ["confirm", ofTools],
  ["orchestration", ofTools],
  ["parameters", "Describe what a run takes as 'input_schema'."],
  ["timeout_ms", "Write how long a run may take as 'deadline_ms'."],
]);
