import type { QuotaState } from "../../contract/admission.ts";
import type { Batch } from "../../contract/batch.ts";
import { execute } from "../../executor.ts";
import type { Execution } from "../../run/execution.ts";
import { ok } from "../../kit/result.ts";
import { type RequestContext, toExecution } from "./request-context.ts";
import { baseHeaders, quotaHeaders, replayHeaders, respondProblem } from "./respond.ts";

/** Proxies give up on a silent connection after 30 to 60 s. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Answer a batch as server-sent events: `result` for every action the moment its outcome is known, then `done` with
 * the whole envelope. A dry run has no results: its plan is the `done`.
 *
 * An answer that is replayed for its idempotency key comes as the same events, all at once.
 *
 * The response starts when the batch is admitted, so a refusal still is a problem document with its own status. When
 * the client goes away, by the request's signal or by cancelling the stream, the batch is told.
 */
export async function streamBatch(
  batch: Batch,
  { signal, ...keyed }: Pick<Execution, "signal" | "batchKey">,
  context: RequestContext,
): Promise<Response> {
  const { caller, requestId, ports } = context;
  const gone = new AbortController();
  signal.addEventListener("abort", () => gone.abort(), { once: true });

  const encoder = new TextEncoder();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const send = (text: string): void => void writer.write(encoder.encode(text)).catch(() => gone.abort());

  const admitted = Promise.withResolvers<QuotaState | null>();
  const execution = execute(batch, {
    ...toExecution(context, gone.signal),
    ...keyed,
    onAdmitted: admitted.resolve,
    onResult: (json) => send(`event: result\ndata: ${json}\n\n`),
  });
  // A dry run is over without ever being admitted, and so is a replay.
  const first = await Promise.race([
    admitted.promise.then((quota) => ok({ quota, replayed: false })),
    execution,
  ]);
  if (!first.ok) {
    return respondProblem(first.error.refusal, requestId, quotaHeaders(caller, first.error.quota));
  }

  let stopKeepAlive = (): void => {};
  const keepAlive = (): void => {
    stopKeepAlive = ports.clock.after(KEEP_ALIVE_MS, () => {
      send(": still running\n\n");
      keepAlive();
    });
  };
  keepAlive();
  context.defer(
    execution.then((answer) => {
      stopKeepAlive();
      if (answer.ok) {
        const { envelopeJson, replayed } = answer.value;
        if (replayed) for (const json of resultsOf(envelopeJson)) send(`event: result\ndata: ${json}\n\n`);
        send(`event: done\ndata: ${envelopeJson}\n\n`);
      }
      return writer.close().catch(() => {});
    }),
  );
  return new Response(readable, {
    headers: {
      ...baseHeaders(requestId),
      "content-type": "text/event-stream",
      ...quotaHeaders(caller, first.value.quota),
      ...replayHeaders(first.value.replayed),
    },
  });
}

function resultsOf(envelopeJson: string): string[] {
  const { results } = JSON.parse(envelopeJson) as { readonly results: readonly unknown[] };
  return results.map((result) => JSON.stringify(result));
}
