import * as z from "zod/mini";

import * as LIMITS from "../../core/contract/limits.ts";
import { strictSchema } from "../../core/contract/lazy-schema.ts";
import { ok } from "../../core/kit/result.ts";
import type { Caller } from "../../core/contract/gate/caller.ts";
import { askGate } from "../http/ask-gate.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondJson } from "../http/respond.ts";
import type { Route } from "../openapi/route.ts";

/** The counts of one part of a tenant's objects. */
export interface ResealedPart {
  readonly sealed: number;
  readonly unreadable: number;
  /** Some of this part are still under another key. */
  readonly more: boolean;
}

/** The secrets that are sealed anew, and the words for them. */
export interface Resealing {
  readonly route: Route["route"];
  readonly id: string;
  readonly schemaId: string;
  readonly tag: string;
  readonly summary: string;
  readonly sealed: string;
  readonly unreadable: string;
  /** The parts of a tenant's objects, each to be sealed anew in calls of its own. */
  readonly partsOf: (
    owner: Caller,
    configured: RequestContext["configured"],
  ) => readonly (() => Promise<ResealedPart>)[];
}

/**
 * Make the route that seals something of every tenant under the vault's first key, so that another key can be taken out. It
 * passes over those that are sealed so already; a request that stops early is simply sent again.
 */
export function makeReseal({ route, partsOf, ...said }: Resealing): Route {
  const schema = strictSchema(said.schemaId, () => ({
    sealed: z.int().check(z.describe(said.sealed)),
    unreadable: z.int().check(z.describe(said.unreadable)),
    done: z.boolean().check(z.describe("None is under another key any more; else send the request again")),
  }));
  return {
    route,
    async handle(_, { configured }) {
      const done = await askGate(
        () => resealAll(configured, partsOf),
        "How far it came is not certain; send the same request again.",
      );
      return done.ok ? ok(respondJson(JSON.stringify(done.value))) : done;
    },
    describe: () => ({
      id: said.id,
      summary: said.summary,
      tag: said.tag,
      answer: { description: "How many were sealed anew, and whether that were all", schema: schema() },
      refusals: ["MISCONFIGURED", "UNAVAILABLE"],
    }),
  };
}

interface Resealed {
  readonly sealed: number;
  readonly unreadable: number;
  readonly done: boolean;
}

async function resealAll(
  configured: RequestContext["configured"],
  partsOf: Resealing["partsOf"],
): Promise<Resealed> {
  let [sealed, unreadable] = [0, 0];
  const tenants = new Map(configured.keys.callers.map((caller) => [caller.tenant, caller]));
  for (const owner of tenants.values())
    for (const reseal of partsOf(owner, configured)) {
      if (sealed >= LIMITS.sealedAnew) return { sealed, unreadable, done: false };
      const part = await reseal();
      sealed += part.sealed;
      unreadable += part.unreadable;
      if (part.more) return { sealed, unreadable, done: false };
    }
  return { sealed, unreadable, done: true };
}
