/** The form of a portal link's token: its tenant, which says where to look for it, and what cannot be guessed. */
const TOKEN = /^vpl_([A-Za-z0-9_.-]{1,64})_([0-9a-f]{64})$/;

/** Make a token. @param random 32 unguessable bytes */
export function makePortalToken(tenant: string, random: Uint8Array): string {
  return `vpl_${tenant}_${[...random].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The tenant of a token; null where a text is none. */
export function tenantOfToken(token: string): string | null {
  return TOKEN.exec(token)?.[1] ?? null;
}
