/** A place of the console: a section, one thing in it where an id is given, and what a list is filtered by. */
export interface Route {
  /** Null where the address names none: one starts at the first that the Worker has. It may be the name of no section. */
  readonly section: string | null;
  readonly id: string | null;
  readonly query: URLSearchParams;
}

/**
 * Read the part of an address behind `#`: `#/jobs/ID`, `#/jobs?status=dead`. The section may be none of those that there are.
 */
export function parseRoute(hash: string, sections: readonly string[]): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [section, ...rest] = path.split("/");
  const known = sections.find((name) => name === section);
  const id = known === undefined ? "" : decode(rest.join("/"));
  return {
    section: known ?? (path === "" ? null : path),
    id: id === "" ? null : id,
    query: new URLSearchParams(query),
  };
}

/** Write a place as the `href` of a link. */
export function hrefTo(
  section: string,
  id: string | null = null,
  query: Record<string, string> = {},
): string {
  const set = Object.entries(query).filter(([, value]) => value !== "");
  const search = set.length === 0 ? "" : `?${new URLSearchParams(set).toString()}`;
  return `#/${section}${id === null ? "" : `/${encodeURIComponent(id)}`}${search}`;
}

/** Read what was percent-encoded; a `%` that somebody typed is one. */
function decode(text: string): string {
  return new URLSearchParams(`text=${text.replaceAll("+", "%2B").replaceAll("&", "%26")}`).get("text")!;
}
