import { type Configured, defineFeature } from "../../feature/define.ts";
import { VAULT_KEY, readVaultKeys } from "../../cloudflare/vault.ts";
import type { Notice, Told } from "../../feature/gives.ts";
import { ENDPOINTS } from "./publishing.ts";
import { ENDPOINT_ENDPOINTS, resealEndpoints } from "./http/routes.ts";
import { EVENT_TYPE_ENDPOINTS } from "./http/event-types.ts";
import { EVENT_ENDPOINTS } from "./http/events.ts";
import { publishBatch } from "./http/publish-batch.ts";
import { PORTAL_LINK_ENDPOINTS } from "./http/portal-links.ts";
import { readPortalSettings } from "./http/portal-page.ts";
import { createPortal } from "./http/portal.ts";
import { sayEndpoints } from "./http/say-reach.ts";
import { ENDPOINTS_OF_TENANT } from "./http/export-endpoints.ts";
import { createEndpointDirectory } from "./objects/endpoint-directory.ts";
import { openDirectory } from "./objects/endpoint-objects.ts";
import { createEndpointShard } from "./objects/endpoint-shard.ts";
import { createEndpointsPart } from "./objects/publish-from-gate.ts";
import { PORTAL } from "./portal-settings.ts";

/**
 * Webhooks to a tenant's customers: events are published, and delivered to the endpoints that ask for them. They are kept in objects of
 * the classes `EndpointDirectory` and `EndpointShard`, bound as `ENDPOINTS` and `ENDPOINT_SHARDS`.
 */
export function endpoints() {
  return defineFeature({
    name: "endpoints",
    needs: ["added-tools"],
    flags: { manage_endpoints: "Can manage endpoints and publish events" },
    variables: {
      [PORTAL]: { read: readPortalSettings },
      [VAULT_KEY]: { read: readVaultKeys, isShared: true },
    },
    bindings: [ENDPOINTS],
    routes: () => [
      { for: ["operator"], paths: [resealEndpoints] },
      {
        for: ["manage_endpoints"],
        paths: [
          ...ENDPOINT_ENDPOINTS,
          publishBatch,
          ...EVENT_ENDPOINTS,
          ...EVENT_TYPE_ENDPOINTS,
          ...PORTAL_LINK_ENDPOINTS,
        ],
      },
      { for: "anyone", router: createPortal() },
    ],
    gives: { sayReach: sayEndpoints, tell: tellTenant },
    tenantPart: ENDPOINTS_OF_TENANT,
    objectPart: (deploymentOf) =>
      createEndpointsPart((env, tenant) =>
        env[ENDPOINTS] === undefined
          ? undefined
          : async (notices) => {
              const deployment = deploymentOf(env);
              const { jurisdiction } = deployment.runnerOf(tenant) ?? {};
              await tellTenant(notices, { tenant, jurisdiction }, deployment.configured);
            },
      ),
    objects: {
      EndpointDirectory: { binding: ENDPOINTS, isOfTenant: true, create: createEndpointDirectory },
      EndpointShard: { binding: "ENDPOINT_SHARDS", create: createEndpointShard },
    },
  });
}

/** Tell a tenant of itself: its directory publishes what an endpoint asks for. */
async function tellTenant(notices: readonly Notice[], told: Told, configured: Configured): Promise<void> {
  const opened = openDirectory(told, configured);
  // Without objects there is no endpoint that could ask.
  if (opened.ok) await opened.value.tell(notices);
}
