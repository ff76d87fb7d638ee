import * as LIMITS from "../../../core/contract/limits.ts";
import type { SayReach } from "../../../core/edge/feature.ts";
import { shardOfSubject } from "../link-token.ts";
import { listWords } from "../list-words.ts";
import { DEFAULT_NAME } from "../subject.ts";
import { connectionDeskOf } from "./connection-desk.ts";

/** Say to a person who is asked about a call which accounts of its subject it would use. */
export const sayAccounts: SayReach = async ({ tool: name }, { catalog, origin, caller, configured }) => {
  const connectors = Object.keys(catalog.get(name)?.connection ?? {});
  const { account } = origin;
  const ask = connectionDeskOf(configured).open(caller);
  if (connectors.length === 0 || account === undefined || !ask.ok) return null;
  const { subject, connections = {} } = account;
  const query = { subject, connector: null, after: null, limit: LIMITS.connectionsOfSubject };
  const kept = await ask.value(shardOfSubject(subject), (shard) => shard.list(query));
  const said = connectors.map((connector) => {
    const wanted = connections[connector] ?? DEFAULT_NAME;
    const found = kept.find((one) => one.connector === connector && one.name === wanted);
    const whose =
      found?.state === "active" ? (found.account ?? "one whose name is not known") : "none is connected";
    return `${subject}'s account at ${connector} (${whose})`;
  });
  return `It uses ${listWords(said)}.`;
};
