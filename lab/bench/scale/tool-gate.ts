import { openPermits, type PermitBook } from "../../../src/core/gate/state/permit-book.ts";
import { type PermitCommand, stepPermits } from "../../../src/core/gate/state/permits.ts";
import { EventQueue } from "./event-queue.ts";

/** How a tool's global limit is dealt between tenants that ask for more than there is. */
export interface Dealt {
  /** Calls of the tool's object for each call of the tool that ran. */
  readonly callsEach: number;
  readonly rowsEach: number;
  /** Calls that ran, by tenant. */
  readonly ran: readonly number[];
}

const CONCURRENCY = 20;
const CALL_MS = 200;
const WAIT_MS = 10_000;

/**
 * Let tenants call one tool with a global limit, each with so many calls under way or waiting all the time, and count what its
 * object is asked and who gets a place. The permits are the product's.
 */
export async function dealPermits(demands: readonly number[], seconds: number): Promise<Dealt> {
  const queue = new EventQueue();
  let book: PermitBook = openPermits({ aliveMs: 0, rateMs: 0 }, queue.now());
  let [asked, rows, ids] = [0, 0, 0];
  const ran = demands.map(() => 0);
  const tenantOf = new Map<string, number>();
  const step = (command: PermitCommand): void => {
    asked += Number(command.kind !== "tick");
    const [next, { answers, marks, wakeAtMs }] = stepPermits(book, queue.now(), command);
    book = next;
    rows += Object.keys(marks).length;
    for (const { id, answer } of answers) {
      const tenant = tenantOf.get(id)!;
      tenantOf.delete(id);
      if (!answer.granted) queue.after(1, () => ask(tenant));
      else
        queue.after(CALL_MS, () => {
          ran[tenant]! += 1;
          step({ kind: "release", id, retryAfterMs: null });
          ask(tenant);
        });
    }
    if (wakeAtMs !== null && answers.length === 0)
      queue.after(wakeAtMs - queue.now(), () => step({ kind: "tick" }));
  };
  const ask = (tenant: number): void => {
    const id = String((ids += 1));
    tenantOf.set(id, tenant);
    const limits = { concurrency: CONCURRENCY, rate: null };
    const request = { id, tenant: `tenant-${tenant}`, limits, waitMs: WAIT_MS, holdMs: 2 * CALL_MS };
    step({ kind: "ask", request });
  };
  for (const [tenant, demand] of demands.entries())
    for (let at = 0; at < demand; at += 1) queue.after(at, () => ask(tenant));
  await queue.run(seconds);
  const total = ran.reduce((sum, one) => sum + one, 0);
  return { callsEach: asked / total, rowsEach: rows / total, ran };
}
