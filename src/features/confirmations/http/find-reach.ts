import { listAsked } from "../confirmation.ts";
import type { Found } from "./find-confirmation.ts";
import type { SayReach } from "../../../core/edge/feature.ts";
import { withAccount } from "../../../core/gate/with-account.ts";
import { attempt } from "../../../core/kit/result.ts";
import type { RequestContext } from "../../../core/edge/http/request-context.ts";

/** Find how far the actions of a question reach, by their ids: what features know of those whose arguments are known. */
export async function findReach(
  { group }: Pick<Found, "group">,
  context: RequestContext,
  sayers: readonly SayReach[],
): Promise<ReadonlyMap<string, string>> {
  if (sayers.length === 0) return new Map();
  const own = withAccount(context, group.account);
  const said = await Promise.all(
    listAsked(group.actions).map(async ({ id, tool, args }): Promise<[string, string][]> => {
      if (args.kind !== "call") return [];
      for (const say of sayers) {
        const reach = await attempt(() => say({ tool, args: args.input }, own));
        if (reach.ok && reach.value !== null) return [[id, reach.value]];
      }
      return [];
    }),
  );
  return new Map(said.flat());
}
