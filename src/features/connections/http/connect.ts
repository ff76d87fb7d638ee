import type { ToolAccount, ToolContext } from "../../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../../feature/tool.ts";
import { type Origin, OWN_ACCOUNT, saySubject, shardOfSubject } from "../../../core/contract/gate/caller.ts";
import type { Ports } from "../../../feature/outside.ts";
import type { BeforeCall } from "../../../core/gate/execution.ts";
import { sha256 } from "../../../feature/kit.ts";
import { attempt } from "../../../feature/refuse.ts";
import { type Connector, connectorOf, type Connectors } from "../connectors/connector.ts";
import { atSite } from "../connectors/site.ts";
import { withCredentials } from "../credentials.ts";
import { type Shards, shardsIn } from "../objects/connection-shards.ts";
import { requireConnection, requireSubject } from "../require-connection.ts";
import { CONNECTIONS, type UseAnswer } from "../shard-methods.ts";
import { DEFAULT_NAME } from "../subject.ts";

/** @property isLook the account is only looked for: no link is made */
type Wish = Parameters<BeforeCall>[0] & { readonly isLook?: true };

/** The account of one connector, for one call. */
interface Used {
  readonly connector: Connector;
  readonly access: string;
  readonly account: string | null;
  readonly accountId: string;
  readonly site: string | null;
}

/** Find the accounts that a call's tool declares. Rejects with a `ToolFailure` where there is not what it needs. */
export async function connect(wish: Wish, connectors: Connectors): ReturnType<BeforeCall> {
  const { tool, origin, ports } = wish;
  const found = await Promise.all(
    Object.entries(tool.accounts?.scopes ?? {}).map(async ([name, scopes]) => {
      const connector = findConnector(name, { tool, origin }, connectors);
      const used = connector === null ? null : await use(connector, scopes, wish);
      return [name, used] as const;
    }),
  );
  const byName = new Map(found);
  return {
    secrets: found.flatMap(([, used]) => used?.access ?? []),
    accountIds: Object.fromEntries(
      found.flatMap(([name, used]) => {
        const id = used?.accountId ?? (origin.account && OWN_ACCOUNT);
        return id === undefined ? [] : [[name, id]];
      }),
    ),
    open(name, call) {
      if (!byName.has(name))
        throw new Error(`Cannot use the connection '${name}': tool '${tool.name}' does not declare it`);
      const used = byName.get(name) ?? null;
      return used === null ? notConnected(name, origin) : toConnection(used, { call, tool, origin, ports });
    },
  };
}

/** Find the accounts that a call uses: those that it was asked for, where its question names them. */
export async function connectAsAsked(wish: Wish, connectors: Connectors): ReturnType<BeforeCall> {
  const connected = await connect(wish, connectors);
  const { ids: meant = {} } = wish.origin.account ?? {};
  const { accountIds } = connected;
  const other = Object.keys(wish.tool.accounts?.scopes ?? {}).find(
    (name) => name in meant && meant[name] !== accountIds[name],
  );
  if (other === undefined) return connected;
  throw new ToolFailure("CONNECTION_REQUIRED", {
    hint: `The account at ${other} that this was to use is not the one that is connected now; nothing was sent. Ask for the action anew to use that one.`,
  });
}

function findConnector(
  name: string,
  { tool, origin }: Pick<Wish, "tool" | "origin">,
  connectors: Connectors,
): Connector | null {
  const connector = connectorOf(connectors, name, origin.tenant);
  if (connector !== undefined) return connector;
  if (tool.accounts?.isOptional === true) return null;
  throw new ToolFailure("MISCONFIGURED", {
    hint: `The deployment has no connector ${name} for this tenant; its operator adds it to VOLLEY_CONNECTORS. Do without this tool until then.`,
  });
}

async function use(connector: Connector, scopes: readonly string[], wish: Wish): Promise<Used | null> {
  const { tool, origin } = wish;
  const isOptional = tool.accounts?.isOptional === true;
  if (origin.account === undefined) {
    if (isOptional) return null;
    throw requireSubject(connector.name);
  }
  // Where that was meant, an account that was connected since is not.
  if (isOptional && origin.account.ids?.[connector.name] === OWN_ACCOUNT) return null;
  let answer = await askToken(connector, scopes, isOptional ? { ...wish, isLook: true } : wish);
  if (isOptional && answer.kind === "required") {
    if (answer.because === "missing") return null;
    // One that is there and does not work is not passed over: the call would use another account than is meant.
    answer = await askToken(connector, scopes, wish);
  }
  if (answer.kind === "token") {
    const { access, account, accountId, site, connectedAt = 0 } = answer;
    const { ids, usedAt = connectedAt } = origin.account;
    if (tool.isWrite !== false && connectedAt > usedAt && ids?.[connector.name] === undefined)
      throw new ToolFailure("CONNECTION_REQUIRED", {
        hint: `The account at ${connector.name} was connected after an attempt began of which nothing was heard, and which may have used another one; nothing was sent. Look there before you ask for it anew.`,
      });
    return { connector: atSite(connector, site), access, account, accountId, site: site ?? null };
  }
  throw toFailure(answer, { connector, origin, before: "Nothing was sent" });
}

