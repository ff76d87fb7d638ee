import type { Account } from "../../../core/contract/gate/caller.ts";
import { follow, parsePointer } from "../../../core/kit/json/json-pointer.ts";
import type { HookTrigger } from "../hooks/hook-trigger.ts";
import type { KeptFlow } from "../declaration/flow-schema.ts";
import { parseArgs } from "../../../core/catalog/parse-args.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { callFlows } from "../flow-run.ts";
import { makeRun } from "../run/make-run.ts";
import { flawOf, SECRET_FLAWS } from "../hooks/secret-flaw.ts";
import { verifyDelivery } from "../hooks/verify-delivery.ts";
import { attempt, err, ok, type Result } from "../../../core/kit/result.ts";
import type { Deployment } from "../../../core/edge/deployed.ts";
import { readBytes } from "../../../core/edge/http/read-request-body.ts";
import { respondJson } from "../../../core/edge/http/respond.ts";
import { verifyMac } from "./verify-mac.ts";
import { attemptRun } from "./attempt-run.ts";
import { lookUpSecret } from "./look-up-secret.ts";

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
 * Whatever is wrong with a delivery, with where it is sent or with the secret there is one and the same refusal: who cannot sign
 * learns nothing. The log says why to the operator, where the sender was known or the secret is what is wrong.
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
  // There may be a flow, but the object did not answer: a sender that is told so sends again.
  if (!known.ok && flow === undefined) return err(UNREACHABLE);
  if (flow?.added === undefined) return err(REFUSED);
  const toolJson = flow.added.json;
  const kept = JSON.parse(toolJson) as KeptFlow;
  // The kept tool may be a plain one, which has no flow.
  const webhook = (kept as Partial<KeptFlow>).flow?.triggers?.webhook;
  if (webhook === undefined) return err(REFUSED);
  const secret = await lookUpSecret(webhook.secret, { tenant, configured: deployment.configured });
  const flaw = flawOf(webhook.verify, secret);
  if (flaw !== null)
    return refuse(hook, deployment, { why: `its secret ${webhook.secret} ${SECRET_FLAWS[flaw].is}` });
  const delivery = await verifyDelivery({ headers: request.headers, body }, webhook, {
    secret: secret.ok ? secret.value : undefined,
    nowMs: ports.clock.now(),
    verifyMac: (...signed) => ports.outside(verifyMac(...signed)),
    sha256: ports.sha256,
  });
  if (delivery === null) return err(REFUSED);
  if (delivery.kind === "unusable") return refuse(hook, deployment, { why: delivery.why });
  if (delivery.kind === "challenge")
    return ok(respondJson(JSON.stringify({ challenge: delivery.challenge })));
  // A 202 would promise a run, and a 401 would have the sender's operator look for a wrong secret.
  if (kept.flow.triggers?.paused === true) return err(PAUSED);

  const fits = parseArgs(flow, delivery.input, { isForeign: true });
  if (!fits.ok) {
    // Where and what was expected, never what came.
    const misfits = (fits.error.issues ?? []).map(({ path, expected }) => ({ path, expected }));
    return refuse(hook, deployment, { why: "it does not fit the flow's input_schema", misfits });
  }
  const account = accountOf(webhook, delivery.input, hook, deployment);
  if (account === null) return refuse(hook, deployment, { why: `it names no subject at ${webhook.subject}` });
  const spec = makeRun({
    tenant,
    account,
    trigger: "webhook",
    kept,
    toolJson,
    inputJson: JSON.stringify(delivery.input),
    newId: () => ports.newId(),
  });
  // One that may take longer than what runs after an answer is the alarm's, and so is what an isolate has no room for.
  const { runs } = deployment;
  const takes = spec.run!.deadlineMs < LIMITS.firstAttemptMs && runs.underWay < LIMITS.runsAtOnce;
  const recorded = await attempt(() =>
    callFlows(gate, "recordRun", { cause: `id ${delivery.id}`, spec, takes }),
  );
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
  return ok(respondJson(JSON.stringify({ job_id: jobId }), { status: 202 }));
}

/** Find whose accounts a delivery's flow uses, in its verified body; null where it is to say and does not. */
function accountOf(
  { subject: pointer }: Pick<HookTrigger, "subject">,
  input: unknown,
  { request, tenant }: Hook,
  { configured }: Deployment,
): Account | undefined | null {
  if (pointer === undefined || configured.accounts === undefined) return undefined;
  const found = follow(input, parsePointer(pointer) ?? []);
  const value = found.found ? found.value : null;
  // A sender's long number keeps its digits.
  const named = JSON.isRawJSON(value) ? value.rawJSON : value;
  const isWord = typeof named === "string" || typeof named === "number";
  return isWord ? configured.accounts.of(String(named), { tenant, site: new URL(request.url).origin }) : null;
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

const REFUSED = makeRefusal("UNAUTHORIZED", "The delivery was refused.");
const UNREACHABLE = makeRefusal(
  "UNAVAILABLE",
  "Whether the delivery was recorded is not certain; send it again with the same id.",
  { retryAfterMs: 1_000 },
);
const PAUSED = makeRefusal("UNAVAILABLE", "The flow is paused; nothing was recorded. Send it again later.", {
  retryAfterMs: LIMITS.pausedRetryMs,
});
const FULL = makeRefusal("UNAVAILABLE", "Too many runs wait; nothing was recorded. Send it again later.", {
  retryAfterMs: 30_000,
});
