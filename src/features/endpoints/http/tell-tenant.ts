import type { Notice, Told } from "../../../core/contract/gate/notice.ts";
import type { Configured } from "../../../cloudflare/configured.ts";
import { endpointDeskOf } from "./endpoint-desk.ts";

/** Tell a tenant of itself: its directory publishes what an endpoint asks for. */
export async function tellTenant(
  notices: readonly Notice[],
  { tenant, jurisdiction }: Told,
  configured: Configured,
): Promise<void> {
  const opened = endpointDeskOf(configured).open({
    tenant,
    ...(jurisdiction !== undefined && { jurisdiction }),
  });
  // Without objects there is no endpoint that could ask.
  if (opened.ok) await opened.value((directory) => directory.tell(notices));
}
