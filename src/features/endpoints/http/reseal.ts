import * as z from "zod/mini";

import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { respondJson } from "../../../core/edge/http/respond.ts";
import type { Endpoint } from "../../../core/edge/openapi/endpoint.ts";
import { ok } from "../../../core/kit/result.ts";
import { endpointDeskOf } from "./endpoint-desk.ts";

const resealedSchema = lazySchema(() =>
  z
    .strictObject({
      sealed: z.int().check(z.describe("Endpoints whose secrets are now under the first key")),
      unreadable: z
        .int()
        .check(z.describe("Those with a secret that no key opens: rotate it, or put the key back")),
      done: z.boolean().check(z.describe("None is under another key any more; else send the request again")),
    })
    .register(z.globalRegistry, { id: "ResealedEndpoints" }),
);

/** `POST /v1/endpoints/reseal`: seal the secrets of every tenant's endpoints under the vault's first key. */
export const resealEndpoints: Endpoint = {
  route: "POST /v1/endpoints/reseal",
  runsNothing: true,
  async handle(_, context) {
    const done = await askGate(
      () => resealAll(context),
      "How far it came is not certain; send the same request again.",
    );
    return done.ok ? ok(respondJson(JSON.stringify(done.value))) : done;
  },
  describe: () => ({
    id: "resealEndpoints",
    summary: "Seal the secrets of all endpoints under the vault's first key",
    tag: "Endpoints",
    answer: { description: "How many were sealed anew, and whether that were all", schema: resealedSchema() },
    refusals: ["MISCONFIGURED", "UNAVAILABLE"],
  }),
};

interface Counts {
  readonly sealed: number;
  readonly unreadable: number;
  readonly done: boolean;
}

/** Those that are sealed anew are passed over the next time, so a request that stops early is simply sent again. */
async function resealAll({ configured }: RequestContext): Promise<Counts> {
  let [sealed, unreadable] = [0, 0];
  const tenants = new Map(configured.keys.callers.map((caller) => [caller.tenant, caller]));
  for (const owner of tenants.values()) {
    const ask = endpointDeskOf(configured).open(owner);
    if (!ask.ok) continue;
    if (sealed >= LIMITS.sealedAnew) return { sealed, unreadable, done: false };
    const part = await ask.value((directory) => directory.reseal());
    sealed += part.sealed;
    unreadable += part.unreadable;
    if (part.more) return { sealed, unreadable, done: false };
  }
  return { sealed, unreadable, done: true };
}
