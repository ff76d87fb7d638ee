import { EventSplitter } from "../core/kit/event-splitter.ts";
import type { Api } from "./client/api.ts";
import { keepTold } from "./client/keep-told.ts";
import { makeApi, withQuery } from "./client/make-api.ts";
import {
  type ClientOptions,
  createTransport,
  type KeyedOptions,
  readJson,
  type RequestOptions,
  type Sending,
  type Transport,
} from "./client/transport.ts";
import type {
  ActionResult,
  BatchRequest,
  Confirmation,
  ConfirmationPage,
  ConfirmationsQuery,
  Envelope,
  Job,
  JobPage,
  JobsQuery,
  Plan,
  RecordedBatch,
  ResultPage,
  StreamEvent,
} from "./client/wire-types.ts";

export type { Api } from "./client/api.ts";
export {
  type ClientOptions,
  type KeyedOptions,
  type RequestOptions,
  VolleyError,
  type VolleyErrorCode,
} from "./client/transport.ts";
export type * from "./client/wire-types.ts";
export { type HereEnvelope, type HereOptions, type RunBatch, runHere } from "./here/run-here.ts";

export interface WaitOptions extends RequestOptions {
  /** Milliseconds between two looks; 500 unless said, and longer where the job's next attempt is. */
  readonly everyMs?: number;
}

export interface ResultsOptions extends RequestOptions {
  /** The `next_cursor` of an earlier page. */
  readonly cursor?: string;
}

export interface DecideOptions extends KeyedOptions {
  /** The `args_hash` of what was shown: anything else is refused. */
  readonly argsHash?: string;
}

/** The methods of Volley's client. Every method rejects with a `VolleyError`, or with its signal's reason. */
export interface Client {
  /** Run a batch: one result for every action, in the order asked. */
  execute(batch: BatchRequest, options?: KeyedOptions): Promise<Envelope>;
  /** Say how a batch would run, without running anything. */
  plan(batch: BatchRequest, options?: RequestOptions): Promise<Plan>;
  /**
   * Run a batch, and tell each result the moment it is known; at last the whole answer. A caller that stops reading stops its
   * reads.
   */
  stream(batch: BatchRequest, options?: KeyedOptions): AsyncGenerator<StreamEvent, void, void>;
  /** Record a batch, which then runs without anybody who waits, for a quarter of an hour at most. */
  begin(batch: BatchRequest, options?: KeyedOptions): Promise<RecordedBatch>;
  /** A page of the results of such a batch, those of one that still runs as far as they are known. */
  results(jobId: string, options?: ResultsOptions): Promise<ResultPage>;
  job(id: string, options?: RequestOptions): Promise<Job>;
  /** List jobs, newest first, without their data. */
  jobs(query?: JobsQuery, options?: RequestOptions): Promise<JobPage>;
  /** Ask for a job until it is over, however it ends. */
  waitFor(jobId: string, options?: WaitOptions): Promise<Job>;
  /** End a job that is not over. */
  cancel(jobId: string, options?: RequestOptions): Promise<Job>;
  /** Give a dead job new attempts. */
  redrive(jobId: string, options?: RequestOptions): Promise<Job>;
  /** List what waits for a person's yes. */
  confirmations(query?: ConfirmationsQuery, options?: RequestOptions): Promise<ConfirmationPage>;
  confirmation(id: string, options?: RequestOptions): Promise<Confirmation>;
  /** Say yes, which runs what was parked, or no: its results either way. */
  decide(id: string, decision: "approve" | "reject", options?: DecideOptions): Promise<Envelope>;
  /** Every path of the API, by group and name: `api.flows.put(name, flow)`. */
  readonly api: Api;
}

const BATCHES = "/v1/execute_actions";
const LOOK_MS = 500;
const LONGEST_LOOK_MS = 10_000;

