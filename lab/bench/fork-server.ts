import { fork } from "node:child_process";
import { once } from "node:events";

export interface ForkedServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/**
 * Run a server in a process of its own and wait until it listens: it sends `{ port }` when it does, and ends when its
 * parent is gone.
 *
 * @param file its path
 * @param env what it finds in its environment besides ours
 */
export async function forkServer(
  file: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ForkedServer> {
  const child = fork(file, { env: { ...process.env, ...env } });
  const exited = once(child, "exit");
  const gone = exited.then(() => Promise.reject(new Error(`Cannot start ${file}: it exited`)));
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
