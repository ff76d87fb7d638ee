import { accountsOf } from "../../../feature/gives.ts";
import type { Account } from "../../../core/contract/gate/caller.ts";
import type { HookFacts } from "../../../core/contract/gate/job.ts";
import { type JsonObject, visibleText } from "../../../feature/schema.ts";
import type { KeptFlow } from "../declaration/flow-schema.ts";
import { parseArgs } from "../../../core/catalog/parse-args.ts";
import type { Tool } from "../../../feature/tool.ts";
import * as LIMITS from "../limits.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { callFlows } from "../flow-run.ts";
import { makeRun } from "../run/make-run.ts";
import { acceptDelivery, findHandshake } from "../hooks/accept-delivery.ts";
import { findValue } from "../hooks/hook-form.ts";
import type { HookTrigger } from "../hooks/hook-trigger.ts";
import { chooseForm, proveDelivery, proveLarge } from "../hooks/verify-signature.ts";
import { bringsToken, formsOf, handshakesOf } from "../hooks/read-form.ts";
import { isRightToken } from "../hooks/verify-token.ts";
import { flawOf, SECRET_FLAWS } from "../hooks/webhook-secret.ts";
import type { HookWorld } from "../hooks/proofs.ts";
import { sleep } from "../../../feature/kit.ts";
import type { Deployment } from "../../../feature/define.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import { attemptRun } from "./attempt-run.ts";
import { IncomingBody } from "./hook-body.ts";
import { lookUpSecret } from "./flow-issues.ts";
import {
  respondAccepted,
  respondQuestion,
  respondText,
  respondUnwanted,
  WEB_PROOFS,
} from "./respond-hook.ts";

