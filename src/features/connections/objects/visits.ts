import type { Clock } from "../../../core/kit/clock.ts";
import { digestOf, toState } from "../link-token.ts";
import type { Comeback, VisitAnswer } from "../shard-methods.ts";
import { beginVisit, endVisit } from "../visit.ts";
import type { ConnectionTable } from "./connection-table.ts";
import type { ShardWorld } from "./shard-world.ts";

/** The ways of people to the deployment's own issuer and back, where that says who brought an account. */
export class Visits {
  readonly #world: ShardWorld;
  readonly #table: ConnectionTable;
  readonly #tenant: string;
  readonly #clock: Clock;

  constructor(world: ShardWorld) {
    this.#world = world;
    this.#table = world.table;
    this.#tenant = world.tenant;
    this.#clock = world.clock;
  }

  async begin(
    id: string,
    { code, kept }: { readonly code: string; readonly kept: string },
  ): Promise<string | null> {
    const known = this.#table.find(id);
    if (known === null) return null;
    const sealed = await this.#world.seal(kept, known, "visit");
    const latest = this.#table.find(id);
    if (latest === null) return null;
    const state = this.#world.makeText();
    const begun = beginVisit(latest, this.#clock.now(), {
      code: digestOf("code", code),
      state: digestOf("visit", state),
      kept: sealed,
    });
    if (!begun.ok) return null;
    this.#table.put(begun.value);
    return toState({ tenant: this.#tenant, id, secret: state });
  }

  async end(id: string, { state, browser }: Pick<Comeback, "state" | "browser">): Promise<VisitAnswer> {
    const known = this.#table.find(id);
    if (known === null) return { kind: "gone" };
    const ended = endVisit(known, this.#clock.now(), {
      state: digestOf("visit", state),
      browser: browser === null ? null : digestOf("browser", browser),
    });
    if (!ended.ok) return { kind: ended.error };
    // Before the issuer is asked: the same address again finds nothing to do.
    this.#table.put(ended.value.connection);
    const { subject, connector, name } = known;
    const kept = await this.#world.unseal(ended.value.visit.kept, known, "visit");
    return kept === null ? { kind: "gone" } : { kind: "back", kept, place: { subject, connector, name } };
  }
}
