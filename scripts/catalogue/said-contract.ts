import type { Orchestration } from "../../src/core/contract/orchestration.ts";

/** Say what a contract bounds, a short line for each thing. */
export function toSaidContract(contract: Orchestration): string[] {
  const { mode, max_concurrency, global_concurrency, rate_limit, depends_on = [], confirm } = contract;
  const parts = [
    max_concurrency === undefined ? mode : `${mode}, at most ${max_concurrency}`,
    global_concurrency !== undefined && `at most ${global_concurrency} of all callers`,
    rate_limit !== undefined && `${rate_limit.limit} per ${rate_limit.window_s} s, ${rate_limit.scope}`,
    depends_on.length > 0 && `after ${depends_on.map(({ tool }) => tool).join(", ")}`,
    confirm === "always" && "a person confirms",
  ];
  return parts.filter((part) => typeof part === "string");
}
