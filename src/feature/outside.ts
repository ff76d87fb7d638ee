/** Requests that leave the system, and the ports behind which the platform stands. */

export { CallClock } from "../core/egress/call-clock.ts";
export { markHeaders } from "../core/egress/guard-headers.ts";
export { guardPublicUrl } from "../core/egress/guard-url.ts";
export { HeldBytes } from "../core/egress/held-bytes.ts";
export type { LogLevel, Ports } from "../core/egress/ports.ts";
export { createRedactor } from "../core/egress/redact.ts";
