import * as z from "zod/mini";

import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";
import { respondJson } from "../../../core/edge/http/respond.ts";
import type { Endpoint } from "../../../core/edge/openapi/endpoint.ts";
import { ok } from "../../../core/kit/result.ts";
import { CONNECTION_SHARDS } from "../link-token.ts";
import type { AskShard } from "../objects/connection-shards.ts";
import type { Resealed } from "../shard-methods.ts";
import { connectionDeskOf } from "./connection-desk.ts";

const resealedSchema = lazySchema(() =>
  z
    .strictObject({
      sealed: z.int().check(z.describe("Connections whose tokens are now under the first key")),
      unreadable: z.int().check(z.describe("Those that no key opens: their subjects connect them anew")),
      done: z.boolean().check(z.describe("None is under another key any more; else send the request again")),
    })
    .register(z.globalRegistry, { id: "ResealedConnections" }),
);

/** `POST /v1/connections/reseal`: seal the tokens of every tenant under the first of two keys, so that the other can be taken out. */
export const resealConnections: Endpoint = {
  route: "POST /v1/connections/reseal",
  runsNothing: true,
  async handle(_, context) {
    const done = await askGate(
      () => resealAll(context),
      "How far it came is not certain; send the same request again.",
    );
    return done.ok ? ok(respondJson(JSON.stringify(done.value))) : done;
  },
  describe: () => ({
    id: "resealConnections",
    summary: "Seal the tokens of all connections under the vault's first key",
    tag: "Connections",
    answer: { description: "How many were sealed anew, and whether that were all", schema: resealedSchema() },
    refusals: ["MISCONFIGURED", "UNAVAILABLE"],
  }),
};

interface Counts {
  sealed: number;
  unreadable: number;
}

/** Those that are sealed anew are passed over the next time, so a request that stops early is simply sent again. */
async function resealAll({ configured }: RequestContext): Promise<Counts & { readonly done: boolean }> {
  const counts = { sealed: 0, unreadable: 0 };
  const tenants = new Map(configured.keys.callers.map((caller) => [caller.tenant, caller]));
  for (const owner of tenants.values()) {
    const ask = connectionDeskOf(configured).open(owner);
    if (!ask.ok) continue;
    for (let shard = 0; shard < CONNECTION_SHARDS; shard += 1) {
      if (counts.sealed >= LIMITS.sealedAnew) return { ...counts, done: false };
      await resealShard(ask.value, shard, counts);
    }
  }
  return { ...counts, done: true };
}

async function resealShard(ask: AskShard, shard: number, counts: Counts): Promise<void> {
  for (let after: string | null = null; ;) {
    const from: string | null = after;
    const page: Resealed = await ask(shard, (stub) => stub.reseal(from));
    counts.sealed += page.sealed;
    counts.unreadable += page.unreadable;
    if (page.next === null) return;
    after = page.next;
  }
}
