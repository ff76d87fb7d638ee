import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { describe, toMisfit } from "../../core/contract/issues.ts";

/**
 * Make the failure of an argument that fits the schema and still cannot be meant: it says where it is, what was expected and
 * what came, as a misfit with the schema does.
 */
export function invalidArgument(name: string, expected: string, received: unknown): ToolFailure {
  return new ToolFailure(
    "INVALID_ARGS",
    toMisfit({ path: `/args/${name}`, expected, received: describe(received) }),
  );
}
