import { listAsked } from "../confirmation.ts";
import { callsOf, type ParkedGroup } from "../parked-group.ts";
import type { SayReach } from "../../../feature/gives.ts";
import { withAccount } from "../../../feature/caller.ts";
import { attempt } from "../../../feature/refuse.ts";
import type { RequestContext } from "../../../feature/answer.ts";

/** Find how far the actions of a question reach, by their ids, as far as features know. */
export async function findReach(
  group: Pick<ParkedGroup, "actions" | "account">,
  context: RequestContext,
  sayers: readonly SayReach[],
): Promise<ReadonlyMap<string, string>> {
  if (sayers.length === 0) return new Map();
  const own = withAccount(context, group.account);
  const said = await Promise.all(
    listAsked(group.actions).map(async ({ id, tool, args }): Promise<[string, string][]> => {
      const calls = callsOf(args);
      for (const say of sayers) {
        const reach = await attempt(() => say({ tool, calls }, own));
        if (reach.ok && reach.value !== null) return [[id, reach.value]];
      }
      return [];
    }),
  );
  return new Map(said.flat());
}
