/** The part of docs/mutation.md that a command writes: figures, and every survivor with its reason. */
import { countMutants, isAlive, type Mutant } from "./mutants.ts";
import { findReason, type Reasons } from "./reasons.ts";

export type MutantsOfFiles = Readonly<Record<string, readonly Mutant[]>>;

const BEGIN = "<!-- npm run mutation -- --write -->";
/** Lines of one file and reason that are written out. */
const SHOWN = 8;
export const ROOMS = ["plan", "state", "run", "agent"] as const;

/** Put figures and survivors behind the page's mark; what a person wrote above it stays. */
export function updatePage(
  page: string,
  { mutants, reasons }: { mutants: MutantsOfFiles; reasons: Reasons },
): string {
  const [written] = page.split(BEGIN);
  if (written === page) throw new Error(`Cannot write the page: it has no line ${BEGIN}`);
  const parts = [
    BEGIN,
    "",
    ...makeTable(mutants),
    ...ROOMS.flatMap((room) => makeRoom(room, { mutants, reasons })),
  ];
  return `${written}${parts.join("\n").trimEnd()}\n`;
}

/** Make the table of the rooms: a share for all that was tried, and one without the sentences. */
export function makeTable(mutants: MutantsOfFiles): readonly string[] {
  const rows = ROOMS.map((room) => [`\`${room}\``, ofRoom(room, mutants)] as const).filter(
    ([, of]) => of.length > 0,
  );
  const all = rows.flatMap(([, of]) => of);
  return [
    "| room | mutants | killed | ran without end | survived | no test passes | at load, not tried | noticed | without sentences |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ...(rows.length > 1 ? [...rows, ["all", all] as const] : rows).map(([name, of]) => {
      const score = countMutants(of);
      const plain = countMutants(of.filter(({ isSentence }) => !isSentence));
      const counts = [score.all, score.killed, score.timeout, score.survived, score.unreached, score.atLoad];
      return `| ${[name, ...counts.map((count) => count.toLocaleString("en")), inPercent(score.percent), inPercent(plain.percent)].join(" | ")} |`;
    }),
    "",
  ];
}

/** Find the survivors that nobody has given a reason for. Texts for people need none. */
export function findUnexplained(mutants: MutantsOfFiles, reasons: Reasons): readonly string[] {
  return Object.entries(mutants).flatMap(([file, of]) =>
    of
      .filter((mutant) => isAlive(mutant) && findReason(reasons, { file, mutant }) === undefined)
      .map(
        (mutant) =>
          `${file}:${mutant.line} ${mutant.mutator} ${mutant.fate}: ${short(mutant.original)} → ${short(mutant.replacement)}`,
      ),
  );
}

/** Find the reasons that no survivor has any more, in the files that were tried: what is not needed is not to be believed either. */
export function findUnneeded(mutants: MutantsOfFiles, reasons: Reasons): readonly string[] {
  return Object.entries(mutants).flatMap(([file, of]) => {
    const alive = of.filter(isAlive);
    return (reasons[file] ?? []).flatMap(({ on = [""] }) =>
      on
        .filter((part) => !alive.some(({ code }) => code.includes(part)))
        .map((part) => `${file}: nothing survives on '${part}'`),
    );
  });
}

function ofRoom(room: string, mutants: MutantsOfFiles): readonly Mutant[] {
  return Object.entries(mutants).flatMap(([file, of]) => (file.startsWith(`src/${room}/`) ? of : []));
}

function makeRoom(
  room: string,
  { mutants, reasons }: { mutants: MutantsOfFiles; reasons: Reasons },
): readonly string[] {
  const files = Object.entries(mutants).filter(
    ([file, of]) => file.startsWith(`src/${room}/`) && of.some(isAlive),
  );
  return files.length === 0
    ? []
    : [
        `## What survives in \`${room}\``,
        "",
        "| where | how many | why |",
        "|---|---:|---|",
        ...files.flatMap(([file, of]) => rowsOf(file, { alive: of.filter(isAlive), reasons })),
        "",
      ];
}

function rowsOf(
  file: string,
  { alive, reasons }: { alive: readonly Mutant[]; reasons: Reasons },
): readonly string[] {
  const groups = new Map<string, Mutant[]>();
  for (const mutant of alive) {
    const why = findReason(reasons, { file, mutant }) ?? "**Nobody has said why.**";
    groups.set(why, [...(groups.get(why) ?? []), mutant]);
  }
  return [...groups].map(([why, of]) => {
    const lines = [...new Set(of.map(({ code }) => `\`${inCell(short(code))}\``))];
    const more = lines.length > SHOWN ? ` and ${lines.length - SHOWN} more lines` : "";
    const shown = `${lines.slice(0, SHOWN).join(", ")}${more}`;
    return `| \`${file.slice("src/".length)}\` ${shown} | ${of.length} | ${inCell(why)} |`;
  });
}

function inPercent(percent: number): string {
  return `${percent.toFixed(1)} %`;
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
}

function inCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("`", "'");
}
