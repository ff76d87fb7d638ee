import { defineFeature } from "../../feature/define.ts";
import { accountsOfSubjects, FIELDS_OF_ACCOUNTS, findUsed, openBeforeCall } from "./http/accounts.ts";
import { confirmCode, confirmConnection } from "./http/say-who-came.ts";
import { deleteConnection, listConnections, showConnection } from "./http/routes.ts";
import { startConnection } from "./http/start-connection.ts";
import { createLinkPages } from "./http/link-pages.ts";
import { resealConnections } from "./http/reseal.ts";
import { sayAccounts } from "./http/say-accounts.ts";
import { CONNECTIONS_OF_TENANT } from "./http/connections-of-tenant.ts";
import { createConnectionShard } from "./objects/connection-shard.ts";

export interface ConnectionOptions {
  /** An account is used before the caller has said whose it is: in sandboxes alone, because a link may be opened by somebody else. */
  readonly confirmsItself?: boolean;
}

/**
 * People connect their accounts once, and tools use them for the subject that a request names. They are
 * kept in objects of the class `ConnectionShard`, bound as `CONNECTIONS`.
 */
export function connections({ confirmsItself = false }: ConnectionOptions = {}) {
  return defineFeature({
    name: "connections",
    needs: ["confirmations"],
    meets: ["accounts"],
    flags: { manage_connections: "Can manage connected accounts" },
    variables: { VOLLEY_CONNECTORS: {} },
    routes: () => [
      { for: ["operator"], paths: [resealConnections] },
      {
        for: ["manage_connections"],
        paths: [
          startConnection,
          listConnections,
          showConnection,
          deleteConnection,
          confirmConnection,
          confirmCode,
        ],
      },
      { for: "anyone", router: createLinkPages({ confirmsItself }) },
    ],
    tenantPart: CONNECTIONS_OF_TENANT,
    beforeCall: openBeforeCall,
    accountIds: async (...asked) => (await findUsed(...asked)).ids,
    fields: FIELDS_OF_ACCOUNTS,
    gives: { sayReach: sayAccounts, accounts: accountsOfSubjects },
    objects: {
      ConnectionShard: {
        binding: "CONNECTIONS",
        isOfTenant: true,
        create: (options) => createConnectionShard({ ...options, confirmsItself }),
      },
    },
  });
}
