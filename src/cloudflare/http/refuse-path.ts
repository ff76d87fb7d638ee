import { makeRefusal, type Refusal } from "../../core/contract/refusal.ts";
import { nearest } from "../../core/kit/nearest.ts";
import { visibleText } from "../../core/kit/visible-text.ts";

/** A longer path is compared by its beginning. */
const COMPARED = 100;

/**
 * Refuse a path that is not here, with the one that may have been meant and its method.
 *
 * @param routes method and path of everything that is here, such as `GET /v1/jobs/:id`
 */
export function refusePath(request: Request, routes: readonly string[]): Refusal {
  const asked = new URL(request.url).pathname.replaceAll(/\/{2,}/g, "/").slice(0, COMPARED);
  const byPath = new Map<string, string[]>();
  for (const route of routes) {
    const [method = "", path = ""] = route.split(" ");
    if (!isNearWhereFixed(path, asked)) continue;
    const likely = fillIn(path, asked);
    byPath.set(likely, [...(byPath.get(likely) ?? []), `${method} ${toShown(path)}`]);
  }
  const [near] = nearest(asked, byPath.keys(), 1);
  const meant = near === undefined ? [] : byPath.get(near)!;
  const hint =
    meant.length === 0
      ? `No such path; POST /v1/execute_actions runs things${sayAllPaths(routes, ", and ")}`
      : `No such path; did you mean ${likeliest(meant, request.method)}?${sayAllPaths(routes, " ").replace(/^\.$/, "")}`;
  return makeRefusal("NOT_FOUND", hint);
}

/** End a sentence with the path that lists all others, where a Worker has it. */
export function sayAllPaths(routes: readonly string[], joint = "; "): string {
  return routes.includes(DOCUMENT) ? `${joint}${DOCUMENT} lists every path.` : ".";
}

const DOCUMENT = "GET /openapi.json";

/** @param making the route that makes what this path lists; absent where none does */
export function refuseMethod({ method }: Request, allowed: string, making?: string): Refusal {
  const hint = `This path answers ${allowed} only, and ${visibleText(method, 16)} came.`;
  const made = method === "POST" && making !== undefined ? ` ${toShown(making)} makes one.` : "";
  return makeRefusal("METHOD_NOT_ALLOWED", hint + made);
}

/** A path with what was asked for in place of its parameters, so that only what is fixed is compared. */
function fillIn(path: string, asked: string): string {
  const sent = asked.split("/");
  return path
    .split("/")
    .map((part, at) => (part.startsWith(":") ? (sent[at] ?? part) : part))
    .join("/");
}

/** Whether a path is near without its parameters, in whose places anything may stand. */
function isNearWhereFixed(path: string, asked: string): boolean {
  const parts = path.split("/");
  const sent = asked.split("/").filter((_, at) => !parts[at]?.startsWith(":"));
  const fixed = parts.filter((part) => !part.startsWith(":"));
  return nearest(sent.join("/"), [fixed.join("/")]).length > 0;
}

function toShown(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

/** The route with the method that came, where there is one: who sends a POST means to post. */
function likeliest(routes: readonly string[], method: string): string {
  return routes.find((route) => route.startsWith(`${method} `)) ?? routes[0]!;
}
