import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

const KEY = "sandbox-key";
const TIMEOUT_MS = 10_000;
/** A batch is sent once, so a busy machine is waited for. */
const BATCH_TIMEOUT_MS = 60_000;

export interface ChaosAction {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, number>>;
  readonly depends_on?: readonly string[];
}

/** The fields of `GET /v1/jobs/{id}` that matter here. */
export interface JobView {
  readonly status: string;
  readonly attempts: number;
  /** The provider's answer to the attempt that is believed. */
  readonly data?: { readonly attempt: number };
}

export interface BatchOptions {
  readonly actions: readonly ChaosAction[];
  /** Ask for server-sent events, so that `initiated` arrives before the batch has ended. */
  readonly streamed: boolean;
  /** Called in the same turn as the first `initiated` is complete: nothing comes between the promise and the kill. */
  readonly onInitiated: () => void;
  /** A refusal is no reason to stop: nothing was promised. */
  readonly mayBeRefused?: boolean;
}

interface Result {
  readonly id: string;
  readonly status: string;
  readonly job_id?: string;
}

/**
 * Send a batch and give the jobs that were called initiated (action id → job id), however the connection ended.
 *
 * Only what arrived whole counts as promised. Rejects on a refusal: then the test is wrong, not the runtime.
 */
export async function sendBatch(
  url: string,
  { actions, streamed, onInitiated, mayBeRefused = false }: BatchOptions,
): Promise<ReadonlyMap<string, string>> {
  let promised = new Map<string, string>();
  const answer = await exchange(`${url}/v1/execute_actions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(streamed && { accept: "text/event-stream" }) },
    body: JSON.stringify({ actions }),
    timeoutMs: BATCH_TIMEOUT_MS,
    onText(text, isWhole) {
      const before = promised.size;
      promised = toInitiated(streamed ? readEvents(text) : isWhole ? readEnvelope(text) : []);
      if (before === 0 && promised.size > 0) onInitiated();
    },
  });
  if (answer !== null && answer.status !== 200 && !mayBeRefused)
    throw new Error(`Cannot send a batch: ${answer.status} ${answer.text}`);
  return promised;
}

/** Ask about a job of the key's tenant; null when it does not exist, undefined when the server could not say just now. */
export async function readJob(url: string, jobId: string, key?: string): Promise<JobView | null | undefined> {
  const answer = await exchange(`${url}/v1/jobs/${jobId}`, {
    method: "GET",
    ...(key !== undefined && { key }),
  });
  if (answer?.status === 404) return null;
  return answer?.status === 200 ? (JSON.parse(answer.text) as JobView) : undefined;
}

function readEnvelope(text: string): readonly Result[] {
  const { results = [] } = JSON.parse(text) as { readonly results?: readonly Result[] };
  return results;
}

function readEvents(text: string): readonly Result[] {
  const whole = text.slice(0, Math.max(0, text.lastIndexOf("\n\n")));
  return whole.split("\n\n").flatMap((event) => {
    const data = /^event: result\ndata: (.+)$/m.exec(event)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as Result];
  });
}

function toInitiated(results: readonly Result[]): Map<string, string> {
  const initiated = results.filter(({ status }) => status === "initiated");
  return new Map(initiated.map(({ id, job_id }) => [id, job_id ?? ""]));
}

export interface Exchange {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The sandbox's usual one unless said otherwise. A delivery of a webhook has one too, which is not looked at. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** How long the whole exchange may take. */
  readonly timeoutMs?: number;
  /** Told the text so far, and whether it is all of it. */
  readonly onText?: (text: string, isWhole: boolean) => void;
}

export interface Exchanged {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** Exchange one request over a connection of its own; null when it broke off before the answer was whole. */
export function exchange(
  url: string,
  { method, key = KEY, headers, body, timeoutMs = TIMEOUT_MS, onText = () => {} }: Exchange,
): Promise<Exchanged | null> {
  return new Promise((resolve) => {
    const sent: ClientRequest = request(url, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    sent.on("error", () => resolve(null));
    sent.on("response", (response: IncomingMessage) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        onText(text, false);
      });
      response.on("error", () => resolve(null));
      response.on("close", () => resolve(null));
      response.on("end", () => {
        onText(text, true);
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
      });
    });
    sent.end(body);
  });
}
