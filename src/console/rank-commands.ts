/** A place that the command bar leads to. */
export interface Command {
  readonly kind: string;
  readonly name: string;
  readonly href: string;
}

/** So many are shown: more than a person reads are found by another letter. */
const MOST = 8;
const ID = /^[\w.:-]{6,200}$/;

/** Find the commands that fit what was typed, the best first: those that begin so, then those with a word that does, then the rest. */
export function rankCommands(commands: readonly Command[], typed: string): readonly Command[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return commands.slice(0, MOST);
  const ranked = commands.flatMap((command) => {
    const rank = rankOf(command.name.toLowerCase(), wanted);
    return rank === null ? [] : [{ command, rank }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map(({ command }) => command);
}

/** Whether a text may be an id: one is found by asking for it. */
export function mayBeId(typed: string): boolean {
  return ID.test(typed.trim()) && /\d/.test(typed);
}

function rankOf(name: string, wanted: string): number | null {
  const at = name.indexOf(wanted);
  if (at === 0) return name.length === wanted.length ? 0 : 1;
  if (at > 0) return /[\w]/.test(name[at - 1]!) && name[at - 1] !== "_" ? 3 : 2;
  const words = wanted.split(/\s+/);
  return words.length > 1 && words.every((word) => name.includes(word)) ? 4 : null;
}
