import { visibleText } from "../../src/core/kit/visible-text.ts";

/** A request is given up after so long. */
export const REQUEST_MS = 30_000;

/** Say why there was no answer. The platform's message is not used: it may repeat a header. */
export function sayNetwork(error: Error): string {
  if (error.name === "TimeoutError") return `no answer in ${REQUEST_MS / 1000} s`;
  const { code = "" } = (error.cause ?? {}) as { code?: string };
  if (REASONS[code] !== undefined) return REASONS[code];
  if (/CERT|SSL|TLS|ALTNAME|SIGNATURE/.test(code)) return `its certificate is not accepted (${code})`;
  return `the connection failed${code === "" ? "" : ` (${visibleText(code)})`}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused, so nothing listens there",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "the name of the host could not be looked up",
  ECONNRESET: "the connection broke off",
  UND_ERR_SOCKET: "the connection broke off",
  ETIMEDOUT: "no answer",
  UND_ERR_CONNECT_TIMEOUT: "no answer",
};
