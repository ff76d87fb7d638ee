import { openShards } from "../objects/connection-shards.ts";
import { saySubject, shardOfSubject } from "../../../core/contract/gate/caller.ts";
import * as LIMITS from "../limits.ts";
import type { SayReach } from "../../../feature/gives.ts";
import { listWords } from "../list-words.ts";
import { DEFAULT_NAME } from "../subject.ts";

/** Say to a person who is asked about a call which accounts it would use: those of its subject, or the deployment's own. */
export const sayAccounts: SayReach = async ({ tool: name }, { catalog, origin, caller, configured }) => {
  const tool = catalog.get(name);
  const connectors = Object.keys(tool?.accounts?.scopes ?? {});
  if (connectors.length === 0) return null;
  const { account } = origin;
  const isOptional = tool?.accounts?.isOptional === true;
  if (account === undefined) return isOptional ? `It uses ${listWords(connectors.map(sayOwn))}.` : null;
  const shards = openShards(caller, configured);
  if (!shards.ok) return null;
  const { subject, connections = {} } = account;
  const query = { subject, connector: null, after: null, limit: LIMITS.connectionsOfSubject };
  const { rows: kept } = await shards.value(shardOfSubject(subject)).list(query);
  const person = saySubject(subject);
  const said = connectors.map((connector) => {
    const wanted = connections[connector] ?? DEFAULT_NAME;
    const found = kept.find((one) => one.connector === connector && one.name === wanted);
    if (found === undefined && isOptional) return `${sayOwn(connector)} (${person} has connected none)`;
    const whose =
      found?.state === "active" ? (found.account ?? "one whose name is not known") : "none is connected";
    return `${person}'s account at ${connector} (${whose})`;
  });
  return `It uses ${listWords(said)}.`;
};

function sayOwn(connector: string): string {
  return `the deployment's own account at ${connector}`;
}
