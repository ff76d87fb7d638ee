import { HonoBase } from "hono/hono-base";
import type { Params, Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";

import type { Watch } from "../../core/observe/watch.ts";
import type { Deployment } from "../deployed.ts";
import type { Dialect } from "./dialect.ts";
import type { RequestContext } from "./request-context.ts";

/** The facts of a request that middleware finds out for the handlers after it. */
export interface Variables {
  /** Has the request's id, and sees it for the log. */
  watch: Watch;
  /** How the request's path says no; null as a problem document. */
  dialect: Dialect | null;
  /** Behind the refusal of our own requests. */
  deployment: Deployment;
  /** Behind the key: its caller, and everything that is done for one. */
  context: RequestContext;
}

/** The environment and variables of its handlers. */
export interface RouterTypes {
  /** Finds what serves the request: the routes themselves are those of every Worker with the same features. */
  Bindings: () => Deployment;
  Variables: Variables;
}

/** A router of the surface. */
export type Router = HonoBase<RouterTypes>;

/** Create a router. It has one way to match, instead of the usual two to choose from: they are 2 KB of the bundle. */
export function createRouter(): Router {
  return new HonoBase<RouterTypes>({ router: new OnceRouter() });
}

/**
 * Matches a route once. The trie gives it twice where an address has the route's own `*` or `:id` in it, and its middleware would
 * count such a request twice.
 */
class OnceRouter<T> extends TrieRouter<T> {
  /** Those that no request has asked for: a router whose routes become another's is asked for none. */
  readonly #added: [method: string, path: string, handler: T][] = [];

  override add(...route: [method: string, path: string, handler: T]): void {
    this.#added.push(route);
  }

  override match(method: string, path: string): Result<T> {
    for (const route of this.#added.splice(0)) super.add(...route);
    const [handlers] = super.match(method, path) as [[T, Params][]];
    // They come in the order in which they were added.
    return [handlers.filter(([handler], at) => handler !== handlers[at - 1]?.[0])];
  }
}
