/** End this process once the one that started it is gone: a shell between npm and this process does not pass signals on. */
export function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.kill(process.pid, "SIGTERM"), 500).unref();
}
