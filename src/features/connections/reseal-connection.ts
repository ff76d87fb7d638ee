import type { Connection, Grant, Link } from "./connection.ts";

/** Seals a text anew, for the same connection and use; gives it back as it was where that need not be, or no key opens it. */
export type SealAgain = (sealed: string, use: "tokens" | "link" | "verifier" | "visit") => Promise<string>;

/** Seal anew all that a connection keeps: its tokens, and what is under way of a link. */
export async function resealConnection(connection: Connection, again: SealAgain): Promise<Connection> {
  const { grant, link } = connection;
  return {
    ...connection,
    grant: grant === null ? null : await resealGrant(grant, again),
    link: link === null ? null : await resealLink(link, again),
  };
}

async function resealGrant(grant: Grant, again: SealAgain): Promise<Grant> {
  const { sealed, before } = grant;
  return {
    ...grant,
    sealed: await again(sealed, "tokens"),
    before: before === null ? null : await again(before, "tokens"),
  };
}

async function resealLink(link: Link, again: SealAgain): Promise<Link> {
  const { sealed, opened, arrival } = link;
  const { grant = null, visit } = arrival ?? {};
  return {
    ...link,
    sealed: await again(sealed, "link"),
    opened: opened === null ? null : { ...opened, verifier: await again(opened.verifier, "verifier") },
    arrival:
      arrival === null
        ? null
        : {
            ...arrival,
            grant: grant === null ? null : await resealGrant(grant, again),
            ...(visit !== undefined && { visit: { ...visit, kept: await again(visit.kept, "visit") } }),
          },
  };
}
