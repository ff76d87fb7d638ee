import type { Connector, OAuthConnector, Site } from "./connector.ts";

const PLACE = "{site}";

/** The sites of a connector that says no pattern of its own: names as in hosts. */
export const ANY_SITE: Site = {
  pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?){0,5}$/,
  inWords: "a name as in a host, such as 'acme'",
  fallback: null,
};

/** Whether some addresses depend on the account. */
export function needsSite(addresses: readonly (string | null)[]): boolean {
  return addresses.some((address) => address?.includes(PLACE) === true);
}

/** Whether the site is the end of an address's host, so that it could name anybody's. */
export function namesHost(address: string): boolean {
  return /^(?:https?:\/\/)?[^/]*\{site\}(?=[/:?#]|$)/.test(address);
}

/** Write a site into an address or a host. */
export function putSite(text: string, site: string, { texts }: Pick<Site, "texts"> = {}): string {
  return text.replaceAll(PLACE, texts?.[site] ?? site);
}

/** The connector as one account has it: with its site, or the one of all, in every address. */
export function atSite<C extends Connector>(connector: C, site?: string | null): C {
  if (connector.kind === "key" || connector.site === null) return connector;
  const known = site ?? connector.site.fallback;
  return known === null ? connector : { ...connector, ...addressesAt(connector, known) };
}

function addressesAt(connector: OAuthConnector, site: string): Partial<OAuthConnector> {
  const put = (text: string): string => putSite(text, site, connector.site!);
  const { authorizeUrl, tokenUrl, refreshUrl, revokeUrl, accountRequest, callback, origins } = connector;
  return {
    authorizeUrl: put(authorizeUrl),
    tokenUrl: put(tokenUrl),
    refreshUrl: put(refreshUrl),
    revokeUrl: revokeUrl === null ? null : put(revokeUrl),
    accountRequest: accountRequest === null ? null : { ...accountRequest, url: put(accountRequest.url) },
    callback: callback?.expected === undefined ? callback : { ...callback, expected: put(callback.expected) },
    origins: new Set([...origins].map(put)),
  };
}

/** Whether a connector's hosts have an origin, at whatever site. */
export function hasOrigin(connector: Connector, origin: string): boolean {
  if (connector.kind === "key" || connector.site === null) return connector.origins.has(origin);
  const { site, origins } = connector;
  return [...origins].some((one) => {
    const [before = "", after] = one.split(PLACE);
    if (after === undefined) return one === origin;
    if (!origin.startsWith(before) || !origin.endsWith(after)) return false;
    const written = origin.slice(before.length, origin.length - after.length);
    return site.texts === undefined
      ? site.pattern.test(written)
      : Object.values(site.texts).includes(written);
  });
}
