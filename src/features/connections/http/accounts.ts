import type { Tool } from "../../../core/catalog/define-tool.ts";
import { type Origin, SUBJECT } from "../../../core/contract/gate/caller.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import type { Configured } from "../../../core/edge/configured.ts";
import type { Ports } from "../../../core/egress/ports.ts";
import type { Accounts, Execution } from "../../../core/gate/execution.ts";
import { withAccount } from "../../../core/gate/with-account.ts";
import { attempt, ok } from "../../../core/kit/result.ts";
import { connectorOf } from "../connectors/connector.ts";
import { shardOfSubject } from "../link-token.ts";
import {
  ACCOUNT_FIELDS,
  DEFAULT_NAME,
  digestOf,
  readSubjectHeader,
  takeSaid,
  toAccount,
} from "../subject.ts";
import { connect, openShards } from "./connect.ts";
import { connectionSetupOf } from "./connection-setup.ts";
import { calledBy, findMissing, missesAccounts } from "./missing-accounts.ts";

/** Open the accounts of a deployment's subjects. Throws where its variables cannot be read. */
export function openAccounts(configured: Configured): Accounts {
  const { connectors } = connectionSetupOf(configured);
  return {
    connect: (call) => connect(call, connectors),
    fields: ACCOUNT_FIELDS,
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
      const { caller, origin } = context;
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
    missing: ({ entries, dryRun, background }, execution) =>
      execution.origin.account?.parks === true && !dryRun && background === undefined
        ? findMissing(entries, execution, connectors)
        : undefined,
    async misses(tools, execution) {
      const missed = await Promise.all(tools.map((tool) => missesAccounts(tool, execution, connectors)));
      return missed.includes(true);
    },
    idsFor: (tools, execution) => findIds(tools, execution),
    awaited: (names, { origin, ports }) => lookAgain(names, origin, ports),
    of: (subject, { tenant, site }) =>
      SUBJECT.test(subject) ? { subject, digest: digestOf(tenant, subject), site } : null,
    originsOf: (name, tenant) => connectorOf(connectors, name, tenant)?.origins ?? null,
  };
}

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
  await attempt(() => openShards(origin, ports)(shardOfSubject(subject), (stub) => stub.awaited(places)));
}

async function findIds(
  tools: readonly Tool[],
  { origin, ports, catalog }: Pick<Execution, "origin" | "ports" | "catalog">,
): Promise<Readonly<Record<string, string>>> {
  const { account } = origin;
  const wanted = new Set(
    tools.flatMap((tool) =>
      calledBy(tool, catalog).flatMap(({ connection = {} }) => Object.keys(connection)),
    ),
  );
  if (account === undefined || wanted.size === 0) return {};
  const { subject, connections = {} } = account;
  const query = { subject, connector: null, after: null, limit: LIMITS.connectionsOfSubject };
  const kept = await openShards(origin, ports)(shardOfSubject(subject), (stub) => stub.list(query));
  const ids = kept.flatMap(({ connector, name, accountId }) =>
    accountId !== null && wanted.has(connector) && name === (connections[connector] ?? DEFAULT_NAME)
      ? [[connector, accountId] as const]
      : [],
  );
  return Object.fromEntries(ids.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
