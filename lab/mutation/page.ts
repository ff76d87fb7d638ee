/** The part of lab/mutation/report.md that a command writes: figures, and every survivor with its reason. */
import { countMutants, isAlive, type Mutant } from "./mutants.ts";
import { findReason, type Reasons } from "./reasons.ts";

export type MutantsOfFiles = Readonly<Record<string, readonly Mutant[]>>;

const BEGIN = "<!-- npm run mutation -- --write -->";
/** Lines of one file and reason that are written out. */
const SHOWN = 8;
/**
 * Every room of `src` but `tools` (requests to providers, held by strict stand-ins) and `console` (held in a real browser), lowest first.
 * Each feature is one, so that a night is enough for any of them.
 */
export const ROOMS = [
  "core/kit",
  "core/contract",
  "core/catalog",
  "core/plan",
  "core/gate/state",
  "core/egress",
  "core/answer",
  "core/observe",
  "core/gate",
  "core/run",
  "core/run/execute",
  "turns",
  "packs",
  "features/added-tools",
  "features/agent",
  "features/background",
  "features/confirmations",
  "features/connections",
  "features/console",
  "features/cors",
  "features/discovery",
  "features/docs",
  "features/document",
  "features/endpoints",
  "features/flows",
  "features/formats",
  "features/imports",
  "features/keys",
  "features/mcp",
  "features/models",
  "features/objects",
  "features/operator",
  "features/orchestration",
  "features/responses",
  "features/runs",
  "features/sign-in",
  "features/tenant-data",
  "features/tokens",
  "features/undo",
  "features/usage",
  "features/workspace",
  "cloudflare",
  "feature",
  "package",
] as const;

/**
 * Put figures and survivors behind the page's mark; what a person wrote above it stays. So does what was found earlier of a room
 * of which nothing is known now: then there is no sum, which would be one of different versions.
 */
export function updatePage(
  page: string,
  { mutants, reasons }: { mutants: MutantsOfFiles; reasons: Reasons },
): string {
  const [written, before] = page.split(BEGIN);
  if (before === undefined) throw new Error(`Cannot write the page: it has no line ${BEGIN}`);
  const isUntried = (room: string): boolean => ofRoom(room, mutants).length === 0;
  const parts = [
    BEGIN,
    "",
    ...makeTable(mutants).filter((row) => !row.startsWith("| all ") || !ROOMS.some(isUntried)),
    ...ROOMS.filter(isUntried).map((room) => rowBefore(room, before)),
    "",
    ...ROOMS.flatMap((room) =>
      isUntried(room) ? partBefore(room, before) : makeRoom(room, { mutants, reasons }),
    ),
  ];
  return `${written}${parts.join("\n").trimEnd()}\n`;
}

/** Find what a page says of a room in its table. */
function rowBefore(room: string, page: string): string {
  const figures = new RegExp(`^\\| \`${room}\`(?:, of an earlier version)? (\\|.*)$`, "m").exec(page)?.[1];
  return figures === undefined
    ? `| \`${room}\`, not tried yet |${" |".repeat(8)}`
    : `| \`${room}\`, of an earlier version ${figures}`;
}

/** Find what a page says of a room's survivors. */
function partBefore(room: string, page: string): readonly string[] {
  const [, part] = page.split(`## What survives in \`${room}\`\n`);
  return part === undefined ? [] : [`## What survives in \`${room}\``, part.split("\n## ")[0]!.trimEnd(), ""];
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
  ];
}

/** Find the rooms that notice less than they should, and those of which no mutant has been tried. */
export function findShort(mutants: MutantsOfFiles, leastPercent: number): readonly string[] {
  return ROOMS.flatMap((room) => {
    const of = ofRoom(room, mutants);
    if (of.length === 0) return [`${room}: not tried yet`];
    const { percent } = countMutants(of);
    return percent < leastPercent ? [`${room}: ${inPercent(percent)}, less than ${leastPercent} %`] : [];
  });
}

/** Find the survivors without a reason. Texts for people need none. */
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
  return Object.entries(mutants).flatMap(([file, of]) => (isOf(room, file) ? of : []));
}

/** A room as a part of a file's name. */
export const toFileName = (room: string): string => room.replaceAll("/", "-");

/** The pages that features bring to the console. */
const PAGES = /^src\/features\/[^/]+\/console\//;

/** Whether a file belongs to a room. Rooms inside of others are rooms of their own, and the pages of features are the console's. */
export function isOf(room: string, file: string): boolean {
  const is = (one: string): boolean => file.startsWith(`src/${one}/`);
  return is(room) && !PAGES.test(file) && !ROOMS.some((other) => other.startsWith(`${room}/`) && is(other));
}

function makeRoom(
  room: string,
  { mutants, reasons }: { mutants: MutantsOfFiles; reasons: Reasons },
): readonly string[] {
  const files = Object.entries(mutants).filter(([file, of]) => isOf(room, file) && of.some(isAlive));
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
    const why = findReason(reasons, { file, mutant }) ?? "**No reason is given.**";
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
  return (
    text
      .replaceAll("|", "\\|")
      .replaceAll("`", "'")
      // A pattern is no link.
      .replaceAll("](", "] (")
  );
}
