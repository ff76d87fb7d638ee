import { readFile } from "node:fs/promises";

/** The resident memory of a process, in megabytes. */
async function rssMbOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024;
}

/** Watch how much memory a process takes from now on; what ends that gives how much more it was at most, in megabytes. */
export async function watchMemory(pid: number): Promise<() => Promise<number>> {
  const before = await rssMbOf(pid);
  let peak = before;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      peak = Math.max(peak, await rssMbOf(pid));
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
  })();
  return async () => {
    over.abort();
    await watching;
    return peak - before;
  };
}
