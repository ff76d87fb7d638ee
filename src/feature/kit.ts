/** Time, text and numbers. */

export { gateTimeoutMs, pageBytes, tenantTools, tenantToolsBytes } from "../core/contract/limits.ts";
export type { Clock } from "../core/kit/clock.ts";
export { hashSource } from "../core/kit/markup.ts";
export { mark, type Markup } from "../core/kit/markup.ts";
export { parseInstant } from "../core/kit/rfc3339.ts";
export { sha256 } from "../core/kit/sha256.ts";
export { mergeRows, type TakenRows, takeRows } from "../core/kit/take-rows.ts";
