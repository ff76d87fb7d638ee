/** The fates of the mutants, as Stryker's JSON report says them, in the form this folder keeps and counts. */

/** The part of a mutation testing report that is read here (the schema `mutation-testing-report-schema`, version 2). */
export interface Report {
  readonly files: Readonly<
    Record<string, { readonly source: string; readonly mutants: readonly ReportedMutant[] }>
  >;
}

interface ReportedMutant {
  readonly mutatorName: string;
  readonly replacement?: string | undefined;
  readonly status: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Mutant {
  readonly line: number;
  /** The line of source it begins in, without the white space around it: what a reason is found by, since numbers move. */
  readonly code: string;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  readonly fate: "killed" | "timeout" | "survived" | "unreached" | "at load";
  /** It only takes words out of a text that people or models read; counted, and counted apart. */
  readonly isSentence: boolean;
}

const FATES: Readonly<Record<string, Mutant["fate"]>> = {
  Killed: "killed",
  Timeout: "timeout",
  Survived: "survived",
  NoCoverage: "unreached",
  Ignored: "at load",
};

/** Read a report: each file's mutants, in its order. A mutant that could not be run at all is a bug of the tool, so it throws. */
export function readMutants({ files }: Report): Readonly<Record<string, readonly Mutant[]>> {
  return Object.fromEntries(
    Object.entries(files).map(([file, { source, mutants }]) => {
      const lines = source.split("\n");
      return [file, mutants.map((mutant) => toMutant(mutant, { file, lines }))];
    }),
  );
}

/**
 * Put the mutants of the files that were tried in place of the known ones. An incremental report has some of other files too, but not
 * all of those: they are not believed.
 */
export function replaceTried<T>(
  known: Readonly<Record<string, T>>,
  reported: Readonly<Record<string, T>>,
  tried: readonly string[],
): Readonly<Record<string, T>> {
  return {
    ...known,
    ...Object.fromEntries(Object.entries(reported).filter(([file]) => tried.includes(file))),
  };
}

function toMutant(
  { mutatorName, replacement = "", status, location: { start, end } }: ReportedMutant,
  { file, lines }: { file: string; lines: readonly string[] },
): Mutant {
  const fate = FATES[status];
  if (fate === undefined) throw new Error(`Cannot count a mutant of ${file}:${start.line}: it is ${status}`);
  const covered = lines.slice(start.line - 1, end.line);
  const last = covered.length - 1;
  const original = covered
    .map((text, index) =>
      text.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined),
    )
    .join("\n");
  const isSentence = mutatorName === "StringLiteral" && saysSomething(original);
  const code = lines[start.line - 1]!.trim();
  return { line: start.line, code, mutator: mutatorName, original, replacement, fate, isSentence };
}

/** Two words with a space between them, apart from what a template fills in. */
function saysSomething(literal: string): boolean {
  return /\p{L}{2,}[,.:;]? \p{L}{2,}/u.test(literal.replaceAll(/\$\{[^}]*\}/g, ""));
}

/** How many of some mutants met which fate, and the share that was noticed, in percent. */
export interface Score {
  readonly all: number;
  readonly killed: number;
  readonly timeout: number;
  readonly survived: number;
  readonly unreached: number;
  readonly atLoad: number;
  readonly percent: number;
}

/** Count mutants. Those of what runs while modules load are not tried, so they are in neither part of the share. */
export function countMutants(mutants: readonly Mutant[]): Score {
  const count = (fate: Mutant["fate"]): number => mutants.filter((mutant) => mutant.fate === fate).length;
  const [killed, timeout, survived, unreached] = [
    count("killed"),
    count("timeout"),
    count("survived"),
    count("unreached"),
  ];
  const tried = killed + timeout + survived + unreached;
  return {
    all: mutants.length,
    killed,
    timeout,
    survived,
    unreached,
    atLoad: count("at load"),
    percent: tried === 0 ? 100 : (100 * (killed + timeout)) / tried,
  };
}

export function isAlive({ fate }: Mutant): boolean {
  return fate === "survived" || fate === "unreached";
}
