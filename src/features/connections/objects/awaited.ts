import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import type { GateAlarm } from "../../../cloudflare/durable/gate-alarm.ts";
import { attempt } from "../../../feature/refuse.ts";
import { Watch } from "../../../feature/tool.ts";
import type { Deployment } from "../../../feature/define.ts";
import type { Clock } from "../../../feature/kit.ts";
import type { ConnectionTable } from "./connection-table.ts";
import { runAwaiting } from "../http/run-awaiting.ts";

type Row = { id: string; tries: number };

/** The shard as far as it is needed to run what waits. */
interface AwaitedWorld {
  readonly table: Pick<ConnectionTable, "find">;
  readonly tenant: string;
  readonly clock: Clock;
  readonly deployment: Deployment;
  readonly alarm: Pick<GateAlarm, "arm">;
}

/** The route of no request: by it the log of runs knows that what ran had waited. */
const ROUTE = "connection";

/**
 * The connections for which actions may wait that can run now. Each is written down in the turn in which it becomes active, and runs in the
 * object's alarm; so a kill in between puts it off, and loses nothing.
 */
export class Awaited {
  readonly #world: AwaitedWorld;
  readonly #ctx: DurableObjectState;
  readonly #underWay = new Map<string, Promise<void>>();
  /** Those that were tried by the alarm that is under way, and wait for the next. */
  readonly #resting = new Set<string>();
  #isAwake = false;

  constructor(world: AwaitedWorld, ctx: DurableObjectState) {
    this.#world = world;
    this.#ctx = ctx;
    query(ctx.storage.sql)`
      CREATE TABLE IF NOT EXISTS awaited (id TEXT PRIMARY KEY, tries INTEGER NOT NULL) WITHOUT ROWID, STRICT`;
  }

  /** Have what waits for a connection run: now where the object's alarm is under way, else in the alarm that follows. */
  note(id: string): void {
    query(this.#sql)`INSERT OR REPLACE INTO awaited (id, tries) VALUES (${id}, 0)`;
    this.#resting.delete(id);
    if (this.#isAwake) this.#begin();
    else this.#world.alarm.arm(this.#world.clock.now());
  }

  /** Run what waits; what could not be admitted is tried again after a while, some times. */
  async run(): Promise<void> {
    const { clock, alarm } = this.#world;
    this.#isAwake = true;
    this.#resting.clear();
    this.#begin();
    // One that takes long keeps no other one waiting.
    while (this.#underWay.size > 0) await Promise.race(this.#underWay.values());
    this.#isAwake = false;
    if (this.#resting.size > 0) alarm.arm(clock.now() + LIMITS.awaitedAgainMs);
  }

  #begin(): void {
    for (const { id, tries } of this.#sql.exec<Row>("SELECT id, tries FROM awaited").toArray()) {
      if (this.#underWay.has(id) || this.#resting.has(id)) continue;
      // Counted before: an attempt that kills the object is one, too.
      const row = { id, tries: tries + 1 };
      query(this.#sql)`UPDATE awaited SET tries = ${row.tries} WHERE id = ${id}`;
      this.#underWay.set(id, this.#runOne(row));
    }
  }

  async #runOne({ id, tries }: Row): Promise<void> {
    const connection = this.#world.table.find(id);
    const ran = await attempt(async () => {
      const context = this.#open();
      if (connection === null || context === null) return true;
      return runAwaiting(connection, context);
    });
    this.#underWay.delete(id);
    const isOver = (ran.ok && ran.value) || tries >= LIMITS.awaitedTries;
    if (!isOver) this.#resting.add(id);
    // One that was noted anew meanwhile stays, and begins now.
    else query(this.#sql)`DELETE FROM awaited WHERE id = ${id} AND tries = ${tries}`;
    this.#begin();
  }

  /** A context as a request of the tenant has it; null where no key of the tenant is configured any more. */
  #open() {
    const { deployment, tenant, clock } = this.#world;
    const runner = deployment.runnerOf(tenant);
    if (runner === null) return null;
    const requestId = deployment.ports.newId();
    const watch = new Watch({ clock, requestId, telemetry: deployment.ports.telemetry });
    watch.route = ROUTE;
    const defer = (work: Promise<unknown>): void => this.#ctx.waitUntil(work);
    return deployment.contextOf(runner, { requestId, defer, watch });
  }

  get #sql(): SqlStorage {
    return this.#ctx.storage.sql;
  }
}
