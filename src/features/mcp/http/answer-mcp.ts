import { isAllowedOrigin, readRun, type RequestContext, respondRefusal } from "../../../feature/answer.ts";
import { TOOL_SURFACES, type ToolSurface } from "../../discovery/tool-surface.ts";
import { isJsonObject, visibleText } from "../../../feature/schema.ts";
import { ok, type Refusal, statusOf } from "../../../feature/refuse.ts";
import { withCurrentTools } from "../../../core/run/execute/executor.ts";
import { countList } from "../../../core/gate/admit-plan.ts";
import { refuseKey } from "../../../cloudflare/http/refuse-key.ts";
import { quotaHeaders, retryHeaders } from "../../../cloudflare/http/respond.ts";
import type { TaskParts } from "./method.ts";
import { RPC_CODES } from "./rpc-message.ts";
import { respondError, serveMcp } from "./serve-mcp.ts";
import { ALIASES, BATCH_TOOL, type Catalog } from "../../../feature/tool.ts";
import { findToolName } from "../../../core/contract/other-names.ts";

/**
 * `/mcp?surface=`: the Model Context Protocol. Everything that is not the protocol's own (who calls, where from, how large,
 * how deep) is decided here, before it is asked.
 */
export async function answerMcp(
  request: Request,
  received: RequestContext,
  parts: TaskParts,
): Promise<Response> {
  let context = received;
  const { origins, watch } = context;
  if (!isAllowedOrigin(request, origins)) return refuse(403, RPC_CODES.invalidRequest, ELSEWHERE);
  const asked = new URL(request.url).searchParams.getAll("surface");
  const surface = asked.length === 0 ? "meta" : asked.join(", ");
  if (!(TOOL_SURFACES as readonly string[]).includes(surface)) {
    const hint = `The surface is one of ${TOOL_SURFACES.join(", ")}, received '${visibleText(surface)}'.`;
    return refuse(400, RPC_CODES.invalidRequest, hint);
  }
  if (request.method !== "POST") return refuse(405, RPC_CODES.serverError, NO_SESSIONS, { allow: "POST" });
  const body = await readRun(request, received);
  if (!body.ok) return refuseBody(body.error);
  const { value, bytes, keyed } = body.value;
  // Gone from the protocol since 2025-06-18; what bounds one call would not bound a hundred of them.
  if (Array.isArray(value)) return refuse(400, RPC_CODES.invalidRequest, NO_BATCHES);
  const still = mayWrite(value, received.catalog) ? await received.isStill() : ok(true);
  if (!still.ok)
    return refuse(statusOf(still.error), RPC_CODES.serverError, still.error.hint, retryHeaders(still.error));
  if (!still.value)
    return respondRefusal(refuseKey(request, { isConfigured: true, dialect: null }), received);
  if (!runsSomething(value)) watch?.enter("admit");
  const counted = runsSomething(value)
    ? ok(null)
    : await withCurrentTools(received, (current) => {
        context = current;
        return countList(current);
      });
  if (!counted.ok) {
    const { refusal, quota } = counted.error;
    const headers = { ...quotaHeaders(context.caller, quota), ...retryHeaders(refusal) };
    return refuse(statusOf(refusal), RPC_CODES.serverError, refusal.hint, headers);
  }
  if (!runsSomething(value)) watch?.enter("run");
  const headers = quotaHeaders(context.caller, counted.value);
  return serveMcp(request, context, {
    surface: surface as ToolSurface,
    body: value,
    bodyBytes: bytes,
    keyed,
    headers,
    parts,
  });
}

/** A call is counted with the batch that it becomes. One that comes back for what waited runs nothing. */
function runsSomething(message: unknown): boolean {
  if (!isJsonObject(message) || message["method"] !== "tools/call") return false;
  const { params } = message;
  return !isJsonObject(params) || params["requestState"] === undefined;
}

const ELSEWHERE = "Requests from this origin or for this host are not answered.";

const NO_SESSIONS = "There is no session to listen to or to end: send each message with POST.";

const NO_BATCHES = "Send one message a request; execute_actions runs many calls in one.";

function refuseBody(refusal: Refusal): Response {
  const code = refusal.code === "MALFORMED_JSON" ? RPC_CODES.parseError : RPC_CODES.invalidRequest;
  return refuse(statusOf(refusal), code, refusal.hint);
}

function refuse(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return respondError({ code, message }, { status, id: null, headers });
}

/**
 * Whether a message may write, or record a job: every call that is not known to be of reads alone. A form that is not read here counts as
 * one that may.
 */
export function mayWrite(message: unknown, catalog: Catalog): boolean {
  if (!isJsonObject(message) || message["method"] !== "tools/call") return false;
  const { params } = message;
  return !isJsonObject(params) || mayCallWrite(params["name"], params["arguments"], catalog);
}

function mayCallWrite(name: unknown, args: unknown, catalog: Catalog): boolean {
  if (typeof name !== "string") return true;
  if (name === BATCH_TOOL) return mayBatchWrite(args, catalog);
  if (ALIASES.has(name)) return !isJsonObject(args) || mayCallWrite(args["tool_name"], null, catalog);
  const tool = catalog.callable(name);
  return tool === undefined || tool.isWrite || tool.execution !== "sync";
}

function mayBatchWrite(args: unknown, catalog: Catalog): boolean {
  if (!isJsonObject(args) || !Array.isArray(args["actions"]) || (args["background"] ?? false) !== false)
    return true;
  return args["actions"].some(
    (action: unknown) => !isJsonObject(action) || mayCallWrite(findToolName(action), action["args"], catalog),
  );
}
