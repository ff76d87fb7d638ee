import type { HeldBytes } from "../../../core/egress/held-bytes.ts";
import { AnswerBytes, createWait, readText } from "../../agent/read-answer.ts";
import type { ModelAddress } from "../../agent/ask-model.ts";
import { explainStatus, unavailable } from "../../agent/explain-refusal.ts";
import { isJsonObject, type JsonObject, parseExact } from "../../../core/contract/json.ts";
import * as LIMITS from "../limits.ts";
import type { Refusal } from "../../../core/contract/refusal.ts";
import { HOP_HEADER } from "../../../core/egress/guard-headers.ts";
import type { Ports } from "../../../core/egress/ports.ts";
import { createRedactor } from "../../../core/egress/redact.ts";
import type { RequestContext } from "../../../cloudflare/http/request-context.ts";
import { respondHeld } from "../../../cloudflare/http/respond-run.ts";
import { attempt, attemptNow, err, ok, type Result } from "../../../core/kit/result.ts";

/** The means of a question to a model's server. */
export interface ServerPorts {
  readonly ports: Pick<Ports, "clock" | "fetch">;
  readonly bytes: HeldBytes;
  /** Aborts when the caller has gone away. */
  readonly signal: AbortSignal;
}

/**
 * Ask a model's server something that no model answers, once. Its answer is bounded and held like a model's; its secrets and the field
 * that is ours are taken out.
 *
 * @param body sent as JSON by POST; without one it is a GET
 */
export async function askServer(
  { url, headers, secrets }: Pick<ModelAddress, "url" | "headers" | "secrets">,
  body: JsonObject | null,
  { ports, bytes, signal: gone }: ServerPorts,
): Promise<Result<JsonObject, Refusal>> {
  const over = new AbortController();
  const signal = AbortSignal.any([gone, over.signal]);
  const stopTimer = ports.clock.after(LIMITS.modelServerMs, () => over.abort());
  const reading = { wait: createWait(signal), clock: ports.clock };
  const ask = async (): Promise<Result<JsonObject, Refusal>> => {
    const response = await reading.wait(
      ports.fetch(url, {
        method: body === null ? "GET" : "POST",
        headers: {
          ...(body !== null && { "content-type": "application/json" }),
          ...headers,
          [HOP_HEADER]: "1",
        },
        ...(body !== null && { body: JSON.stringify(body) }),
        redirect: "manual",
        signal,
      }),
    );
    if (response.status !== 200)
      return err((await explainStatus(response, reading, { request: body ?? {}, body: body ?? {} })).refusal);
    const held = new AnswerBytes(bytes, signal);
    const text = await readText(response, reading, LIMITS.modelServerBytes, (read) => held.growTo(read));
    if (held.refused !== null) return err(held.refused);
    const parsed = text === null ? null : attemptNow(() => parseExact(createRedactor(secrets)(text)));
    if (parsed?.ok !== true || !isJsonObject(parsed.value)) return err(unavailable("answered unreadably"));
    const { volley: _, ...said } = parsed.value;
    return ok(said);
  };
  const asked = await attempt(ask);
  stopTimer();
  return asked.ok ? asked.value : err(unavailable("could not be reached"));
}

/** Answer with what a server said; its bytes are held until that has been read. */
export async function answerHeld(
  asked: Result<JsonObject, Refusal>,
  context: RequestContext,
  bytes: HeldBytes,
): Promise<Result<Response, Refusal>> {
  const json = asked.ok ? JSON.stringify(asked.value) : null;
  const release = json === null ? null : bytes.leaveTo(json);
  bytes.end();
  return asked.ok ? ok(await respondHeld(json!, context, { release: release!, headers: {} })) : asked;
}
