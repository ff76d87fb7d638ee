import { setTimeout as sleep } from "node:timers/promises";

/** Wait until a server answers, whatever it answers; false where it is over before. */
export async function untilAnswers(url: string, isOver: () => boolean): Promise<boolean> {
  while (!isOver()) {
    const answers = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answers) return true;
    await sleep(200);
  }
  return false;
}
