import { toTool } from "../../added-tools/declared/to-tool.ts";
import type { Tool } from "../../../feature/tool.ts";
import type { ImportOptions } from "./import-options.ts";
import { toDeclarations } from "./to-declarations.ts";

/**
 * Make tools of the operations of an OpenAPI document, for a Worker of one's own. A mistake throws at start-up with all that is wrong,
 * as `defineTool` does; so does an operation that `include` names by its operationId and that no tool can be made of. Others that none
 * can be made of are left out: `toDeclarations` says which, and why.
 *
 * The secrets that `auth` names are the operator's own and need no binding.
 *
 * @param document as it was parsed, such as an imported JSON file
 */
export function openApiTools(document: unknown, options: ImportOptions): Tool[] {
  const made = toDeclarations(document, options);
  if (!made.ok) throw failure(made.error.map(({ path, hint }) => `${path}: ${hint}`));
  const { declarations, skipped } = made.value;
  const named = skipped.filter(({ operation }) => options.include?.includes(operation));
  if (named.length > 0) throw failure(named.map(({ operation, reason }) => `'${operation}': ${reason}`));
  return declarations.map((declaration) => toTool(declaration, { secrets: null }));
}

function failure(problems: readonly string[]): Error {
  return new Error(
    `Cannot make tools of the OpenAPI document:\n${problems.map((each) => `  - ${each}`).join("\n")}`,
  );
}
