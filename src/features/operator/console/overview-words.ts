export interface WireTool {
  readonly tool: string;
  readonly calls: number;
  readonly error_rate: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

export interface WireTenant {
  readonly tenant: string;
  readonly runs: number;
  readonly actions: number;
  readonly error_rate: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly throttled: number;
  readonly dead: Readonly<Record<string, number>>;
  readonly waiting: number;
  readonly tools: readonly WireTool[];
}

/** The times that can be looked at, by what the address says. */
export const HOURS: Readonly<Record<string, string>> = {
  "1": "This hour",
  "24": "Last 24 hours",
  "72": "Last 72 hours",
};

export function readHours(query: URLSearchParams): string {
  const asked = query.get("hours") ?? "";
  return asked in HOURS ? asked : "24";
}

export function countDead({ dead }: Pick<WireTenant, "dead">): number {
  return Object.values(dead).reduce((sum, count) => sum + count, 0);
}

/** Say a share of errors; one that rounds to nothing is said as such. */
export function sayRate(rate: number): string {
  if (rate === 0) return "0 %";
  return rate < 0.001 ? "< 0.1 %" : `${(100 * rate).toFixed(rate < 0.1 ? 1 : 0)} %`;
}

/** Choose how bad a share of errors looks. */
export function toneOfRate(rate: number): "ok" | "wait" | "bad" {
  return rate >= 0.1 ? "bad" : rate >= 0.01 ? "wait" : "ok";
}
