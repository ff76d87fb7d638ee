import type { Endpoint } from "../../../cloudflare/openapi/endpoint.ts";
import { confirmConnection } from "./confirm-connection.ts";
import { deleteConnection } from "./delete-connection.ts";
import { listConnections } from "./list-connections.ts";
import { showConnection } from "./show-connection.ts";
import { startConnection } from "./start-connection.ts";

/** Connections, for keys that manage them. */
export const CONNECTION_ENDPOINTS: readonly Endpoint[] = [
  startConnection,
  listConnections,
  showConnection,
  deleteConnection,
  confirmConnection,
];