/** Ask the subject's object for a token. @param refused the digest of one that the service did not take */
async function askToken(
  connector: Connector,
  scopes: readonly string[],
  { origin, ports, isLook }: Wish,
  refused?: string,
): Promise<UseAnswer> {
  const { subject, connections, returnTo } = origin.account!;
  const name = connections?.[connector.name] ?? DEFAULT_NAME;
  const wish = {
    subject,
    connector: connector.name,
    name,
    scopes,
    ...(refused !== undefined && { refused }),
    ...(isLook === true && { isLook }),
    returnTo,
  };
  const asked = await attempt(() => shardsOfCall(origin, ports)(shardOfSubject(subject)).token(wish));
  return asked.ok ? asked.value : { kind: "failed", retryAfterMs: 0 };
}

/** Open the objects of a tenant, as a call reaches them. */
export function shardsOfCall({ tenant }: Pick<Origin, "tenant">, ports: Ports): Shards {
  const binding = ports.binding(CONNECTIONS);
  if (binding === undefined)
    throw new ToolFailure("MISCONFIGURED", {
      hint: `The deployment keeps no connections; its operator has to bind the class ConnectionShard as ${CONNECTIONS}. Do without this tool until then.`,
    });
  return shardsIn(binding, tenant, ports.clock);
}

/** Say why there is no token. @param before what had become of the call by then */
function toFailure(
  answer: Exclude<UseAnswer, { kind: "token" }>,
  {
    connector,
    origin,
    before,
  }: { readonly connector: Connector; readonly origin: Origin; readonly before: string },
): ToolFailure {
  switch (answer.kind) {
    case "required": {
      const { subject, connections, site } = origin.account!;
      const name = connections?.[connector.name] ?? DEFAULT_NAME;
      return requireConnection(answer, {
        connector: connector.name,
        tenant: origin.tenant,
        subject,
        name,
        site,
      });
    }
    case "misconfigured":
      return new ToolFailure("MISCONFIGURED", {
        hint: `The provider ${connector.name} does not know this deployment; its operator has to look at VOLLEY_CONNECTORS. Do without this tool until then.`,
      });
    case "failed":
      return new ToolFailure("UPSTREAM_ERROR", {
        hint: `${before}: the account at ${connector.name} could not be renewed just now. Trying again may help.`,
        ...(answer.retryAfterMs > 0 && { retryAfterMs: answer.retryAfterMs }),
      });
    case "kept-back":
      return new ToolFailure("CIRCUIT_OPEN", {
        hint: `${before}: the provider ${connector.name} renews no accounts just now, so it was not asked. Try again in ${Math.ceil(answer.retryAfterMs)} ms, or do without it.`,
        retryAfterMs: answer.retryAfterMs,
      });
  }
}

const REFUSED = "The service did not take the account's token";

function notConnected(name: string, { account }: Origin): ToolAccount {
  return {
    isConnected: false,
    account: null,
    accountId: null,
    site: null,
    fetch: () =>
      Promise.reject(
        account === undefined
          ? requireSubject(name)
          : new ToolFailure("CONNECTION_REQUIRED", {
              hint: `${saySubject(account.subject)} has connected no account at ${name}.`,
            }),
      ),
  };
}

function toConnection(
  { connector, access: first, account, accountId, site }: Used,
  { call, ...wish }: Wish & { readonly call: Pick<ToolContext, "fetch" | "conceal"> },
): ToolAccount {
  const { origin } = wish;
  let access = first;
  const scopes = wish.tool.accounts?.scopes[connector.name] ?? [];
  const renew = async (): Promise<boolean> => {
    const answer = await askToken(connector, scopes, wish, sha256(access));
    if (answer.kind !== "token") throw toFailure(answer, { connector, origin, before: REFUSED });
    if (answer.accountId !== accountId) throw otherAccount(connector.name);
    if (answer.access === access) return false;
    access = answer.access;
    call.conceal(access);
    return true;
  };
  return {
    isConnected: true,
    account,
    accountId,
    site,
    async fetch(url, request = {}) {
      const send = () => {
        const sent = withCredentials(connector, access, { url, request });
        return call.fetch(sent.url, sent.request);
      };
      const sent = access;
      const answered = await attempt(send);
      if (answered.ok) return answered.value;
      // A service that does not take the token has done nothing. Another call may have renewed it meanwhile.
      if (!isRefused(answered.error) || (access === sent && !(await renew()))) throw answered.error;
      return send();
    },
  };
}

/** Refuse to go on with another account than the one that the call began with. */
function otherAccount(connector: string): ToolFailure {
  return new ToolFailure("CONNECTION_REQUIRED", {
    hint: `${REFUSED}, and another account is connected at ${connector} by now; nothing was sent with that one. Ask for the action anew to use it.`,
  });
}

function isRefused(error: unknown): boolean {
  return error instanceof ToolFailure && error.failure.upstreamStatus === 401;
}
