import * as LIMITS from "../limits.ts";
import { readBytes, respondJson } from "../../../feature/answer.ts";
import { attempt } from "../../../feature/refuse.ts";
import { sha256 } from "../../../feature/kit.ts";
import { logBug } from "../../../feature/define.ts";
import { hasTokenForm, signInOf } from "../sign-in.ts";
import { ClientDocumentError, withoutSlash } from "./oauth-server.ts";
import { readRefresh, refreshOnce } from "./refresh-once.ts";
import type { SignInDesk } from "./check-token.ts";

/** A request that the OAuth library answers. */
export interface OauthVisit {
  readonly request: Request;
  readonly desk: SignInDesk;
  readonly ctx: ExecutionContext;
  readonly requestId: string;
}

/** Answer `/oauth/token`, which revokes too, or `/oauth/register`: the body is bounded before the library reads it. */
export async function answerOauth({ request, desk, ctx, requestId }: OauthVisit): Promise<Response> {
  const { pathname, origin } = new URL(request.url);
  const read = await attempt(() => readBytes(request, LIMITS.signInBodyBytes));
  if (!read.ok) return refuse(400, "invalid_request", "The body breaks off");
  if (read.value === null)
    return refuse(413, "invalid_request", `A body may take ${LIMITS.signInBodyBytes} bytes`);
  const { method, headers } = request;
  const isRegistration = pathname === "/oauth/register";
  const sent = new URLSearchParams(isRegistration ? "" : new TextDecoder().decode(read.value));
  const form = withoutSlash(sent, origin);
  const body = isRegistration ? (read.value as Uint8Array<ArrayBuffer>) : form.toString();
  const bounded = new Request(request.url, { method, headers, body });
  const send = async (): Promise<Response> => {
    const server = await desk.server();
    return server.fetch(bounded, ctx, isRegistration);
  };
  const authorization = headers.get("authorization");
  const refresh = readRefresh(form, { resource: `${origin}/mcp`, authorization });
  const parts = { stores: desk.stores!, ports: desk.configured.ports };
  const answered = await attempt(() => (refresh === null ? send() : refreshOnce(refresh, parts, send)));
  if (answered.ok && answered.value === null) return refuse(503, "temporarily_unavailable", BUSY);
  if (answered.ok && answered.value?.status === 400) await endReplayed(form, desk);
  if (answered.ok) return withoutCors(answered.value!);
  if (answered.error instanceof ClientDocumentError)
    return refuse(
      503,
      "temporarily_unavailable",
      "The document that describes the client cannot be read now",
    );
  logBug(requestId, pathname, answered.error);
  return refuse(503, "temporarily_unavailable", "Something failed on our side; send the request again");
}

/**
 * End a sign-in whose refresh token is shown again although another has taken its place and was used: two have it, and which of them is
 * the program cannot be told (RFC 9700, 4.14.2).
 */
async function endReplayed(form: URLSearchParams, desk: SignInDesk): Promise<void> {
  const token = form.get("refresh_token") ?? "";
  const { stores } = desk;
  if (stores === null || !hasTokenForm(token)) return;
  const name = signInOf(token);
  const spent = await attempt(() => stores.read(`spent:${name}:${sha256(token)}`));
  if (!spent.ok || spent.value === null) return;
  const [owner = "", id = ""] = name.split(":");
  await attempt(() => stores.end(owner, id));
  desk.forget(name);
}

/** Answer the metadata of the authorization server (RFC 8414). Clients' documents are read here, so the library does not tell of them. */
export async function answerMetadata({ request, desk, ctx, requestId }: OauthVisit): Promise<Response> {
  const answered = await attempt(async () => {
    const server = await desk.server();
    const response = await server.fetch(new Request(request.url), ctx);
    return response.json();
  });
  if (!answered.ok) {
    logBug(requestId, "/.well-known/oauth-authorization-server", answered.error);
    return refuse(503, "temporarily_unavailable", "Something failed on our side; send the request again");
  }
  const metadata = { ...(answered.value as object), client_id_metadata_document_supported: true };
  return respondJson(JSON.stringify(metadata));
}

/** The library's own headers for pages go: `openToPages` writes them, the same for every path. */
function withoutCors(response: Response): Response {
  const plain = new Response(response.body, response);
  const cors = Array.from(plain.headers.keys()).filter((name) => name.startsWith("access-control-"));
  for (const name of cors) plain.headers.delete(name);
  return plain;
}

const BUSY = "Another request refreshes the same token; send this one again";

function refuse(status: number, error: string, description: string): Response {
  const retry = status === 503 ? { "retry-after": "1" } : {};
  const json = JSON.stringify({ error, error_description: description });
  return respondJson(json, { status, headers: retry });
}