/** A delivery, and which flow of whose it is for. */
export interface Hook {
  readonly request: Request;
  readonly tenant: string;
  readonly name: string;
  readonly requestId: string;
  /** Keep work alive after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
}

/** The flow that a delivery is for, and how its sender is known. */
interface Wanted {
  readonly flow: Tool;
  readonly kept: KeptFlow;
  readonly toolJson: string;
  readonly webhook: HookTrigger;
  readonly context: RequestContext;
}

/** A refusal, and why in words for the operator. */
interface Refused {
  readonly refusal: Refusal;
  readonly reason: string;
}

/**
 * Answer a delivery of a webhook: verify it, record the run that it causes, and only then say so. The run begins after the
 * answer. A repeated delivery is told the same run.
 *
 * Every fault before a right signature, of delivery, address or secret, has the same refusal: who cannot sign learns nothing, and the log says why to the operator. Once the signature is right the sender is told
 * that all is well, also where the flow does not want the delivery: senders switch off what fails.
 */
export async function answerHook(hook: Hook, deployment: Deployment): Promise<Result<Response, Refusal>> {
  const body = new IncomingBody(hook.request);
  const answered = await attempt(() => answer(hook, deployment, body));
  if (!answered.ok && !body.isBroken) throw answered.error;
  const result = answered.ok ? answered.value : err({ refusal: REFUSED, reason: "its body broke off" });
  if (result.ok) {
    body.release();
    return result;
  }
  await attempt(() => body.drain());
  const { refusal, reason } = result.error;
  logHook(hook, deployment, "warn", { event: "hook_refused", reason });
  return err(body.isTooLarge ? TOO_LARGE : refusal);
}

async function answer(
  hook: Hook,
  deployment: Deployment,
  incoming: IncomingBody,
): Promise<Result<Response, Refused>> {
  const { request, tenant } = hook;
  if (incoming.isTooLarge) return err({ refusal: TOO_LARGE, reason: "its body is too large for every flow" });
  const found = await findFlow(hook, deployment);
  if (!found.ok) return request.method === "POST" ? found : err({ ...found.error, refusal: NO_METHOD });
  const { webhook, kept, context } = found.value;
  const handshakes = handshakesOf(webhook);
  if (request.method !== "POST" && !handshakes.some(({ method }) => method === request.method))
    return err({ refusal: NO_METHOD, reason: "its sender does not ask so" });
  const { ports } = context;
  const url = urlOf(request, deployment);
  const head = { method: request.method, url, headers: request.headers };
  const forms = formsOf(webhook);
  const form = chooseForm(forms, head);
  const bound = (webhook.max_body_kib ?? LIMITS.usualHookBodyKib) * 1024;
  const body = await incoming.read(bound);
  if (form === undefined) {
    const shaken = await findHandshake(handshakes, {
      ...head,
      body,
      isToken: (text) => isToken(text, hook, found.value, deployment),
    });
    if (shaken === null) return err({ refusal: REFUSED, reason: "it has no header of its sender's" });
    if (shaken.kind === "text") return ok(respondText(shaken.text));
    const brought = await attempt(() => callFlows(context.gate, "bringToken", hook.name, shaken.text));
    if (!brought.ok) return err({ refusal: UNREACHABLE, reason: "the tenant's object did not answer" });
    return brought.value
      ? ok(respondText(""))
      : err({ refusal: REFUSED, reason: "it brings a secret, and the flow has one" });
  }
  const secret = await lookUpSecret(webhook.secret, { tenant, configured: deployment.configured });
  const flaw = flawOf(forms, secret);
  if (flaw !== null)
    return err({ refusal: REFUSED, reason: `its secret ${webhook.secret} ${SECRET_FLAWS[flaw].is}` });
  const world: HookWorld = {
    secret: secret.ok ? secret.value : undefined,
    nowMs: ports.clock.now(),
    proofs: WEB_PROOFS,
  };
  if (body === null) {
    const chunks = incoming.chunks();
    const isRight = await ports.outside(proveLarge(head, form, { world, chunks }));
    if (!isRight)
      return err({ refusal: REFUSED, reason: "its body is too large, or its signature is not right" });
    return incoming.isCrowded
      ? err({ refusal: CROWDED, reason: "other deliveries hold too much at the moment" })
      : err({ refusal: tooLarge(bound), reason: "its body is too large for the flow" });
  }
  const proven = await ports.outside(proveDelivery({ ...head, body }, form, world));
  if (!proven.ok) return err({ refusal: REFUSED, reason: proven.error });
  const delivery = await ports.outside(acceptDelivery(proven.value, request.headers, webhook.events));
  if (delivery.kind === "question") return ok(respondQuestion(delivery.answer));
  const unwanted = (reason: string, more: object = {}): Result<Response, never> => {
    // Most senders send more than a flow wants.
    logHook(hook, deployment, "info", { event: "hook_not_accepted", reason, ...more });
    return ok(respondUnwanted(proven.value.form, reason));
  };
  if (delivery.kind === "ping") return unwanted("it is a ping");
  // A 2xx would promise a run, and a 401 would have the sender's operator look for a wrong secret.
  if (kept.flow.triggers?.paused === true) return err({ refusal: PAUSED, reason: "the flow is paused" });
  if (delivery.kind === "unwanted") return unwanted(delivery.reason);

  const fits = parseArgs(found.value.flow, delivery.input, { isForeign: true });
  if (!fits.ok) {
    // Where and what was expected, never what came.
    const misfits = (fits.error.issues ?? []).map(({ path, expected }) => ({ path, expected }));
    return unwanted("it does not fit the flow's input_schema", { misfits });
  }
  const account = accountOf(webhook, delivery.body, hook, deployment);
  if (account === null) return unwanted(`it names no subject at ${webhook.subject}`);
  const recorded = await record(hook, deployment, { ...found.value, delivery, account });
  return recorded.ok ? ok(respondAccepted(proven.value.form, recorded.value)) : recorded;
}

/** Whether a text is the one that a flow's sender asks with. */
async function isToken(
  text: string,
  { tenant }: Hook,
  { webhook }: Wanted,
  { configured }: Deployment,
): Promise<boolean> {
  const name = "verify_token" in webhook ? webhook.verify_token : undefined;
  if (name === undefined || text === "") return false;
  const secret = await lookUpSecret(name, { tenant, configured });
  return secret.ok && isRightToken(text, { query: "" }, { secret: secret.value, proofs: WEB_PROOFS });
}

/** Find the flow of a delivery among the tenant's tools. */
async function findFlow(
  { tenant, name, requestId, defer }: Hook,
  deployment: Deployment,
): Promise<Result<Wanted, Refused>> {
  const runner = deployment.runnerOf(tenant);
  if (runner === null) return err({ refusal: REFUSED, reason: "there is no such tenant" });
  const context = deployment.contextOf(runner, { requestId, defer });
  const known = await attempt(() => context.currentCatalog());
  const flow = (known.ok ? known.value : context.catalog).get(name);
  // There may be a flow, but the object did not answer: a sender that is told so sends again.
  if (!known.ok && flow === undefined)
    return err({ refusal: UNREACHABLE, reason: "the tenant's object did not answer" });
  if (flow?.added === undefined) return err({ refusal: REFUSED, reason: "there is no such flow" });
  const toolJson = flow.added.json;
  const kept = JSON.parse(toolJson) as KeptFlow;
  // The kept tool may be a plain one, which has no flow.
  const webhook = (kept as Partial<KeptFlow>).flow?.triggers?.webhook;
  if (webhook === undefined) return err({ refusal: REFUSED, reason: "the flow has no webhook" });
  return ok({ flow, kept, toolJson, webhook, context });
}

/** Record the run that a delivery causes, and begin it after the answer; the job's id. */
async function record(
  { tenant, defer }: Hook,
  deployment: Deployment,
  {
    kept,
    toolJson,
    webhook,
    context: { gate, ports },
    delivery: { input, hook },
    account,
  }: Wanted & {
    readonly delivery: { readonly input: JsonObject; readonly hook: HookFacts };
    readonly account: Account | undefined;
  },
): Promise<Result<string, Refused>> {
  const spec = makeRun({
    tenant,
    account,
    trigger: "webhook",
    hook,
    kept,
    toolJson,
    inputJson: JSON.stringify(input),
    newId: () => ports.newId(),
  });
  // One that may take longer than what runs after an answer is the alarm's, and so is what an isolate has no room for.
  const { runs } = deployment;
  const takes = spec.run!.deadlineMs < LIMITS.firstAttemptMs && runs.underWay < LIMITS.runsAtOnce;
  const cause = hook.id === null ? `run ${spec.id}` : `id ${hook.id}`;
  const recorded = await attempt(() =>
    callFlows(gate, "recordRun", { cause, spec, takes, closes: bringsToken(webhook) }),
  );
  if (!recorded.ok) return err({ refusal: UNREACHABLE, reason: "the tenant's object did not answer" });
  if (recorded.value.kind === "backlog-full") return err({ refusal: FULL, reason: "too many runs wait" });
  const { jobId, fence } = recorded.value;
  if (fence !== null) {
    runs.underWay += 1;
    const running = attempt(async () => {
      // In a turn of its own: what a run begins with, up to 25 calls, would otherwise be done before the answer leaves.
      await sleep(ports.clock, 0);
      await attemptRun({ spec, attempt: 1, fence }, deployment, { tenant, defer });
    });
    defer(running.then(() => (runs.underWay -= 1)));
  }
  return ok(jobId);
}

/** The address as its sender knows it: the deployment's own, where that is configured, with path and query as they came. */
function urlOf({ url }: Request, { configured }: Deployment): string {
  const [, rest = ""] = /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(url) ?? [];
  return `${configured.ownUrl ?? new URL(url).origin}${rest}`;
}

/** Find whose accounts a delivery's flow uses, in its verified body; null where it is to say and does not. */
function accountOf(
  { subject: pointer }: Pick<HookTrigger, "subject">,
  body: object,
  { request, tenant }: Hook,
  { configured }: Deployment,
): Account | undefined | null {
  const accounts = accountsOf(configured);
  if (pointer === undefined || accounts === undefined) return undefined;
  const value = findValue(pointer, body);
  // A sender's long number keeps its digits.
  const named = JSON.isRawJSON(value) ? value.rawJSON : value;
  const isWord = typeof named === "string" || typeof named === "number";
  return isWord ? accounts.of(String(named), { tenant, site: new URL(request.url).origin }) : null;
}

/** Tell the operator of a delivery that began nothing, and why. */
function logHook(
  { tenant, name, requestId }: Hook,
  deployment: Deployment,
  level: "info" | "warn",
  said: object,
): void {
  // Anybody may write anything into an address: where there is no such tenant, nothing of it is repeated.
  const of = deployment.runnerOf(tenant) === null ? {} : { tenant, flow: visibleText(name, 64) };
  deployment.ports.log(level, JSON.stringify({ ...said, ...of, request_id: requestId }));
}

const REFUSED = makeRefusal("UNAUTHORIZED", "The delivery was refused.");
const TOO_LARGE = tooLarge(LIMITS.hookBodyBytes);
const NO_METHOD = makeRefusal("METHOD_NOT_ALLOWED", "This path answers POST only.");
const UNREACHABLE = makeRefusal(
  "UNAVAILABLE",
  "Whether the delivery was recorded is not certain; send it again with the same id.",
  { retryAfterMs: 1_000 },
);
const PAUSED = later("The flow is paused", LIMITS.pausedRetryMs);
const FULL = later("Too many runs wait", 30_000);
const CROWDED = later("Other deliveries hold too much", 30_000);

function later(why: string, retryAfterMs: number): Refusal {
  return makeRefusal("UNAVAILABLE", `${why}; nothing was recorded. Send it again later.`, { retryAfterMs });
}

function tooLarge(bytes: number): Refusal {
  return makeRefusal("BODY_TOO_LARGE", `A delivery may take ${bytes} bytes here.`);
}
