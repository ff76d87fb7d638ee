import { type Catalog, checkFields, type Tool } from "../../feature/tool.ts";
import type { Declaration, DeclarationRules } from "./declared/declaration.ts";
import { parseDeclaration } from "./declared/parse-declaration.ts";
import { type DeclarationIssue, Problems } from "./declared/problems.ts";
import { toTool } from "./declared/to-tool.ts";
import { makeVerifier } from "../../core/catalog/verifier.ts";
import type { ToolToKeep } from "./stored-tools.ts";
import { attemptNow, err, ok, type Result } from "../../feature/refuse.ts";
import { toHeadJson } from "../../core/catalog/tool-head.ts";
import { canonicalJson } from "../../core/kit/json/canonical-json.ts";

export interface KeepOptions {
  readonly rules: DeclarationRules;
  /** Whether the deployment itself has something of that name. */
  readonly isShipped: (name: string) => boolean;
  /** The tools that a tool may be verified by. */
  readonly catalog: Catalog;
  /** Find one that is kept together with it. */
  readonly others?: (name: string) => Declaration | undefined;
  readonly sha256: (text: string) => Promise<string>;
}

/** A declaration that is right by itself, and what is handed over to be kept. */
export interface Keepable {
  readonly declaration: Declaration;
  readonly tool: ToolToKeep;
}

/** Parse a declaration and make of it what can be kept, or say all that is wrong with it. */
export async function keepTool(
  value: unknown,
  { rules, isShipped, catalog, others = () => undefined, sha256 }: KeepOptions,
): Promise<Result<Keepable, readonly DeclarationIssue[]>> {
  const parsed = parseDeclaration(value, rules);
  if (!parsed.ok) return parsed;
  const declaration = parsed.value;
  const problems = new Problems();
  checkShared(declaration, problems);
  checkVerifier(declaration, rules, catalog, problems);
  const find = (name: string): Tool | undefined => {
    const other = others(name);
    return other === undefined ? catalog.get(name) : toTool(other, { secrets: rules.secrets });
  };
  checkBrought(declaration, rules, { get: find, hidden: catalog.hidden }, problems);
  if (problems.issues.length > 0) return err(problems.issues);
  const needs = namesNeeded(declaration).filter((name) => !isShipped(name));
  return ok({
    declaration,
    tool: {
      name: declaration.name,
      fingerprint: await fingerprintOf(declaration, sha256),
      headJson: toHeadJson(declaration),
      json: JSON.stringify(declaration),
      needs,
    },
  });
}

/** A limit that all callers share is kept by the tool's name, which every tenant may give to something else. */
function checkShared({ orchestration }: Declaration, problems: Problems): void {
  const { global_concurrency: most, rate_limit: rate } = orchestration ?? {};
  const hint =
    "A tenant's tool has no limit that other tenants share; use 'max_concurrency' or the scope 'tenant'.";
  if (most !== undefined) problems.add(["orchestration", "global_concurrency"], "nothing", most, { hint });
  if (rate?.scope === "global")
    problems.add(["orchestration", "rate_limit", "scope"], "'tenant'", rate.scope, { hint });
}

function checkVerifier(
  declaration: Declaration,
  { secrets }: DeclarationRules,
  catalog: Catalog,
  problems: Problems,
): void {
  const verify = declaration.orchestration?.verify_with;
  if (verify === undefined) return;
  const made = attemptNow(() => makeVerifier(toTool(declaration, { secrets }), verify, catalog));
  if (made.ok) return;
  problems.add(["orchestration", "verify_with"], "a read that takes what it is given", verify, {
    hint: "'verify_with' names a plain read without limits, gives it all that it needs of the write's arguments, and nothing it does not take.",
  });
}

/** A tool that its contract names may be one that the tenant keeps. */
function checkBrought(
  declaration: Declaration,
  { secrets }: DeclarationRules,
  catalog: Pick<Catalog, "get" | "hidden">,
  problems: Problems,
): void {
  const { fields = [] } = catalog.hidden;
  const given: object = declaration.orchestration ?? {};
  if (!fields.some(({ name }) => name in given)) return;
  for (const { path, expected, received, hint } of checkFields(
    toTool(declaration, { secrets }),
    fields,
    catalog,
  ))
    problems.add(["orchestration", ...path], expected, undefined, { received, hint });
}

/** The tools that a contract names. */
function namesNeeded({ orchestration }: Declaration): string[] {
  const { depends_on: needs = [], verify_with: verify } = orchestration ?? {};
  const names = needs.map(({ tool }) => tool);
  return [...new Set(verify === undefined ? names : [...names, verify.tool])];
}

/** The hex SHA-256 of a declaration: equal for equal declarations, in whatever order their fields were written. */
export function fingerprintOf(
  declaration: Declaration,
  sha256: (text: string) => Promise<string>,
): Promise<string> {
  return sha256(canonicalJson(declaration));
}
