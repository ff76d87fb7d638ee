import type { ToolContext } from "../../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../../feature/tool.ts";
import { toBasic } from "../../../core/kit/base64.ts";
import { type Auth, type ConnectionAuth, connectorOf, isConnection, secretsOf } from "./declaration.ts";

/** The part of a request that tells its upstream who the caller is. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** Find the sender of a call's requests: the tool's own `fetch`, or that of the subject's account, which adds the credentials. */
export function senderOf(
  auth: Auth | ConnectionAuth | undefined,
  ctx: Pick<ToolContext, "fetch" | "connection">,
): Pick<ToolContext, "fetch"> {
  return isConnection(auth) ? ctx.connection(connectorOf(auth)) : ctx;
}

/** The characters of a header's value (RFC 9110, 5.5), without Latin-1, which few servers read alike. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Read the secret of a call and say where it stands; nothing of one that uses an account. A line break at its end is a slip and is dropped; anything else that no
 * header can carry is for the operator to repair, so it is `MISCONFIGURED` and not the caller's arguments.
 */
export function readAuth(
  auth: Auth | ConnectionAuth | undefined,
  ctx: Pick<ToolContext, "secret">,
): Credentials {
  const parts = secretsOf(auth).map((one) => readSecret(one, ctx));
  return {
    headers: Object.fromEntries(parts.flatMap(({ headers }) => Object.entries(headers))),
    query: Object.fromEntries(parts.flatMap(({ query }) => Object.entries(query))),
  };
}

function readSecret({ secret: name, as }: Omit<Auth, "also">, ctx: Pick<ToolContext, "secret">): Credentials {
  const secret = ctx.secret(name).trim();
  if (typeof as === "object" && "query" in as) return { headers: {}, query: { [as.query]: secret } };
  const [header, value] =
    typeof as === "object"
      ? [as.header, secret]
      : ["authorization", as === "basic" ? toBasic(secret) : `Bearer ${secret}`];
  if (HEADER_VALUE.test(value) && secret !== "") return { headers: { [header]: value }, query: {} };
  throw new ToolFailure("MISCONFIGURED", {
    hint: `The secret ${name} is empty or holds characters that no header can; its operator has to set it anew. Do without this tool until then.`,
  });
}
