import { holdBody } from "../../../cloudflare/http/hold-bytes.ts";
import {
  readRequestBody,
  type RequestBody,
  readSentKey,
} from "../../../cloudflare/http/read-request-body.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import type { Catalog } from "../../../feature/tool.ts";
import { isJsonObject, parseExact, visibleText } from "../../../feature/schema.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { HeldBytes, Ports } from "../../../feature/outside.ts";
import type { Execution } from "../../../core/gate/execution.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { type AgentOptions, parseAgentOptions, refuseUnknownTools, STRATEGIES } from "../agent-options.ts";
import type { Conversation, Dialect } from "../dialect/dialect.ts";
import type { ModelRoute } from "./find-server.ts";
import * as LIMITS from "../limits.ts";
import { type OfferedSurface, offerTools } from "../offer-tools.ts";
import type { RequestName } from "../request-key.ts";
import { describeTheirs, speakInText, speakNatively, type Voice } from "../voice.ts";

const BODY = {
  bodyBytes: LIMITS.agentBodyBytes,
  nesting: LIMITS.agentNesting,
  values: LIMITS.agentValues,
  parse: parseExact,
};

/** Read the body of a request to a model, and hold it. */
export function readModelBody(request: Request, bytes: HeldBytes): Promise<Result<RequestBody, Refusal>> {
  return readRequestBody(request, { ...BODY, ...holdBody(bytes, request, LIMITS.agentValues) });
}

/** Read by what a request to a model is known when it comes again; null where no two requests of its client are the same. */
export async function readRequestName(
  request: Request,
  body: unknown,
  { caller, ports, origin }: Pick<Execution, "caller" | "origin"> & { readonly ports: Pick<Ports, "sha256"> },
): Promise<Result<RequestName | null, Refusal>> {
  const sent = readSentKey(request);
  if (!sent.ok) return sent;
  if (sent.value === null) return ok(null);
  const { key, isFirst = false } = sent.value;
  const fingerprint = await ports.sha256(canonicalJson([caller.name, new URL(request.url).pathname, body]));
  return ok({
    key: `${origin.account === undefined ? "" : `@${origin.account.digest}:`}${key === null ? `body:${fingerprint}` : `key:${key}`}`,
    fingerprint,
    hasKey: key !== null,
    isFirst,
  });
}

/** Take whose accounts are used out of the field `volley`, where the caller says it. */
export function readAccounts(
  body: unknown,
  request: Request,
  context: RequestContext,
): Result<{ readonly body: unknown; readonly context: RequestContext }, Refusal> {
  const { fields } = context.hooks ?? {};
  if (fields === undefined || !isJsonObject(body) || body["volley"] === undefined)
    return ok({ body, context });
  const said = fields.read(body["volley"], { request, context, code: "INVALID_REQUEST", path: "/volley" });
  return said.ok ? ok({ body: { ...body, volley: said.value.rest }, context: said.value.context }) : said;
}

export interface ModelRequest {
  readonly conversation: Conversation;
  readonly options: AgentOptions;
}

export function readBody(
  value: unknown,
  { dialect, field, hasDefaultModel }: ModelRoute,
  { ports, hooks }: Pick<RequestContext, "ports" | "hooks">,
): Result<ModelRequest, Refusal> {
  if (!isJsonObject(value)) {
    const issue = {
      path: "",
      expected: "an object",
      received: Array.isArray(value) ? "an array" : typeof value,
    };
    return err(makeRefusal("INVALID_REQUEST", `Send an object: {"${field}": [...]}.`, { issue }));
  }
  const { volley, ...body } = value;
  const { fields, keepers } = hooks ?? {};
  const kept = keepers?.read(volley) ?? ok({ rest: volley, keptAs: undefined });
  if (!kept.ok) {
    const { issue, hint } = kept.error;
    const at = issue && { issue: { ...issue, path: `/volley${issue.path}` } };
    return err(makeRefusal("INVALID_REQUEST", hint, at));
  }
  const { rest, keptAs } = kept.value;
  const options = parseAgentOptions(rest, [...(fields?.names ?? []), ...(keepers?.fields ?? [])]);
  if (!options.ok) return options;
  const model = hasDefaultModel && body["model"] === undefined ? ports.secret("LLM_MODEL") : undefined;
  const conversation = dialect.read(model === undefined ? body : { model, ...body });
  return conversation.ok
    ? ok({ conversation: conversation.value, options: { ...options.value, keptAs } })
    : conversation;
}

/** Refuse names of unknown tools, and those of the caller's own that are ours too. */
export function refuseTools({ conversation, options }: ModelRequest, catalog: Catalog): Refusal | null {
  const { tools, surface } = options;
  const shown = tools === null ? catalog : catalog.restrictTo(tools);
  return refuseUnknownTools(tools, catalog) ?? refuseClash(conversation, surface, shown);
}

/** Two tools of one name would be refused by the model's server, in words that say nothing of where the other is from. */
function refuseClash({ theirs }: Conversation, surface: OfferedSurface, catalog: Catalog): Refusal | null {
  if (theirs.size === 0) return null;
  const clash = offerTools(surface, catalog).find(({ name }) => theirs.has(name))?.name;
  if (clash === undefined) return null;
  const issue = {
    path: "/tools",
    expected: "names that none of Volley's tools has",
    received: `the string "${visibleText(clash)}"`,
  };
  const hint = `'${visibleText(clash)}' is the name of a tool of Volley's: give yours another, or leave Volley's out with volley.tools or another volley.surface.`;
  return makeRefusal("INVALID_REQUEST", hint, { issue });
}

export function chooseVoice(dialect: Dialect, conversation: Conversation, { strategy }: AgentOptions): Voice {
  return STRATEGIES[strategy].isText
    ? speakInText(dialect, describeTheirs(conversation))
    : speakNatively(dialect);
}
