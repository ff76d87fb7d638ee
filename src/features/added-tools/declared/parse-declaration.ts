import { type Misfits, NO_SUCH_FIELD } from "../../../core/contract/issues.ts";
import { isJsonObject, type JsonObject, toIssues } from "../../../feature/schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { withoutRefusedNulls } from "../../../core/contract/run-schema.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { checkContract } from "./check-contract.ts";
import { checkHttp, checkMcp } from "./check-call.ts";
import { checkSchema } from "../json-schema/check-schema.ts";
import { checkText, type DeclarationIssue, Problems, suggestName } from "./problems.ts";
import type { Declaration, DeclarationRules, HttpCall, McpCall } from "./declaration.ts";
import { authFields, declarationSchema, httpSchema, mcpSchema } from "./declaration-schema.ts";
import { argumentsOf } from "../json-schema/walk-schema.ts";

/**
 * Parse a declaration of a tool, or say all that is wrong with it. It says nothing of other tools: the caller that keeps them
 * checks whether a name is free and whether a tool that it depends on exists.
 *
 * The declaration's size is looked at first and bounds the cost.
 */
export function parseDeclaration(
  sent: unknown,
  rules: DeclarationRules,
): Result<Declaration, readonly DeclarationIssue[]> {
  const problems = new Problems();
  checkText(sent, problems);
  if (problems.issues.length > 0) return err(problems.issues);

  const { value, brought } = takeBrought(sent, rules.contract);
  for (const [name, field] of Object.entries(brought ?? {}))
    if (!isJsonObject(field)) problems.add(["orchestration", name], "an object", field);
  const parsed = declarationSchema().safeParse(value);
  if (!parsed.success) addMisfits(parsed.error, value, problems);
  if (isJsonObject(value)) checkMeaning(value, rules, problems);
  if (!parsed.success || problems.issues.length > 0) return err(problems.issues);
  const declaration = parsed.data as Declaration;
  if (brought === null) return ok(declaration);
  return ok({ ...declaration, orchestration: { ...declaration.orchestration!, ...brought } });
}

/** Take the fields of features out of a declaration's contract. Who knows the other tools checks them. */
function takeBrought(
  sent: unknown,
  fields: readonly string[] = [],
): { readonly value: unknown; readonly brought: JsonObject | null } {
  const value = withoutRefusedNulls(declarationSchema(), sent);
  const contract = isJsonObject(value) ? value["orchestration"] : undefined;
  if (!isJsonObject(contract)) return { value, brought: null };
  const known = Object.entries(contract).filter(([name, field]) => fields.includes(name) && field !== null);
  if (known.length === 0) return { value, brought: null };
  const others = Object.entries(contract).filter(([name]) => !fields.includes(name));
  return {
    value: { ...(value as JsonObject), orchestration: Object.fromEntries(others) },
    brought: Object.fromEntries(known),
  };
}

/** Every rule whose fields have their shape is checked, whatever is wrong with the others. */
function checkMeaning(value: JsonObject, rules: DeclarationRules, problems: Problems): void {
  const { input_schema: input, http, mcp } = value;
  const { patterns } = rules;
  if (isJsonObject(input))
    checkSchema(
      input,
      (path, expected, found, said) => problems.add(["input_schema", ...path], expected, found, said),
      patterns && ((pattern, own) => patterns.weigh(pattern, own)),
    );
  const known = isJsonObject(input) ? argumentsOf(input) : null;
  checkContract(value, known, problems);
  if ((http === undefined) === (mcp === undefined))
    problems.add([], "either 'http' or 'mcp', which says what a call does", value, {
      received: http === undefined ? "neither" : "both",
      hint: "Give the tool either 'http' or 'mcp', not both: it is what a call does.",
    });
  const request = httpSchema().safeParse(http);
  if (request.success) checkHttp(request.data as HttpCall, { known, rules, problems, declaration: value });
  const call = mcpSchema().safeParse(mcp);
  if (call.success) checkMcp(call.data as McpCall, { rules, problems });
}

/** Say what Zod found, with a did-you-mean for each field that does not exist. */
function addMisfits(error: Pick<Misfits, "issues">, value: unknown, problems: Problems): void {
  for (const { path, expected, received } of toIssues(error, value, { most: LIMITS.declarationIssues })) {
    const tokens = path.split("/").slice(1);
    const hint =
      expected === NO_SUCH_FIELD
        ? suggestName(tokens.at(-1)!, fieldsAt(tokens.slice(0, -1)), "field")
        : undefined;
    problems.add(tokens, expected, undefined, { received, hint });
  }
}

/** The fields that an object of a declaration has, by the object's path. */
function fieldsAt(path: readonly string[]): readonly string[] {
  const at = path.filter((token) => !/^\d+$/.test(token)).join("/");
  return FIELDS[at]?.() ?? [];
}

const FIELDS: Readonly<Record<string, () => readonly string[]>> = {
  "": () => Object.keys(declarationSchema().shape),
  http: () => Object.keys(httpSchema().shape),
  mcp: () => Object.keys(mcpSchema().shape),
  "http/auth": () => authFields,
  "mcp/auth": () => authFields,
};
