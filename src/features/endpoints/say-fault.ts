import { type ConnectionFault, findConnectionFault } from "../../core/egress/connection-fault.ts";

/** The codes of attempts that no connection was made for. */
const CODES: Readonly<Record<ConnectionFault, string>> = {
  name: "NAME_NOT_FOUND",
  refused: "CONNECTION_REFUSED",
  tls: "TLS_FAILED",
};

/** Say why no answer came, as the code of an attempt. A runtime that says one sentence of every cause leaves it open. */
export function sayFault(error: unknown): string {
  const fault = findConnectionFault(error);
  return fault === null ? "UPSTREAM_ERROR" : CODES[fault];
}
