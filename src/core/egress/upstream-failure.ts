import type { Tool } from "../catalog/define-tool.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { KEEPER } from "../contract/failure-codes.ts";
import { isJsonObject } from "../contract/json.ts";
import type { UpstreamWords } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import type { Clock } from "../kit/clock.ts";
import { attempt, attemptNow } from "../kit/result.ts";

/** Refusals that say "not now" although they blame the request; every other one will be the same next time. */
const TRANSIENT = new Set([408, 425]);
/** Failures of the service that will be the same next time; every other one, a proxy's 52x too, may pass. */
const LASTING = new Set([501, 505, 506, 508, 510, 511]);

/**
 * Make the failure that a status other than 2xx, or 206, means. Nothing of the response but its status and `Retry-After` is used.
 *
 * @param now the time that a `Retry-After` date is measured from
 */
export function makeStatusFailure(response: Response, tool: Tool, now: number): ToolFailure {
  const { status: upstreamStatus } = response;
  const patience =
    upstreamStatus === 429 || upstreamStatus === 503
      ? parseRetryAfter(response.headers.get("retry-after"), now)
      : undefined;
  const retryAfter = patience === undefined ? {} : { retryAfterMs: patience };

  if (upstreamStatus === 404) {
    const hint = "Check the names and ids in the arguments; the same call will not find it either.";
    return new ToolFailure("NOT_FOUND", { upstreamStatus, hint });
  }
  if (upstreamStatus === 429) {
    const next = patience === undefined ? "wait before trying again" : `try again in ${patience} ms`;
    const hint = `The service limits how often it is called; ${next}.`;
    return new ToolFailure("RATE_LIMITED", { upstreamStatus, ...retryAfter, hint });
  }
  const retryable = upstreamStatus >= 500 ? !LASTING.has(upstreamStatus) : TRANSIENT.has(upstreamStatus);
  const isUnknown = upstreamStatus === 401 || upstreamStatus === 403;
  const hint = isUnknown ? refusedCredentials(tool) : hintOf(upstreamStatus, retryable);
  return new ToolFailure("UPSTREAM_ERROR", { upstreamStatus, retryable, ...retryAfter, hint });
}

function hintOf(status: number, retryable: boolean): string {
  if (status < 300) return "The service answered with a part only; ask for less, or use another tool.";
  if (retryable) return "The service is in trouble for the moment; trying again later may help.";
  return status >= 500
    ? `The service answered with status ${status}: it cannot do this; use another tool.`
    : `The service refused the request with status ${status}; change the arguments or use another tool.`;
}

function refusedCredentials({ secrets, accounts }: Tool): string {
  if (accounts !== undefined)
    return "The service refused the person's account: it may not do this, or has to be connected again.";
  if (secrets.length === 0)
    return "The service refused us access, and this tool has no credentials to show; use another one.";
  return `The service refused our credentials; the deployment's ${KEEPER} has to check ${secrets.join(", ")}.`;
}

/** Why no socket was opened: its name was not found, it was refused, or there was no agreement on TLS. */
export type SocketFault = "name" | "refused" | "tls";

/** The words and codes of runtimes for each, none of which is said of a request that was under way. */
const FAULTS: readonly (readonly [SocketFault, RegExp])[] = [
  [
    "name",
    /\b(?:ENOTFOUND|EAI_AGAIN|getaddrinfo)\b|dns (?:lookup )?(?:error|failed)|name or service not known/i,
  ],
  ["refused", /\bECONNREFUSED\b|\bUND_ERR_CONNECT_TIMEOUT\b|connect(?:ion) refused/i],
  [
    "tls",
    /\bCERT_[A-Z_]+|[A-Z_]+_CERT\b|_CERT_(?:IN|AUTHORITY|ISSUER)|\bERR_TLS_(?:CERT|HANDSHAKE)|tls handshake|certificate is not trusted|\btlsany_meth\b/,
  ],
];

/**
 * Find why the error of a `fetch` says that nothing was sent; null where it does not say so. The causes of an error are looked
 * through, and those of one that stands for several, all of which have to say so.
 *
 * OpenSSL's `wrong version number` is one only of the records before a version is agreed on (`tlsany_meth`): a record that is no TLS may
 * come after a request as well. Cloudflare's runtime says "internal error" of all of them, or that the network lost the socket, and says
 * the same, with the same fields, of a socket that broke afterwards: that proves nothing.
 */
export function findSocketFault(error: unknown, depth = 0): SocketFault | null {
  if (!(error instanceof Error) || depth > DEEPEST) return null;
  const { code = "", syscall, message } = error as Error & Partial<Record<"code" | "syscall", unknown>>;
  const own = FAULTS.find(([, words]) => words.test(`${String(code)} ${message}`));
  if (own !== undefined) return own[0];
  if (syscall === "connect") return "refused";
  if (error instanceof AggregateError && error.errors.length > 0) {
    const all = error.errors.map((one) => findSocketFault(one, depth + 1));
    return all.includes(null) ? null : all[0]!;
  }
  return findSocketFault(error.cause, depth + 1);
}

const DEEPEST = 5;

/**
 * Read from the body of a refusal what the service said of it. It never rejects: a body that is long, late or no JSON says nothing,
 * and the rest of it is given up.
 */
export async function readRefusal(response: Response, clock: Clock): Promise<UpstreamWords> {
  const { status, body, headers } = response;
  if (body === null) return { status };
  const reader = body.getReader();
  const cancel = (): void => void attempt(() => reader.cancel());
  if (!/^(?:[^;]*\bjson\b|text\/plain)/i.test(headers.get("content-type") ?? "")) {
    cancel();
    return { status };
  }
  const stop = clock.after(LIMITS.refusalMs, cancel);
  const read = await attempt(() => readText(reader));
  stop();
  cancel();
  const parsed = attemptNow((): unknown => JSON.parse(read.ok ? read.value : ""));
  return { status, ...(parsed.ok && pickWords(parsed.value)) };
}

async function readText(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > LIMITS.refusalBytes) return "";
    text += decoder.decode(value, { stream: true });
  }
}

/** Pick a message and a code from where services write them. */
function pickWords(value: unknown): Pick<UpstreamWords, "message" | "code"> {
  if (!isJsonObject(value)) return {};
  const { error, message, error_description, detail, title, errors, code: ownCode } = value;
  const inner = isJsonObject(error) ? error : {};
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const listed = isJsonObject(first) ? [first["message"], first["detail"]] : [first];
  const said = [inner["message"], message, error_description, detail, error, title, ...listed].find(isSaid);
  const code = [inner["code"], ownCode, inner["type"], error].find(
    (one) => isSaid(one) || Number.isFinite(one),
  );
  return {
    ...(said !== undefined && { message: said as string }),
    ...(code !== undefined && { code: String(code) }),
  };
}

function isSaid(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}
