import { readdirSync, readFileSync } from "node:fs";

/**
 * Read how much CPU a process used so far, in microseconds; NaN where /proc does not tell (anything but Linux).
 *
 * CPU per request moves far less than throughput when something else uses the machine.
 */
export function readCpuMicros(pid: number): number {
  try {
    let nanos = 0;
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      nanos += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "latin1").split(" ", 1)[0]);
    }
    return nanos / 1000;
  } catch {
    return Number.NaN;
  }
}
