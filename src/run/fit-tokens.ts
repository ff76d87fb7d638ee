import type { Shown } from "../contract/outcome.ts";
export function fitTokens(
  results: readonly Shown[],
  _max: number,
): (Shown & { truncated?: Readonly<Record<string, unknown>> })[] {
  return [...results];
}
