import * as z from "zod/mini";

import { strictSchema, type Written } from "../../feature/schema.ts";
import { BROKEN_BECAUSE, CONNECTION_STATES } from "./connection.ts";
import type { SeenConnection } from "./shard-methods.ts";

/** A connection as it is shown: never a token. */
export const connectionSchema = /* @__PURE__ */ strictSchema("Connection", () => ({
  connection_id: z.string(),
  connector: z.string(),
  subject: z.string(),
  name: z.string(),
  state: z.enum(CONNECTION_STATES),
  because: z
    .optional(z.enum(BROKEN_BECAUSE))
    .check(
      z.describe(
        "Why it is broken: the provider takes its tokens no more; the answer to a refresh was lost; no key of the vault opens it",
      ),
    ),
  problem: z
    .optional(z.string())
    .check(z.describe("What keeps it from being renewed, where that is not the account's")),
  scopes: z.array(z.string()),
  account: z.nullable(z.string()).check(z.describe("Whose it is at the provider: an address or a login")),
  account_id: z
    .nullable(z.string())
    .check(z.describe("The provider's id of the account; where it gives none, one of each consent")),
  site: z.optional(z.string()).check(z.describe("The account's own part of the provider's addresses")),
  created_at: z.string(),
  connected_at: z.nullable(z.string()),
  link_expires_at: z
    .optional(z.string())
    .check(z.describe("When the link that would connect it, anew where it is not pending, ends")),
}));

export type WireConnection = Written<typeof connectionSchema>;

export function toWireConnection(seen: SeenConnection): WireConnection {
  return {
    connection_id: seen.id,
    connector: seen.connector,
    subject: seen.subject,
    name: seen.name,
    state: seen.state,
    ...(seen.brokenBecause !== null && { because: seen.brokenBecause }),
    ...(seen.clientRefused !== null && { problem: sayClientRefused(seen.connector, seen.clientRefused) }),
    scopes: [...seen.scopes],
    account: seen.account,
    account_id: seen.accountId,
    ...(seen.site !== null && { site: seen.site }),
    created_at: toTime(seen.createdAt),
    connected_at: seen.connectedAt === null ? null : toTime(seen.connectedAt),
    ...(seen.linkExpiresAt !== null && { link_expires_at: toTime(seen.linkExpiresAt) }),
  };
}

/** Say that a provider refuses the deployment's client. @param answer its status and word */
export function sayClientRefused(connector: string, answer: string): string {
  return `The provider of ${connector} refuses this deployment's client (${answer}), not this account: its operator has to look at VOLLEY_CONNECTORS.`;
}

export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
