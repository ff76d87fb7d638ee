import * as LIMITS from "../limits.ts";
import { attempt, err, ok, type Result } from "../../../feature/refuse.ts";
import type { CustomerHands, EndpointAsked, KeepRefusal } from "../directory-methods.ts";
import type { Put } from "../endpoint-shard-methods.ts";
import type { EndpointIndex } from "./endpoint-index.ts";
import type { ShardCalls } from "./endpoint-objects.ts";

/**
 * Keeps and deletes a tenant's endpoints, in the index and in the objects that deliver. Changes of one endpoint come one after the other:
 * else one that is deleted and made at the same time would be delivered to, and be unknown here.
 */
export class EndpointChanges {
  readonly #index: EndpointIndex;
  readonly #shards: ShardCalls;
  /** The last change of each endpoint that is under way. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(index: EndpointIndex, shards: ShardCalls) {
    this.#index = index;
    this.#shards = shards;
  }

  put(asked: EndpointAsked, by: CustomerHands | undefined): Promise<Result<Put, KeepRefusal>> {
    const { id, settings, isNew = false } = asked;
    const owner = settings.customer ?? null;
    return this.#inTurn(id, async () => {
      let known = this.#index.find(id);
      if (isNew && known !== null) return err("taken");
      if (!isNew && by !== undefined && known?.customer !== by.customer) return err("unknown");
      if (known === null && this.#index.size >= LIMITS.endpoints) return err("too-many");
      if (known === null && by !== undefined && this.#index.countOf(by.customer) >= by.most)
        return err("too-many-of-customer");
      for (;;) {
        const { no, shard } = (known ??= this.#index.add(id, owner));
        const put = await this.#shards.of(shard).put({ ...asked, no });
        if (put === null) return err("changed");
        if (put !== "used") {
          const now = this.#index.find(id);
          if (now !== null) this.#index.assign(now, owner);
          return ok(put);
        }
        this.#index.remove(known);
        known = null;
      }
    });
  }

  remove(id: string, customer: string | undefined): Promise<boolean> {
    return this.#inTurn(id, async () => {
      const known = this.#index.find(id);
      if (known === null || (customer !== undefined && known.customer !== customer)) return false;
      const removed = await this.#shards.of(known.shard).remove(id);
      this.#index.remove(known);
      return removed;
    });
  }

  async #inTurn<T>(id: string, change: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    const own = before === undefined ? change() : before.then(change);
    // It never rejects, so that a change that failed ends nothing but itself.
    const over = attempt(() => own);
    this.#last.set(id, over);
    await over;
    if (this.#last.get(id) === over) this.#last.delete(id);
    return own;
  }
}
