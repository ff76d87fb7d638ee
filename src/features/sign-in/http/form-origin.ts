import type { AuthRequest } from "@cloudflare/workers-oauth-provider";

import { attemptNow } from "../../../core/kit/result.ts";

/** The origin that a form's answer leads to, as a policy may name it; null for one that could say more in a policy than its name. */
export function formOriginOf({ redirectUri }: AuthRequest): string | null {
  const url = attemptNow(() => new URL(redirectUri));
  if (!url.ok) return null;
  const { origin, protocol, hostname } = url.value;
  // A policy names an app by its scheme alone; schemes of the web that are neither http nor https have an origin.
  if (origin === "null" || hostname.startsWith("["))
    return /^[a-z][a-z0-9+.-]*:$/.test(protocol) ? protocol : null;
  return /^https?:\/\/[a-z0-9._-]+(?::\d+)?$/.test(origin) ? origin : null;
}
