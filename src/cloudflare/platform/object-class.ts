import type { BegunCalls, Taken } from "../../core/contract/gate/tenant-gate-methods.ts";
import type { Clock } from "../../core/kit/clock.ts";
import type { DurableObject } from "./durable-object.ts";

/** The class of a Durable Object, as a Worker exports it and the platform makes objects of it, with what it can be asked. */
export type ObjectClass<Methods> = new (
  ctx: DurableObjectState,
  env: Record<string, unknown>,
) => DurableObject<Record<string, unknown>> & Methods;

/** The objects of a tenant that are deleted with it. */
interface Erased {
  /** Forget everything; how much that was. */
  erase(): number | Promise<number>;
}

/**
 * Make of the class of a tenant's objects one whose objects, once they were erased, take nothing more of work that began before. An object
 * is erased when the calls that it has under way are over.
 */
export function refuseErased<Methods extends Erased>(
  Class: ObjectClass<Methods>,
  clock: Clock,
): ObjectClass<Methods & BegunCalls> {
  const Base = Class as ObjectClass<Erased>;
  return class extends Base implements BegunCalls {
    readonly #underWay = new Set<Promise<unknown>>();
    #erasedAt: number;

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      ctx.storage.sql.exec(
        "CREATE TABLE IF NOT EXISTS erased (id INTEGER PRIMARY KEY CHECK (id = 0), at INTEGER NOT NULL) STRICT",
      );
      const rows = ctx.storage.sql.exec<{ at: number }>("SELECT at FROM erased").toArray();
      this.#erasedAt = rows[0]?.at ?? 0;
    }

    since(begunAt: number, method: string, ...args: readonly unknown[]): Taken | null | Promise<Taken> {
      // A deletion may be sent twice.
      if (method === "erase") return this.erase().then((answer) => ({ answer }));
      if (begunAt < this.#erasedAt) return null;
      const answer: unknown = Reflect.apply(this[method as "erase"], this, args);
      if (!(answer instanceof Promise)) return { answer };
      const over: Promise<unknown> = answer.then(
        () => this.#underWay.delete(over),
        () => this.#underWay.delete(over),
      );
      this.#underWay.add(over);
      return answer.then((value: unknown) => ({ answer: value }));
    }

    override async erase(): Promise<number> {
      this.#erasedAt = clock.now();
      this.ctx.storage.sql.exec("REPLACE INTO erased (id, at) VALUES (0, ?)", this.#erasedAt);
      await Promise.all(this.#underWay);
      return super.erase();
    }
  } as unknown as ObjectClass<Methods & BegunCalls>;
}
