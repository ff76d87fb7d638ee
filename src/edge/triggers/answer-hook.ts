import type { KeptFlow } from "../../catalog/flow/flow-schema.ts";
import { parseArgs } from "../../catalog/parse-args.ts";
import { LIMITS } from "../../contract/limits.ts";
import { makeRefusal, type Refusal } from "../../contract/refusal.ts";
import { makeRun } from "../../flows/make-run.ts";
import { type Delivery, verifyDelivery } from "../../hooks/verify-delivery.ts";
import { attempt, err, ok, type Result } from "../../kit/result.ts";
import type { Deployment } from "../deployment.ts";
import { readBytes } from "../http/read-request-body.ts";
import { respondJson } from "../http/respond.ts";
import { verifyMac } from "../platform/verify-mac.ts";
import { attemptRun } from "./attempt-run.ts";

/** A delivery, and which flow of whose it is for. */
export interface Hook {
  readonly request: Request;
  readonly tenant: string;
  readonly name: string;
  readonly requestId: string;
  /** Keep work alive after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
}

/**
 * Answer a delivery of a webhook: verify it, record the run that it causes, and only then say 202. The run begins after the
 * answer. A repeated delivery is told the same run.
 *
 * Whatever is wrong with a delivery, or with where it is sent, is one and the same refusal: who cannot sign learns nothing. Why
 * it was is in the log, for the operator, where the sender was known.
 */
export async function answerHook(hook: Hook, deployment: Deployment): Promise<Result<Response, Refusal>> {
  const { request, tenant, name, requestId, defer } = hook;
  const read = await attempt(() => readBytes(request, LIMITS.bodyBytes));
  const body = read.ok ? read.value : null;
  const runner = deployment.runnerOf(tenant);
  if (body === null || runner === null) return err(REFUSED);
  const { currentCatalog, catalog, gate, ports } = deployment.contextOf(runner, { requestId, defer });
  const known = await attempt(() => currentCatalog());
  const flow = (known.ok ? known.value : catalog).get(name);
  // There may be a flow, and nobody can say: a sender that is told so sends again.
  if (!known.ok && flow === undefined) return err(UNREACHABLE);
  if (flow?.added === undefined) return err(REFUSED);
  const toolJson = flow.added.json;
  const kept = JSON.parse(toolJson) as KeptFlow;
  const delivery = await verify(hook, body, kept, deployment);
  if (delivery === null) return err(REFUSED);
  if (delivery.kind === "unusable") return refuse(hook, deployment, { why: delivery.why });
  if (delivery.kind === "challenge")
    return ok(respondJson(JSON.stringify({ challenge: delivery.challenge }), requestId));

  const fits = parseArgs(flow, delivery.input, { isForeign: true });
  if (!fits.ok) {
    // Where and what was expected, never what came.
    const misfits = (fits.error.issues ?? []).map(({ path, expected }) => ({ path, expected }));
    return refuse(hook, deployment, { why: "it does not fit the flow's input_schema", misfits });
  }
  const spec = makeRun({
    tenant,
    trigger: "webhook",
    kept,
    toolJson,
    inputJson: JSON.stringify(delivery.input),
    newId: () => ports.newId(),
  });
  // One that may take longer than what runs after an answer is the alarm's, and so is what an isolate has no room for.
  const { runs } = deployment;
  const takes = spec.run!.deadlineMs < LIMITS.firstAttemptMs && runs.underWay < LIMITS.runsAtOnce;
  const recorded = await attempt(() => gate.recordRun({ cause: `id ${delivery.id}`, spec, takes }));
  if (!recorded.ok) return err(UNREACHABLE);
  if (recorded.value.kind === "backlog-full") return err(FULL);
  const { jobId, fence } = recorded.value;
  if (fence !== null) {
    runs.underWay += 1;
    const running = attempt(async () => {
      // In a turn of its own: what a run begins with, up to 25 calls, would otherwise be done before the answer leaves.
      await new Promise<void>((resolve) => void ports.clock.after(0, resolve));
      await attemptRun({ spec, attempt: 1, fence }, deployment, { tenant, defer });
    });
    defer(running.then(() => (runs.underWay -= 1)));
  }
  return ok(respondJson(JSON.stringify({ job_id: jobId }), requestId, { status: 202 }));
}

/** Refuse a delivery as any other, and tell the operator why. */
function refuse(
  { tenant, name, requestId }: Hook,
  { ports }: Deployment,
  said: Readonly<Record<string, unknown>>,
): Result<Response, Refusal> {
  const line = { event: "hook_refused", tenant, flow: name, request_id: requestId, ...said };
  ports.log("warn", JSON.stringify(line));
  return err(REFUSED);
}

/** Verify a delivery to what is kept: a flow with a webhook, one without, or a tool. */
async function verify(
  { request, tenant }: Hook,
  body: Uint8Array,
  { flow }: Partial<KeptFlow>,
  deployment: Deployment,
): Promise<Delivery | null> {
  const webhook = flow?.triggers?.webhook;
  if (webhook === undefined) return null;
  const { ports } = deployment;
  return verifyDelivery({ headers: request.headers, body }, webhook, {
    secret: await deployment.secretOf(webhook.secret, tenant),
    nowMs: ports.clock.now(),
    verifyMac,
    sha256: ports.sha256,
  });
}

const REFUSED = makeRefusal("UNAUTHORIZED", "The delivery was refused.");
const UNREACHABLE = makeRefusal(
  "UNAVAILABLE",
  "Whether the delivery was recorded is not certain; send it again with the same id.",
  { retryAfterMs: 1_000 },
);
const FULL = makeRefusal("UNAVAILABLE", "Too many runs wait; nothing was recorded. Send it again later.", {
  retryAfterMs: 30_000,
});
