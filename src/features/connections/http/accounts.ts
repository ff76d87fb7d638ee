import type { Tool } from "../../../feature/tool.ts";
import { type Account, NO_ACCOUNT, type Origin, OWN_ACCOUNT } from "../../../core/contract/gate/caller.ts";
import { SUBJECT, type SubjectAccounts, type UsedAccounts, withAccount } from "../../../feature/caller.ts";
import * as LIMITS from "../limits.ts";
import { type Configured, createSlot } from "../../../feature/define.ts";
import type { DeclaredFields } from "../../../cloudflare/declared.ts";
import type { Ports } from "../../../feature/outside.ts";
import type { BeforeCall, Execution } from "../../../core/gate/execution.ts";
import { attempt, err, ok } from "../../../feature/refuse.ts";
import { visibleText } from "../../../feature/schema.ts";
import { connectorOf } from "../connectors/connector.ts";
import { shardOfSubject } from "../../../core/contract/gate/caller.ts";
import { hasOrigin } from "../connectors/site.ts";
import {
  ACCOUNT_FIELDS,
  withAccountFields,
  DEFAULT_NAME,
  digestOf,
  readSubjectHeader,
  refuseReturn,
  takeSaid,
  toAccount,
} from "../subject.ts";
import { connectAsAsked, shardsOfCall } from "./connect.ts";
import { connectionSetupOf } from "./connection-setup.ts";
import { calledBy, findMissing, missesAccounts } from "./missing-accounts.ts";

/** Open what finds the accounts that calls use. Throws where its variables cannot be read. */
export function openBeforeCall(configured: Configured): BeforeCall {
  const { connectors } = connectionSetupOf(configured);
  return (call) => connectAsAsked(call, connectors);
}

/** The fields by which a caller says whose accounts are used. The header wins over the body, and a key that acts for one subject over both. */
export const FIELDS_OF_ACCOUNTS: DeclaredFields = {
  names: ACCOUNT_FIELDS,
  extend: withAccountFields,
  enter(request, context) {
    const header = readSubjectHeader(request);
    if (!header.ok) return header;
    if (header.value === null && context.caller.subject === undefined) return ok(context);
    const { origin: site } = new URL(request.url);
    const account = toAccount({
      caller: context.caller,
      site,
      ...(header.value !== null && { subject: header.value }),
    });
    return account.ok ? ok(withAccount(context, account.value)) : account;
  },
  read(sent, { request, context, code = "INVALID_BATCH", path = "" }) {
    const taken = takeSaid(sent, { code, path });
    if (!taken.ok) return taken;
    const { said, rest } = taken.value;
    if (rest === sent) return ok({ rest, context });
    const { caller, origin, configured } = context;
    const isAskedBack = said.return_to !== undefined;
    const origins = isAskedBack
      ? connectionSetupOf(configured as Configured).returnOrigins
      : new Set<string>();
    const refused = refuseReturn(said.return_to, origins, { code, path });
    if (refused !== null) return err(refused);
    const { origin: site } = new URL(request.url);
    const account = toAccount({ ...said, caller, before: origin.account, site });
    if (!account.ok) return account;
    return ok({
      rest,
      context:
        origin.account === undefined && account.value === undefined
          ? context
          : reopen(context, account.value),
    });
  },
};

/** Open what other features ask of them. */
export const accountsOfSubjects = createSlot((configured): SubjectAccounts => {
  const { connectors } = connectionSetupOf(configured);
  return {
    missing: ({ entries, dryRun, background }, execution) =>
      execution.origin.account?.parks === true && !dryRun && background === undefined
        ? findMissing(entries, execution, connectors)
        : undefined,
    async misses(tools, execution) {
      const missed = await Promise.all(tools.map((tool) => missesAccounts(tool, execution, connectors)));
      return missed.includes(true);
    },
    usedBy: findUsed,
    awaited: (names, { origin, ports }) => lookAgain(names, origin, ports),
    of: (subject, { tenant, site }) =>
      SUBJECT.test(subject) ? { subject, digest: digestOf(tenant, subject), site } : null,
    originsOf(name, tenant) {
      const connector = connectorOf(connectors, name, tenant);
      return connector === undefined ? null : { has: (origin) => hasOrigin(connector, origin) };
    },
  };
});

/** Its gate keeps the subject of a header apart already, and no body changes the subject. */
function reopen<C extends Parameters<typeof withAccount>[0]>(context: C, account: Origin["account"]): C {
  return context.origin.account === undefined
    ? withAccount(context, account)
    : { ...context, origin: { ...context.origin, account } };
}

/** Have the objects run what waits for accounts, where they are connected. */
async function lookAgain(
  names: readonly string[],
  origin: Pick<Origin, "tenant" | "account">,
  ports: Ports,
): Promise<void> {
  const { account } = origin;
  if (account === undefined) return;
  const { subject } = account;
  const places = names.map((connector) => ({
    subject,
    connector,
    name: account.connections?.[connector] ?? DEFAULT_NAME,
  }));
  await attempt(() => shardsOfCall(origin, ports)(shardOfSubject(subject)).awaited(places));
}

/** Find the accounts that calls of some tools would use now, as `SubjectAccounts` says. */
export async function findUsed(
  tools: readonly Tool[],
  { origin, ports, catalog }: Pick<Execution, "origin" | "ports" | "catalog">,
): Promise<UsedAccounts> {
  const wanted = tools.map((tool) => {
    const called = calledBy(tool, catalog).flatMap(({ accounts }) =>
      Object.keys(accounts?.scopes ?? {}).map((name) => [name, accounts?.isOptional === true] as const),
    );
    return [tool.name, [...new Map(called)]] as const;
  });
  const { account } = origin;
  const isAsked = account !== undefined && wanted.some(([, connectors]) => connectors.length > 0);
  const kept = isAsked ? await listOf(account, { origin, ports }) : [];
  const find = (connector: string, isOptional: boolean): readonly [id: string, name?: string] => {
    const name = account?.connections?.[connector] ?? DEFAULT_NAME;
    const found = kept.find((one) => one.connector === connector && one.name === name);
    if (found !== undefined && found.accountId !== null)
      return [found.accountId, visibleText(found.account ?? found.accountId, LIMITS.askedLineCharacters)];
    return found === undefined && isOptional ? [OWN_ACCOUNT, "the deployment's own account"] : [NO_ACCOUNT];
  };
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  for (const [tool, connectors] of wanted) {
    const used = connectors.flatMap(([connector, isOptional]) => {
      const [id, name] = find(connector, isOptional);
      if (account !== undefined) ids.set(connector, id);
      return name ?? [];
    });
    if (used.length > 0) names.set(tool, used.join(", "));
  }
  const inOrder = [...ids].sort(([one], [other]) => (one < other ? -1 : 1));
  return { ids: Object.fromEntries(inOrder), names: Object.fromEntries(names) };
}

async function listOf({ subject }: Account, { origin, ports }: Pick<Execution, "origin" | "ports">) {
  const query = { subject, connector: null, after: null, limit: LIMITS.connectionsOfSubject };
  return (await shardsOfCall(origin, ports)(shardOfSubject(subject)).list(query)).rows;
}
