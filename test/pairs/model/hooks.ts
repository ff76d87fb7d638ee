import { Webhook } from "standardwebhooks";

import type { Asked } from "./killable-volley.ts";

const SECRET = `whsec_${btoa("a secret of the model, 32 bytes.")}`;

/** How the flow of a tenant knows its sender. */
export const HOOK = { verify: "standard-webhooks", secret: "HOOK" } as const;

/** The variables that have the secret. */
export const HOOK_SECRETS = {
  VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["t0", "t1"], hosts: [] } }),
  HOOK: SECRET,
};

/** Sign a delivery as its sender does, each time that it sends it; other requests stay as they are. */
export function signDelivery(asked: Asked, nowMs: number): Asked {
  const { delivery, body } = asked;
  if (delivery === undefined) return asked;
  const at = new Date(nowMs);
  const headers = {
    "webhook-id": delivery,
    "webhook-timestamp": String(Math.floor(nowMs / 1_000)),
    "webhook-signature": new Webhook(SECRET).sign(delivery, at, JSON.stringify(body)),
  };
  return { ...asked, headers };
}
