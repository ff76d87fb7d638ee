import type { AdmissionRequest } from "../../src/core/contract/gate/admission.ts";
import { createGateClient } from "../../src/cloudflare/gate-client/gate-client.ts";
import { createTenantGate } from "../../src/cloudflare/durable/tenant-gate.ts";
import { systemClock } from "../../src/cloudflare/platform/system-ports.ts";
import { createLeasedAdmission, IsolateQuota } from "../../src/core/gate/leased-admission.ts";

/** Every job is settled by the first attempt, so the alarm finds nothing to do. */
const nothingDue = (): Promise<never> => Promise.reject(new Error("No job outlives its lease here"));

const Gate = createTenantGate({
  createBackground: () => ({
    attempt: nothingDue,
    run: nothingDue,
    limitOf: () => null,
    runLimit: () => null,
    deliver: nothingDue,
    tell: nothingDue,
  }),
});

/** The gate as it is deployed, counting the rows it writes; `setAlarm` is billed as one. */
export class TenantGate extends Gate {
  #written: () => number = () => 0;

  constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
    super(ctx, env);
    let rows = 0;
    const { storage } = ctx;
    const exec = storage.sql.exec.bind(storage.sql) as (...args: unknown[]) => { rowsWritten: number };
    const cursors: { rowsWritten: number }[] = [];
    Object.assign(storage.sql, {
      exec: (...args: unknown[]) => {
        const cursor = exec(...args);
        cursors.push(cursor);
        return cursor;
      },
    });
    const setAlarm = storage.setAlarm.bind(storage);
    storage.setAlarm = (...args) => {
      rows += 1;
      return setAlarm(...args);
    };
    this.#written = () => {
      for (const { rowsWritten } of cursors.splice(0)) rows += rowsWritten;
      return rows;
    };
  }

  rowsWritten(): number {
    return this.#written();
  }
}

interface Env {
  readonly TENANT_GATE: DurableObjectNamespace<TenantGate>;
}

const QUOTA = { bucket: "key:busy", limit: 100_000, windowS: 60 };
const REQUEST: AdmissionRequest = { quota: QUOTA, draws: [], jobs: [], allOrNothing: false };

/** Admits `?times=` batches, one every `?every=` ms, and says what each cost on average: `?what=leased|direct|job`. */
// oxlint-disable-next-line import/no-default-export -- a Worker's entry is its default export
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const [what, times, everyMs] = [
      searchParams.get("what") ?? "",
      Number(searchParams.get("times")),
      Number(searchParams.get("every")),
    ];
    const stub = env.TENANT_GATE.getByName(what);
    const gate = createGateClient(env.TENANT_GATE, what, { clock: systemClock, timeoutMs: 30_000 });
    let calls = 0;
    const send: typeof gate.admit = (admission, wishes) => {
      calls += 1;
      return gate.admit(admission, wishes);
    };
    const admit = createLeasedAdmission({
      held: new IsolateQuota(),
      send,
      clock: systemClock,
      defer: (work) => void work.catch(() => {}),
    });
    const runOne = async (): Promise<void> => {
      if (what === "direct") await send(REQUEST);
      if (what === "leased") await admit(REQUEST);
      if (what === "job") {
        const id = crypto.randomUUID();
        await admit({ ...REQUEST, jobs: [{ index: 0, spec: makeSpec(id) }] });
        calls += 1;
        await gate.settle(id, 1, { kind: "succeeded", dataJson: "1" });
      }
    };
    const before = await stub.rowsWritten();
    const startedAt = Date.now();
    const running: Promise<void>[] = [];
    while (running.length < times) {
      const due = Math.min(times, Math.floor((Date.now() - startedAt) / everyMs) + 1);
      while (running.length < due) running.push(runOne());
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    await Promise.all(running);
    const rows = (await stub.rowsWritten()) - before;
    return Response.json({ calls: calls / times, rows: rows / times });
  },
};

function makeSpec(id: string) {
  return {
    id,
    tool: "probe",
    argsJson: "{}",
    idempotencyKey: id,
    maxAttempts: 5,
    backoffInitialMs: 1_000,
    delivery: "at-least-once" as const,
  };
}
