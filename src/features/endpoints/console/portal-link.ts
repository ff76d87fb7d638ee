import { keepKey } from "../../../console/kit/session.ts";

/**
 * Take the token of a link from the address. It is kept in this tab, and gone from the address and its history, so that no one reads it
 * there or sends it on with it.
 */
export function takeToken(): boolean {
  const [, token] = /^#token=([A-Za-z0-9_.-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return false;
  keepKey(token);
  history.replaceState(null, "", location.pathname);
  return true;
}
