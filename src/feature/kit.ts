/** Time, text and numbers. */

export { makePlainPage, type Page, respondFlood, respondPage } from "../cloudflare/page/respond-page.ts";
export {
  gateTimeoutMs,
  maxJobPage,
  nesting,
  pageBytes,
  tenantTools,
  tenantToolsBytes,
} from "../core/contract/limits.ts";
export type { Clock } from "../core/kit/clock.ts";
export { hashSource, mark, type Markup } from "../core/kit/markup.ts";
export { parseInstant } from "../core/kit/rfc3339.ts";
export { sha256 } from "../core/kit/sha256.ts";
export { sleep } from "../core/kit/sleep.ts";
export { mergeRows, sliceRows, type TakenRows, takeRows, walkRows } from "../core/kit/take-rows.ts";
export { toBase64Url } from "../core/kit/base64.ts";
