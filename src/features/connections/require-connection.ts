import { ToolFailure } from "../../feature/tool.ts";
import { saySubject } from "../../core/contract/gate/caller.ts";
import type { ConnectionPlace } from "./connection.ts";
import { listWords } from "./list-words.ts";
import { toLinkPath } from "./link-token.ts";
import type { UseAnswer } from "./shard-methods.ts";
import { DEFAULT_NAME } from "./subject.ts";

type Required = Extract<UseAnswer, { kind: "required" }>;

interface Missing extends ConnectionPlace {
  readonly tenant: string;
  readonly site: string;
}

/** Make the failure of a call whose account is missing: for a model, and for the person who is shown the link. */
export function requireConnection(
  { because, missing, link, showsCode }: Required,
  where: Missing,
): ToolFailure {
  const { connector, name, site, tenant } = where;
  const subject = saySubject(where.subject);
  const which = name === DEFAULT_NAME ? connector : `${connector} ('${name}')`;
  const what = SAYINGS[because](which, missing);
  if (link === null)
    return new ToolFailure("CONNECTION_REQUIRED", {
      hint: `The tool uses an account of ${subject} at ${what}. The application connects it; send the action again then.`,
    });
  const until = new Date(link.expiresAt).toISOString().slice(11, 16);
  const connectUrl = `${site}${toLinkPath({ tenant, ...link })}`;
  const then = showsCode
    ? `The page shows a code in the end: ask for it and send it by confirm_connection, or the application does by POST /v1/connections/confirm. Send the action again then.`
    : "Send the action again when it is connected.";
  return new ToolFailure("CONNECTION_REQUIRED", {
    hint: `The tool uses an account of ${subject} at ${what}. Give ${subject} the link in 'connect_url', which is good once and until ${until} UTC. ${then}`,
    connectUrl,
  });
}

/** The failure where no subject is named, so that there is no person to ask. */
export function requireSubject(connector: string): ToolFailure {
  return new ToolFailure("CONNECTION_REQUIRED", {
    hint: `The tool uses an account at ${connector} of its subject, and the request names no subject. Only the application can: with 'subject', or the header Volley-Subject. Do without this tool until then.`,
  });
}

const SAYINGS: Readonly<Record<Required["because"], (which: string, missing: readonly string[]) => string>> =
  {
    missing: (which) => `${which}, and there is none`,
    pending: (which) => `${which}, which was begun to be connected and is not yet`,
    scopes: (which, missing) => `${which}, which may not do enough: it lacks ${listWords(missing)}`,
    revoked: (which) => `${which}, which the provider does not take any more`,
    refresh_lost: (which) => `${which}, whose last renewal was cut off, so that it has to be connected anew`,
    unreadable: (which) => `${which}, which cannot be opened any more, so that it has to be connected anew`,
  };
