import type { Deployment } from "../../../feature/define.ts";
import { AnswerBudget } from "../../../core/answer/envelope.ts";
import { parseBatch, Watch } from "../../../feature/tool.ts";
import { FOR_DELIVERY } from "../../../feature/gives.ts";
import { parseExact, utf8Length } from "../../../feature/schema.ts";
import { ByteBudget } from "../../../core/egress/byte-budget.ts";
import type { Semaphore } from "../../../core/kit/semaphore.ts";
import { execute } from "../../../feature/answer.ts";
import { type PublishedEvent, toBody, type MadeBody } from "../delivery.ts";
import { readsOnly } from "./check-via.ts";
import * as LIMITS from "../limits.ts";

/** The route of no request: by it the log of runs knows where a run came from. */
const ROUTE = "delivery";

/** The parts of the world that a flow runs in. */
export interface ViaScope {
  readonly deployment: Deployment;
  /** The header slots of the alarm that delivers. */
  readonly slots: Semaphore;
  readonly tenant: string;
}

interface Ran {
  readonly results: readonly [
    { readonly status: string; readonly data?: unknown; readonly error?: { readonly code: string } },
  ];
}

/**
 * Run a flow with an event as its input: its answer is the body of the delivery. It runs as the tenant's runs without a caller do, and
 * draws from what those may. A flow that is gone, or that writes by now, is as unknown as one that there never was.
 */
export async function runVia(
  via: string,
  event: PublishedEvent,
  { deployment, slots, tenant }: ViaScope,
): Promise<MadeBody> {
  const runner = deployment.runnerOf(tenant);
  if (runner === null) return { kind: "failed", code: "FLOW_BROKEN" };
  const { clock, telemetry } = deployment.ports;
  const requestId = deployment.ports.newId();
  const watch = new Watch({ clock, requestId, telemetry });
  watch.route = ROUTE;
  const asked = { requestId, defer: () => {}, watch };
  const context = deployment.contextOf({ ...runner, name: FOR_DELIVERY }, asked);
  const currentCatalog = async () => readsOnly(via, await context.currentCatalog());
  const catalog = await currentCatalog();
  if (catalog.get(via) === undefined) return { kind: "failed", code: "FLOW_BROKEN" };
  const args: unknown = parseExact(toBody(event));
  const deadlineMs = LIMITS.deliveryTimeoutMs;
  const batch = parseBatch({ actions: [{ tool: via, args }], deadline_ms: deadlineMs }, 0);
  if (!batch.ok) return { kind: "failed", code: "FLOW_BROKEN" };
  const { options, upstreams } = context;
  const { signal } = new AbortController();
  const budget = new ByteBudget(options.requestResponseBytes, LIMITS.responseReserveBytes, {
    share: upstreams.share,
  });
  const inside = { signal, endsAt: clock.now() + deadlineMs, slots, budget };
  const within = { inside, answer: new AnswerBudget(2) };
  const answered = await execute(batch.value, { ...context, catalog, currentCatalog, signal, within });
  budget.release();
  if (!answered.ok) {
    const { refusal, quota } = answered.error;
    return quota?.allowed === false
      ? { kind: "later", afterMs: Math.max(1_000, quota.retryAfterMs) }
      : { kind: "failed", code: refusal.code };
  }
  const [{ status, data, error }] = (parseExact(answered.value.json) as Ran).results;
  if (status !== "success") return { kind: "failed", code: error?.code ?? "FLOW_BROKEN" };
  const body = JSON.stringify(data);
  return utf8Length(body) > LIMITS.viaBodyBytes
    ? { kind: "failed", code: "RESPONSE_TOO_LARGE" }
    : { kind: "made", body };
}
