import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Upstream extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** Run one of the bench's upstreams in its own process and wait until it listens. */
export async function startUpstream(
  file: "upstream.ts" | "agent-model.ts" = "upstream.ts",
): Promise<Upstream> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)));
  const exited = once(child, "exit");
  const gone = exited.then(() => Promise.reject(new Error("Cannot start the upstream: it exited")));
  gone.catch(() => {});
  const [message] = (await Promise.race([once(child, "message"), gone])) as [{ port: number }];
  return {
    url: `http://127.0.0.1:${message.port}`,
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}
