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

/** The statuses of Cloudflare's network for a server that it could not connect to. */
const STATUSES: ReadonlyMap<number, string> = new Map([
  [521, CODES.refused],
  [522, "TIMEOUT"],
  [525, CODES.tls],
  [526, CODES.tls],
]);

/**
 * Say why Cloudflare's network answered for a server, as the code of an attempt; undefined for every other answer. A deployed Worker's
 * `fetch` gets these answers where another runtime's throws.
 *
 * Source: https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 *
 * @param text the beginning of the answer: a name that is not found is error 1016 of several behind 530
 */
export function sayStatus(status: number, text: string): string | undefined {
  if (status === 530) return /\b1016\b/.test(text) ? CODES.name : undefined;
  return STATUSES.get(status);
}
