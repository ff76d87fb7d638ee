import type { Delivery } from "./delivery.ts";
import type { DayCounts } from "./shard-methods.ts";

/** Count how an endpoint's deliveries went since a time. @param deliveries the latest event first */
export function countDay(deliveries: readonly Delivery[], pending: number, since: number): DayCounts {
  let [delivered, failed] = [0, 0];
  const durations: number[] = [];
  for (const { status, createdAt, attempts } of deliveries) {
    if (createdAt < since) break;
    if (status === "delivered") delivered += 1;
    if (status === "failed" || status === "discarded") failed += 1;
    for (const attempt of attempts) if (attempt.status !== undefined) durations.push(attempt.durationMs);
  }
  durations.sort((a, b) => a - b);
  const p95Ms = durations.length === 0 ? null : durations[Math.ceil(durations.length * 0.95) - 1]!;
  return { delivered, failed, pending, p95Ms };
}
