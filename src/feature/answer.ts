/** A request is read, and answered. */

export { askGate } from "../cloudflare/http/ask-gate.ts";
export { resultSchema } from "../core/answer/result-schema.ts";
export { objectKey } from "../core/kit/object-key.ts";
export { execute } from "../core/run/execute/executor.ts";
export { answerPreflight, isAllowedOrigin, isPreflight } from "../cloudflare/http/guard-origin.ts";
export { digestKey, toHash } from "../cloudflare/http/key-ring.ts";
export { readBytes, readRequest, readRun } from "../cloudflare/http/read-request-body.ts";
export type { RequestContext } from "../cloudflare/http/request-context.ts";
export { holdingBytes, respondCounted } from "../cloudflare/http/hold-bytes.ts";
export { respondList } from "../cloudflare/http/respond-list.ts";
export { respondDocument, respondHeld } from "../cloudflare/http/respond-run.ts";
export { respondJson, respondRefusal } from "../cloudflare/http/respond.ts";
