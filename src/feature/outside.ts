/** Requests that leave the system, and the ports behind which the platform stands. */

export { HOP_HEADER } from "../core/egress/guard-headers.ts";
export { HeldBytes } from "../core/egress/held-bytes.ts";
export type { Ports } from "../core/egress/ports.ts";
export { createRedactor } from "../core/egress/redact.ts";