/**
 * Create a client of Volley, for Node, browsers and Workers. A batch that fails in part is no error: each result says what became of
 * its action.
 *
 * @example
 * const volley = createClient({ url: "https://volley.example.com", key });
 * const { results } = await volley.execute({ actions: [{ tool: "get_weather", args: { city: "Phoenix" } }] });
 */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  const ask = <T>(path: string, sending: Sending = {}): Promise<T> =>
    transport.send(path, sending, (response) => readJson<T>(response));
  const client: Client = {
    execute: (batch, { idempotencyKey: key, signal } = {}) =>
      ask(BATCHES, { method: "POST", body: batch, key, signal }),
    plan: (batch, { signal } = {}) =>
      ask(BATCHES, { method: "POST", body: { ...batch, dry_run: true }, isRepeatable: true, signal }),
    stream: (batch, given) => streamBatch(transport, batch, given),
    begin: (batch, { idempotencyKey: key, signal } = {}) =>
      ask(BATCHES, { method: "POST", body: { ...batch, background: true }, key, signal }),
    results: (jobId, { cursor, signal } = {}) =>
      ask(withQuery(`/v1/jobs/${encodeURIComponent(jobId)}/results`, { cursor }), { signal }),
    job: (id, given) => ask(`/v1/jobs/${encodeURIComponent(id)}`, given),
    jobs: (query, given) => ask(withQuery("/v1/jobs", query), given),
    async waitFor(jobId, { everyMs = LOOK_MS, signal } = {}) {
      for (;;) {
        const job = await client.job(jobId, signal && { signal });
        if (job.status !== "running" && job.status !== "retrying") return job;
        const aheadMs = Date.parse(job.next_attempt_at ?? "") - Date.parse(job.updated_at) || 0;
        await transport.sleep(Math.max(everyMs, Math.min(aheadMs, LONGEST_LOOK_MS)), signal);
      }
    },
    cancel: (jobId, given) =>
      ask(`/v1/jobs/${encodeURIComponent(jobId)}/cancel`, { ...given, method: "POST" }),
    redrive: (jobId, given) =>
      ask(`/v1/jobs/${encodeURIComponent(jobId)}/redrive`, { ...given, method: "POST" }),
    confirmations: (query, given) => ask(withQuery("/v1/confirmations", query), given),
    confirmation: (id, given) => ask(`/v1/confirmations/${encodeURIComponent(id)}`, given),
    decide: (id, decision, { idempotencyKey: key, argsHash, signal } = {}) =>
      ask(`/v1/confirmations/${encodeURIComponent(id)}`, {
        method: "POST",
        body: { decision, ...(argsHash !== undefined && { args_hash: argsHash }) },
        key,
        signal,
      }),
    api: makeApi(transport),
  };
  return client;
}

/**
 * Stream a batch. A stream that breaks off goes on where it was, with an idempotency key: it is asked for again, and what was told
 * before is not told twice, and stands in the answer.
 */
async function* streamBatch(
  transport: Transport,
  batch: BatchRequest,
  { idempotencyKey: key, signal }: KeyedOptions = {},
): AsyncGenerator<StreamEvent, void, void> {
  const stopped = new AbortController();
  const told = new Map<number, ActionResult>();
  const queue: StreamEvent[] = [];
  let wake = (): void => {};
  const tell = (event: StreamEvent): void => {
    queue.push(event);
    wake();
  };
  const signals = [stopped.signal, ...(signal === undefined ? [] : [signal])];
  const sending: Sending = {
    method: "POST",
    body: batch,
    accept: "text/event-stream",
    key,
    signal: AbortSignal.any(signals),
  };
  const running = transport.send(BATCHES, sending, async (response) => {
    const before = new Map(told);
    for await (const { event, data } of readEvents(response.body!)) {
      if (event === "done") {
        const envelope = JSON.parse(data) as Envelope;
        return tell({
          event,
          envelope: before.size > 0 ? keepTold(envelope, (index) => before.get(index)) : envelope,
        });
      }
      if (event !== "result") continue;
      const result = JSON.parse(data) as ActionResult;
      if (told.has(result.index)) continue;
      told.set(result.index, result);
      tell({ event, result });
    }
    throw new Error("The stream ended before the batch did");
  });
  let isOver = false;
  const end = (): void => {
    isOver = true;
    wake();
  };
  running.then(end, end);
  try {
    for (;;) {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        yield next;
        if (next.event === "done") return;
      }
      // Why it is over is told when everything that came before it was.
      if (isOver) await running;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stopped.abort();
  }
}

/** One event of a stream. */
interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Read server-sent events that have a name and data, as all of Volley's have; comments in between keep the connection alive. Text
 * after the last blank line is not an event yet.
 */
async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const splitter = new EventSplitter();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const { name, data } of splitter.read(decoder.decode(value, { stream: true })))
        if (name !== "" && data !== null) yield { event: name, data };
    }
  } finally {
    // A caller that stops reading takes no more of it, and the server hears that.
    void reader.cancel().then(undefined, () => {});
  }
}
