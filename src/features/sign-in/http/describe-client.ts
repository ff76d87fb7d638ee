import type { AuthRequest } from "@cloudflare/workers-oauth-provider";

import type { ShownClient } from "../page/consent-page.ts";
import { voucherOf } from "./oauth-server.ts";
import type { Step } from "./visit-steps.ts";

/** Describe the program that asks, as the pages show it. */
export async function describeClient({ oauth }: Step, asked: AuthRequest): Promise<ShownClient> {
  const { clientName, redirectHost, redirectIsLoopback } = await oauth.describeConsent(asked);
  const { protocol, hostname } = new URL(asked.redirectUri);
  const isApp = !/^https?:$/.test(protocol);
  return {
    name: clientName,
    redirectHost: isApp ? `${protocol}//${hostname}` : redirectHost,
    opens: isApp ? "app" : redirectIsLoopback ? "program" : "site",
    voucher: voucherOf(asked.clientId),
  };
}
