import { readdirSync, readFileSync } from "node:fs";

/**
 * Read how much CPU a process used so far, in microseconds; NaN where /proc does not tell (anything but Linux).
 *
 * The sum over its threads, because that is counted in nanoseconds; `utime + stime` of /proc/PID/stat is the same in
 * hundredths of a second, too coarse for a start. A thread that has ended is missing; workerd keeps its own.
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

/**
 * Read how much CPU was used on this machine so far, in microseconds, to the hundredth of a second; NaN where /proc does not
 * tell. Time that a hypervisor gave to others counts as used: it was not there for us either.
 */
export function readMachineMicros(): number {
  try {
    const [user, nice, system, , , irq, softirq, steal] = readFileSync("/proc/stat", "latin1")
      .slice("cpu  ".length)
      .split(" ", 8)
      .map(Number) as [number, number, number, number, number, number, number, number];
    return (user + nice + system + irq + softirq + steal) * 10_000;
  } catch {
    return Number.NaN;
  }
}
