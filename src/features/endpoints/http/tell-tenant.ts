import type { Notice, Told } from "../../../core/contract/gate/notice.ts";
import type { Configured } from "../../../cloudflare/configured.ts";
import { openDirectory } from "../objects/endpoint-objects.ts";

/** Tell a tenant of itself: its directory publishes what an endpoint asks for. */
export async function tellTenant(
  notices: readonly Notice[],
  told: Told,
  configured: Configured,
): Promise<void> {
  const opened = openDirectory(told, configured);
  // Without objects there is no endpoint that could ask.
  if (opened.ok) await opened.value.tell(notices);
}
