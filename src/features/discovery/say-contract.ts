import type { Orchestration } from "../../core/contract/orchestration.ts";

/**
 * Say a tool's contract in one line, for the dialects that have no place for it.
 *
 * @example
 * sayContract({ mode: "fan-out-bounded", max_concurrency: 3, on_error: "fail-fast" });
 * // "Contract: fan-out-bounded, at most 3 at once, fail-fast."
 */
export function sayContract(orchestration: Orchestration): string {
  const { mode, max_concurrency, depends_on, on_error, rate_limit, cache_ttl_s, confirm } = orchestration;
  const parts = [
    mode,
    max_concurrency !== undefined && `at most ${max_concurrency} at once`,
    ...(depends_on ?? []).map(({ tool, required_fields }) => `${required_fields.join(", ")} from ${tool}`),
    rate_limit !== undefined && `${rate_limit.limit} calls every ${rate_limit.window_s} s`,
    cache_ttl_s !== undefined && `answers may be ${cache_ttl_s} s old`,
    // That one failure leaves the others as they are is what everybody assumes.
    on_error === "fail-fast" && on_error,
    confirm === "always" && "a person confirms each call",
    typeof confirm === "object" && `a person confirms calls with ${JSON.stringify(confirm.when)}`,
  ];
  return `Contract: ${parts.filter((part) => typeof part === "string").join(", ")}.`;
}
