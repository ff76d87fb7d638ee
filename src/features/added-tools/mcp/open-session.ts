import * as LIMITS from "../limits.ts";
import { attempt } from "../../../feature/refuse.ts";
import type { ToolContext } from "../../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../../feature/tool.ts";
import { ask, CLIENT, isStatus, type Server, tell } from "./ask-server.ts";
import { NEWEST_WITH_SESSIONS, Session, STATELESS } from "./mcp-session.ts";

/** Statuses that say nothing about which revision a server speaks. */
const NO_EVIDENCE = new Set([401, 403, 408, 425, 429]);

/**
 * Find out how a server is spoken with: one of 2026-07-28 says so when it is asked (`server/discover`); to any that does not
 * understand the question the handshake of 2025 is offered. A server that refuses us, is in trouble or cannot be reached has
 * said nothing about that, so its failure is thrown as it is.
 */
export async function openSession(server: Server, ctx: Pick<ToolContext, "fetch">): Promise<Session> {
  const stateless = new Session(STATELESS);
  const asked = await attempt(() => ask(server, stateless, { method: "server/discover" }, ctx));
  if (!asked.ok && !isOtherRevision(asked.error)) throw asked.error;
  const answer = asked.ok ? asked.value.answer : null;
  if (answer?.kind === "result") {
    const { supportedVersions } = answer.result;
    if (Array.isArray(supportedVersions) && supportedVersions.includes(STATELESS)) return stateless;
  }
  return initialize(server, ctx);
}

/** Whether a failure may come from not understanding the question. */
function isOtherRevision(error: unknown): boolean {
  if (!(error instanceof ToolFailure)) return false;
  const { code, upstreamStatus = 0 } = error.failure;
  const isRefused = upstreamStatus >= 400 && upstreamStatus < 500 && !NO_EVIDENCE.has(upstreamStatus);
  return isRefused || code === "BAD_UPSTREAM_RESPONSE";
}

/**
 * The handshake of the revisions before 2026-07-28. Any of them will do: what is used here is the same in all. A server that refuses the
 * newest with status 400, where it could name another, is offered the newest of those that its refusal lists.
 */
async function initialize(server: Server, ctx: Pick<ToolContext, "fetch">): Promise<Session> {
  let listed: readonly string[] = [];
  const onRefused = (text: string): void => void (listed = versionsIn(text));
  const offer = (version: string): ReturnType<typeof ask> => {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: CLIENT };
    return ask(server, new Session(version), { method: "initialize", params, onRefused }, ctx);
  };
  const first = await attempt(() => offer(NEWEST_WITH_SESSIONS));
  const other = listed.filter((version) => version !== NEWEST_WITH_SESSIONS)[0];
  if (!first.ok && other === undefined) throw first.error;
  const { answer, headers } = first.ok && other === undefined ? first.value : await offer(other!);
  const version = answer.kind === "result" ? answer.result["protocolVersion"] : undefined;
  const id = headers.get("mcp-session-id");
  const isUsable = typeof version === "string" && WITH_SESSIONS.test(version);
  if (!isUsable || (id !== null && id.length > LIMITS.mcpSessionCharacters))
    throw new ToolFailure("BAD_UPSTREAM_RESPONSE", {
      hint: "The server agrees to no revision of the Model Context Protocol that is spoken here; use another tool or tell the user.",
    });
  const session = new Session(version, id === "" ? null : id);
  await tell(server, session, "notifications/initialized", ctx);
  return session;
}

const WITH_SESSIONS = /^202[45]-\d\d-\d\d$/;

/** The revisions that a refusal names and that are spoken here, the newest first. */
function versionsIn(text: string): readonly string[] {
  const named = text.slice(0, REFUSAL_CHARACTERS).match(/\b\d{4}-\d\d-\d\d\b/g) ?? [];
  return named
    .filter((version) => WITH_SESSIONS.test(version))
    .sort()
    .toReversed();
}

/** Characters of a refusal in which revisions are looked for. */
const REFUSAL_CHARACTERS = 4_096;

/** Whether a call failed because the server no longer knows the session, or speaks another revision by now. */
export function isStale(error: unknown): boolean {
  return isStatus(error, [400, 404, 405, 410]);
}
