import { setTimeout as sleep } from "node:timers/promises";

const EVERY_MS = 2;

/** Wait until as many calls were made as were promised, and say how many were not when patience was over. */
export async function countLost(
  promised: number,
  readMade: () => Promise<number>,
  patienceMs: number,
): Promise<number> {
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    const lost = promised - (await readMade());
    if (lost <= 0) return 0;
    if (performance.now() >= endsAt) return lost;
    await sleep(EVERY_MS);
  }
}
