import { err, ok, type Result } from "../../feature/refuse.ts";
import type { Connection, Returned, Visit } from "./connection.ts";

/** Send who came on to the issuer. Only where the link leads back to no application, which would say it. */
export function beginVisit(
  connection: Connection,
  now: number,
  { code, ...visit }: Visit & { readonly code: string },
): Result<Connection, "gone"> {
  const { link } = connection;
  const arrival = link?.arrival;
  if (link === null || now >= link.expiresAt || arrival?.code !== code) return err("gone");
  if (arrival.grant === null || link.returnTo !== null) return err("gone");
  return ok({ ...connection, updatedAt: now, link: { ...link, arrival: { ...arrival, visit } } });
}

/**
 * Take the text that came back from the issuer, once. The browser must be the one that went to the provider, whatever it says of itself:
 * else a person is led here who signs in for an account that another one has brought.
 */
export function endVisit(
  connection: Connection,
  now: number,
  { state, browser }: Returned,
): Result<{ readonly connection: Connection; readonly visit: Visit }, "gone" | "other-browser"> {
  const { link } = connection;
  const { visit, ...arrival } = link?.arrival ?? {};
  if (link === null || now >= link.expiresAt || visit?.state !== state) return err("gone");
  if (browser === null || browser !== link.opened?.browser) return err("other-browser");
  const left = { ...link, arrival: arrival as NonNullable<typeof link.arrival> };
  return ok({ connection: { ...connection, updatedAt: now, link: left }, visit });
}
