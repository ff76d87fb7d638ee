import { env } from "cloudflare:workers";

import { createVolley } from "../../src/cloudflare/create-volley.ts";
import { ALL_FEATURES } from "../support/all-features.ts";
import type { AdmissionAnswer, AdmissionRequest, LeaseWish } from "../../src/core/contract/gate/admission.ts";
import { createProbeTools } from "../sandbox/probe-tools.ts";

/*
 * Volley with the probe tools, and a door for faults that cannot be had from outside: `POST /chaos/<fault>`. The rules
 * that are tested are the deployed ones; what is added breaks the platform under them.
 */

const { PROBE_ORIGIN: probeOrigin, CHAOS_CLOCK_MS: clockMs = "0" } = env as unknown as {
  readonly PROBE_ORIGIN: string;
  /** How far the clock is off from the start. */
  readonly CHAOS_CLOCK_MS?: string;
};
const probes = createProbeTools(probeOrigin);
const write = probes.find(({ name }) => name === "probe-write")!;
/** A write whose loop goes on after one was lost. */
const each: typeof write = {
  ...write,
  name: "probe-write-each",
  onError: "partial-success",
};
const volley = createVolley({
  tools: [...probes, each],
  features: ALL_FEATURES,
  trustedOrigins: [probeOrigin],
  toolSecrets: JSON.stringify({ SANDBOX_SECRET: { tenants: ["sandbox-admin"], hosts: [probeOrigin] } }),
});

/**
 * The faults of this isolate: how far its clock is off, when `waitUntil` is cut, and where the next admission, or recording of a
 * run, crashes.
 */
const broken: { clockMs: number; cutMs: number | null; admission: "before-write" | "after-write" | null } = {
  clockMs: Number(clockMs),
  cutMs: null,
  admission: null,
};
/** Objects that ran in this isolate, and how often each was created. */
const lives = new Map<string, number>();

const platformNow = Date.now.bind(Date);
Date.now = () => platformNow() + broken.clockMs;

type Env = Record<"TENANT_GATE", DurableObjectNamespace<TenantGate>>;

/** The tenant's object, which can be made to crash and to lose, delay or repeat its alarm. */
export class TenantGate extends volley.TenantGate {
  constructor(ctx: DurableObjectState, bindings: Record<string, unknown>) {
    super(ctx, bindings);
    const id = ctx.id.toString();
    lives.set(id, (lives.get(id) ?? 0) + 1);
  }

  override admit(request: AdmissionRequest, wishes?: readonly LeaseWish[]): AdmissionAnswer {
    return this.#perhapsCrash(() => super.admit(request, wishes));
  }

  override call(feature: string, method: string, ...args: readonly unknown[]): unknown {
    const call = (): unknown => super.call(feature, method, ...args);
    return method === "recordRun" ? this.#perhapsCrash(call) : call();
  }

  #perhapsCrash<T>(write: () => T): T {
    const crash = broken.admission;
    broken.admission = null;
    if (crash === "before-write") this.crash();
    const answer = write();
    if (crash === "after-write") this.crash();
    return answer;
  }

  crash(): void {
    this.ctx.abort("chaos");
  }

  async loseAlarm(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
  }

  async delayAlarm(byMs: number): Promise<void> {
    const at = await this.ctx.storage.getAlarm();
    if (at !== null) await this.ctx.storage.setAlarm(at + byMs);
  }

  /** As if the platform delivered it twice, the second time while the first is under way. */
  async repeatAlarm(): Promise<void> {
    await Promise.all([this.alarm(), this.alarm()]);
  }
}

export const { ToolGate, KeyShard, Workspace } = volley;

// oxlint-disable-next-line import/no-default-export -- a Worker's entry is its default export
export default {
  async fetch(request: Request, bindings: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.startsWith("/chaos/")) {
      return volley.app.fetch(request, bindings, broken.cutMs === null ? ctx : cutShort(ctx, broken.cutMs));
    }
    const applied = await breakIt(
      pathname.slice("/chaos/".length),
      Number(searchParams.get("ms") ?? 0),
      bindings,
    );
    return Response.json({ applied, lives: Object.fromEntries(lives) });
  },
};

/** Apply a fault; to how many objects. */
async function breakIt(fault: string, ms: number, bindings: Env): Promise<number> {
  const toEach = async (apply: (gate: DurableObjectStub<TenantGate>) => Promise<void>): Promise<number> => {
    const { TENANT_GATE: namespace } = bindings;
    const gates = [...lives.keys()].map((id) => namespace.get(namespace.idFromString(id)));
    // A crash rejects the call that brings it about.
    await Promise.all(gates.map((gate) => apply(gate).catch(() => {})));
    return gates.length;
  };
  switch (fault) {
    case "crash":
      return toEach((gate) => gate.crash());
    case "alarm-lost":
      return toEach((gate) => gate.loseAlarm());
    case "alarm-late":
      return toEach((gate) => gate.delayAlarm(ms));
    case "alarm-twice":
      return toEach((gate) => gate.repeatAlarm());
    case "crash-before-write":
      broken.admission = "before-write";
      return 1;
    case "crash-after-write":
      broken.admission = "after-write";
      return 1;
    case "clock":
      broken.clockMs = ms;
      return 1;
    case "cut":
      broken.cutMs = ms === 0 ? null : ms;
      return 1;
    case "lives":
      return lives.size;
    default:
      throw new Error(`Cannot break anything: unknown fault '${fault}'`);
  }
}

/**
 * Let the platform cut what runs after the answer. Nothing but `waitUntil` keeps an invocation alive once it has
 * answered, so when what it waits for ends early the runtime itself ends the invocation: its requests are torn and not
 * a line of its code runs any more.
 */
function cutShort(ctx: ExecutionContext, cutMs: number): ExecutionContext {
  const cut = new Promise((resolve) => setTimeout(resolve, cutMs));
  return {
    waitUntil: (work: Promise<unknown>) => ctx.waitUntil(Promise.race([work, cut])),
    passThroughOnException: () => ctx.passThroughOnException(),
    props: ctx.props,
  } as ExecutionContext;
}
