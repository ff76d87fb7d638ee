import { parseObject } from "./parse-object.ts";
import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 150;
const KEY_LIFETIME_MS = 24 * 3_600_000;
const ADDRESS = /^(?:[^<>]*<[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+)$/;

interface Sent {
  readonly id: string;
  readonly content: string;
  readonly at: number;
}

/** Mails by idempotency key (or a counter), for as long as the module lives. */
const sent = new Map<string, Sent>();

/** Count the mails that went out; a repeated idempotency key sends none. */
export function countSentEmails(): number {
  return sent.size;
}

/** Forget every mail and key. */
export function resetResend(): void {
  sent.clear();
}

/**
 * Answer as Resend: https://resend.com/docs/api-reference/emails/send-email, refusals as in
 * https://resend.com/docs/api-reference/errors.
 */
export async function answerResend(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  const { pathname } = new URL(request.url);
  if (pathname !== "/emails") return refuse(404, "not_found", "The requested endpoint does not exist.");
  if (request.method !== "POST")
    return refuse(405, "method_not_allowed", "Method is not allowed for the requested path.");

  const [, apiKey = ""] = /^Bearer (.*)$/.exec(request.headers.get("Authorization") ?? "") ?? [];
  if (apiKey === "") return refuse(401, "missing_api_key", "Missing API key in the authorization header.");
  if (apiKey.startsWith("invalid")) return refuse(403, "invalid_api_key", "API key is invalid.");

  const key = request.headers.get("Idempotency-Key");
  if (key !== null && (key === "" || key.length > 256))
    return refuse(400, "invalid_idempotency_key", "The key must be between 1-256 chars.");

  const content = await request.text();
  const problem = findProblem(content);
  if (problem !== null) return problem;

  const known = key === null ? undefined : sent.get(key);
  if (known !== undefined && ports.now() - known.at < KEY_LIFETIME_MS) {
    if (known.content === content) return Response.json({ id: known.id });
    return refuse(
      409,
      "invalid_idempotent_request",
      "Same idempotency key used with a different request payload.",
    );
  }
  const slot = key ?? `#${sent.size}`;
  const id = toUuid(`${slot} ${content}`);
  sent.set(slot, { id, content, at: ports.now() });
  return Response.json({ id });
}

function findProblem(content: string): Response | null {
  const body = parseObject(content);
  if (body === null) return refuse(400, "validation_error", "The request body is not a JSON object.");
  for (const field of ["from", "to", "subject"])
    if (body[field] === undefined || body[field] === "")
      return refuse(422, "missing_required_field", `Missing \`${field}\` field.`);
  if (body["html"] === undefined && body["text"] === undefined)
    return refuse(422, "missing_required_field", "Missing `html` or `text` field.");
  if (typeof body["from"] !== "string" || !ADDRESS.test(body["from"]))
    return refuse(422, "invalid_from_address", "Invalid `from` field.");
  for (const field of ["to", "cc", "bcc"]) {
    const addresses = [body[field] ?? []].flat();
    if (
      addresses.length > 50 ||
      !addresses.every((address) => typeof address === "string" && ADDRESS.test(address))
    )
      return refuse(
        422,
        "validation_error",
        `Invalid \`${field}\` field. The email address needs to follow the \`email@example.com\` or \`Name <email@example.com>\` format.`,
      );
  }
  return null;
}

function toUuid(seed: string): string {
  const hex = new Seeded(seed).text(30, "0123456789abcdef");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
}

function refuse(statusCode: number, name: string, message: string): Response {
  return Response.json({ statusCode, name, message }, { status: statusCode });
}
