import { Player } from "./player.ts";
import type { Move } from "./sequence.ts";

/** Say what is wrong with a sequence; what it broke off with is that too. */
export async function faultsOf(moves: readonly Move[]): Promise<readonly string[]> {
  return Player.play(moves).catch((error: unknown) => [String(error)]);
}

/** Take moves from a sequence that goes wrong, and faults from those moves, as long as it goes wrong in the same way. */
export async function shrink(moves: readonly Move[]): Promise<readonly Move[]> {
  const wrong = kindOf(await faultsOf(moves));
  let least = moves;
  const tryIt = async (less: readonly Move[]): Promise<boolean> => {
    const isSame = kindOf(await faultsOf(less)) === wrong;
    if (isSame) least = less;
    return isSame;
  };
  for (let at = moves.length - 1; at >= 0; at -= 1) await tryIt(least.toSpliced(at, 1));
  for (let at = 0; at < least.length; at += 1) {
    const quiet = { treatments: [], meanwhile: "nothing" } as const;
    if (await tryIt(least.with(at, { ...least[at]!, ...quiet }))) continue;
    for (const one of Object.entries(quiet))
      await tryIt(least.with(at, { ...least[at]!, ...Object.fromEntries([one]) }));
  }
  return least;
}

/** Name a fault without what it is about. */
function kindOf(faults: readonly string[]): string | undefined {
  return faults.at(-1)?.replaceAll(/t\d-\w+-\d{6}|[\da-f-]{36}|\(.*\)|\d+/g, "");
}
