import { digestOf, toState } from "../link-token.ts";
import type { Comeback, VisitAnswer } from "../shard-methods.ts";
import { beginVisit, endVisit } from "../visit.ts";
import type { ShardWorld } from "./shard-world.ts";

/** The ways of people to the deployment's own issuer and back, where that says who brought an account. */
export class Visits {
  readonly #world: ShardWorld;

  constructor(world: ShardWorld) {
    this.#world = world;
  }

  async begin(
    id: string,
    { code, kept }: { readonly code: string; readonly kept: string },
  ): Promise<string | null> {
    const known = this.#world.table.find(id);
    if (known === null) return null;
    const sealed = await this.#world.seal(kept, known, "visit");
    const latest = this.#world.table.find(id);
    if (latest === null) return null;
    const state = this.#world.makeText();
    const begun = beginVisit(latest, this.#world.clock.now(), {
      code: digestOf("code", code),
      state: digestOf("visit", state),
      kept: sealed,
    });
    if (!begun.ok) return null;
    this.#world.table.put(begun.value);
    return toState({ tenant: this.#world.tenant, id, secret: state });
  }

  async end(id: string, { state, browser }: Pick<Comeback, "state" | "browser">): Promise<VisitAnswer> {
    const known = this.#world.table.find(id);
    if (known === null) return { kind: "gone" };
    const ended = endVisit(known, this.#world.clock.now(), {
      state: digestOf("visit", state),
      browser: browser === null ? null : digestOf("browser", browser),
    });
    if (!ended.ok) return { kind: ended.error };
    // Before the issuer is asked: the same address again finds nothing to do.
    this.#world.table.put(ended.value.connection);
    const { subject, connector, name } = known;
    const kept = await this.#world.unseal(ended.value.visit.kept, known, "visit");
    return kept === null ? { kind: "gone" } : { kind: "back", kept, place: { subject, connector, name } };
  }
}
