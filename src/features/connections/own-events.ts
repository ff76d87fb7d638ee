import type { Notice } from "../../feature/gives.ts";
import { type Connection, stateOf } from "./connection.ts";

/** Tell of a connection that has become active or broken; null of one that never was anything. One change has one id, however often it is told. */
export function toConnectionNotice(connection: Connection): Notice | null {
  const { id, connector, subject, name, grant, updatedAt } = connection;
  if (grant === null) return null;
  const state = stateOf(connection);
  const at = grant.brokenBecause === null ? grant.connectedAt : updatedAt;
  return {
    id: `connection-${state}-${id}-${at}`,
    type: `volley.connection.${state}`,
    data: JSON.stringify({
      connection_id: id,
      connector,
      subject,
      name,
      state,
      because: grant.brokenBecause ?? undefined,
    }),
  };
}
