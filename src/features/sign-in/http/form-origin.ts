import type { AuthRequest } from "@cloudflare/workers-oauth-provider";

import { attemptNow } from "../../../core/kit/result.ts";

/** The origin that a form's answer leads to, as a policy may name it; null for one that could say more in a policy than its name. */
export function formOriginOf({ redirectUri }: AuthRequest): string | null {
  const url = attemptNow(() => new URL(redirectUri));
  if (!url.ok) return null;
  const { origin, protocol, hostname } = url.value;
  if (hostname.startsWith("[")) return protocol;
  return /^https?:\/\/[a-z0-9._-]+(?::\d+)?$/.test(origin) ? origin : null;
}
