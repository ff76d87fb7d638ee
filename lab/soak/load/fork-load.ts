import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Evidence, FromLoad, Latency, ToLoad } from "./ledger.ts";

/** The process that asks and answers. */
export interface Load extends AsyncDisposable {
  readonly upstreamUrl: string;
  readonly modelUrl: string;
  /** Let it begin; when it did, in milliseconds since the epoch. */
  start(url: string): Promise<number>;
  /** Ask nothing more, wait until everything has ended, and give what is known of it. */
  finish(): Promise<Evidence>;
}

/** Start it, and wait until its upstreams listen. Rejects when it dies before it has said all. */
export async function forkLoad(
  { seed, minutes, rate }: { readonly seed: number; readonly minutes: number; readonly rate: number },
  onLatencies: (latencies: readonly Latency[]) => void,
): Promise<Load> {
  const script = fileURLToPath(new URL("run-load.ts", import.meta.url));
  const child = fork(script, [seed, minutes, rate].map(String), { stdio: "inherit" });
  const exited = once(child, "exit");
  const ready = Promise.withResolvers<Extract<FromLoad, { kind: "ready" }>>();
  const began = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<Evidence>();
  // A waiting caller is told; no other handler is needed.
  for (const { promise } of [began, ended]) promise.catch(() => {});
  child.on("message", (message: FromLoad) => {
    if (message.kind === "ready") ready.resolve(message);
    else if (message.kind === "began") began.resolve(message.at);
    else if (message.kind === "latencies") onLatencies(message.latencies);
    else ended.resolve(message.evidence);
  });
  void exited.then(([code]) => {
    const gone = new Error(`Cannot go on: the load ended with ${code}`);
    ready.reject(gone);
    began.reject(gone);
    ended.reject(gone);
  });
  const { upstreamUrl, modelUrl } = await ready.promise;
  const tell = (message: ToLoad): void => void child.send(message);
  return {
    upstreamUrl,
    modelUrl,
    start(url) {
      tell({ kind: "start", url });
      return began.promise;
    },
    finish() {
      tell({ kind: "stop" });
      return ended.promise;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}
