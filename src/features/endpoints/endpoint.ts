import type { EndpointSettings } from "./endpoint-schema.ts";

/** The binding of the objects that keep endpoints and deliver to them. */
export const ENDPOINT_SHARDS = "ENDPOINT_SHARDS";

/** A secret that signs, sealed where the deployment has a key. It is kept, and no digest of it, because each attempt is signed anew. */
export interface SigningSecret {
  readonly secret: string;
  /** When it signs no more because another takes its place; null while none does. */
  readonly endsAt: number | null;
}

/** How the attempts at an endpoint go. */
export interface EndpointHealth {
  /** When the first of the attempts failed since which none got through; null where the last one did. */
  readonly failingSince: number | null;
  /** When the last one of them failed, roughly: written down only where it decides something. */
  readonly failedLast: number | null;
  readonly disabled: { readonly at: number; readonly because: DisabledBecause } | null;
}

export const DISABLED_BECAUSE = ["gone", "asked", "failing"] as const;
/** 410; the header `webhook-delivery: disable`; days of failures. */
export type DisabledBecause = (typeof DISABLED_BECAUSE)[number];

/** An endpoint as the object keeps it that delivers to it. */
export interface KeptEndpoint extends EndpointSettings, EndpointHealth {
  readonly id: string;
  /** Its number in the tenant: another endpoint of the same id, later, has another one. */
  readonly no: number;
  readonly secrets: readonly SigningSecret[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The place of the first event that its customer may see: what came before was another's. */
  readonly ownFrom?: number | undefined;
}

export const ENDPOINT_STATES = ["active", "paused", "disabled"] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

export const HEALTHY: EndpointHealth = { failingSince: null, failedLast: null, disabled: null };

/** Say whether an endpoint gets anything. */
export function stateOf({ paused, disabled }: Pick<KeptEndpoint, "paused" | "disabled">): EndpointState {
  if (disabled !== null) return "disabled";
  return paused ? "paused" : "active";
}

/** The secrets that sign now, the newest first. */
export function secretsAt({ secrets }: Pick<KeptEndpoint, "secrets">, nowMs: number): readonly string[] {
  return secrets.filter(({ endsAt }) => endsAt === null || endsAt > nowMs).map(({ secret }) => secret);
}

/** Put another secret in the place of those that sign, which go on for an overlap. */
export function rotateSecrets(
  { secrets }: Pick<KeptEndpoint, "secrets">,
  nowMs: number,
  { secret, overlapMs, most }: { readonly secret: string; readonly overlapMs: number; readonly most: number },
): readonly SigningSecret[] {
  const until = nowMs + overlapMs;
  const former = secrets
    .map((one) => ({ ...one, endsAt: Math.min(one.endsAt ?? until, until) }))
    .filter(({ endsAt }) => endsAt > nowMs);
  return [{ secret, endsAt: null }, ...former].slice(0, most);
}
