import type { Bash } from "just-bash/browser";

import { attempt, attemptNow } from "../core/kit/result.ts";
import { countFor, spendOn, type Work } from "./count-work.ts";

/**
 * The plain forms of `tr`, `sed` and `grep`, whose cost is a few native searches for each line: the library's own take a step or more for
 * each character, and megabytes of them more than a command may. Any other form, and whatever goes wrong, is the library's.
 */
export function addPlainCommands(shell: Bash, work: Work): void {
  const { commands } = shell as unknown as { readonly commands: Map<string, Command> };
  for (const [name, toPlain] of Object.entries(PLAIN)) {
    const own = commands.get(name)!;
    commands.set(name, {
      ...own,
      execute: async (args, ctx) => (await runPlain(toPlain(args), ctx, work)) ?? own.execute(args, ctx),
    });
  }
}

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

interface Context {
  readonly cwd: string;
  readonly stdin: string;
  readonly fs: Pick<Bash["fs"], "readFileBuffer" | "resolvePath">;
  readonly limits: { readonly maxOutputSize: number; readonly maxStringLength: number };
}

interface Command {
  readonly name: string;
  execute(args: string[], ctx: Context): Promise<Ran>;
}

/** A command in its plain form: which file it reads, unless it is its input, and what it makes of a text. */
interface Plain {
  readonly file: string | undefined;
  /** Write the output; gives how the command ends. */
  readonly run: (text: string, output: Output) => number;
}

const PLAIN: Readonly<Record<string, (args: readonly string[]) => Plain | null>> = {
  tr: toPlainTr,
  sed: toPlainSed,
  grep: toPlainGrep,
};

async function runPlain(plain: Plain | null, ctx: Context, work: Work): Promise<Ran | null> {
  if (plain === null) return null;
  const text = await readText(plain.file, ctx);
  // Other commands of the tenant may have run meanwhile.
  countFor(work);
  if (text === null) return null;
  spendOn(2 * text.length);
  const output = new Output(Math.min(ctx.limits.maxOutputSize, ctx.limits.maxStringLength));
  const exitCode = plain.run(text, output);
  const stdout = output.end();
  return stdout === null ? null : { stdout, stderr: "", exitCode };
}

/** Pieces that are joined before they are many. */
const MOST_PIECES = 4_096;

/** The output of a command, as far as it is no more than it may be. */
class Output {
  readonly #most: number;
  #text = "";
  #pieces: string[] = [];
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Add a piece; false where it is too much. */
  add(piece: string): boolean {
    this.#length += piece.length;
    if (this.#length > this.#most) return false;
    this.#pieces.push(piece);
    if (this.#pieces.length === MOST_PIECES) this.#join();
    return true;
  }

  /** All of it; null where it is too much. */
  end(): string | null {
    this.#join();
    // A character has three bytes at most.
    const isShort = 3 * this.#length <= this.#most;
    return isShort || (this.#length <= this.#most && sizeOf(this.#text) <= this.#most) ? this.#text : null;
  }

  #join(): void {
    spendOn(this.#length - this.#text.length);
    this.#text += this.#pieces.join("");
    this.#pieces = [];
  }
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a file, or of the input, which has a character for each byte; null where there is none, or it is no text. */
async function readText(file: string | undefined, { fs, cwd, stdin }: Context): Promise<string | null> {
  const bytes =
    file === undefined
      ? toBytes(stdin)
      : await attempt(() => fs.readFileBuffer(fs.resolvePath(cwd, file))).then((read) =>
          read.ok ? read.value : null,
        );
  if (bytes === null) return null;
  const text = attemptNow(() => UTF_8.decode(bytes));
  // The library has its own way with marks of byte order, and with bytes that are no text.
  return text.ok && !/^\ufeff|\0/.test(text.value) ? text.value : null;
}

function toBytes(characters: string): Uint8Array {
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}

/** Letters, digits and such: they stand for themselves in sets, patterns and replacements. */
const LITERAL = /^[\w ,:;=@%~#"'<>!-]{1,200}$/;
/** The same as a set: ranges, and no class or escape. */
const SET = /^[\w ,:;=@%~#"'<>!.+*?|(){}^$&-]+$/;
/** A file's name that is no option and not the input. */
const FILE = /^[^-]/;

/** `tr SET SET`, of characters and ranges. */
function toPlainTr([from, to, ...rest]: readonly string[]): Plain | null {
  if (from === undefined || to === undefined || rest.length > 0) return null;
  if (!SET.test(from) || !SET.test(to) || from.startsWith("-") || to.startsWith("-")) return null;
  const [sources, targets] = [toSet(from), toSet(to)];
  if (sources === null || targets === null) return null;
  const table = Uint16Array.from({ length: 128 }, (_, code) => code);
  for (const [at, code] of sources.entries()) table[code] = targets[at] ?? targets.at(-1)!;
  return { file: undefined, run: (text, output) => translate(text, table, output) };
}

/** The codes of a set's characters; null where a range goes backwards. */
function toSet(set: string): readonly number[] | null {
  const codes: number[] = [];
  for (let at = 0; at < set.length; at += 1) {
    const code = set.charCodeAt(at);
    const isRange = set[at + 1] === "-" && at + 2 < set.length;
    const end = isRange ? set.charCodeAt(at + 2) : code;
    if (end < code) return null;
    for (let each = code; each <= end; each += 1) codes.push(each);
    if (isRange) at += 2;
  }
  return codes;
}

/** Characters that are translated at once. */
const PIECE = 8_192;

function translate(text: string, table: Uint16Array, output: Output): number {
  const codes = new Uint16Array(PIECE);
  for (let from = 0; from < text.length; from += PIECE) {
    const size = Math.min(PIECE, text.length - from);
    spendOn(2 * size);
    for (let at = 0; at < size; at += 1) {
      const code = text.charCodeAt(from + at);
      codes[at] = code < 128 ? table[code]! : code;
    }
    output.add(String.fromCharCode.apply(null, codes.subarray(0, size) as unknown as number[]));
  }
  return 0;
}

/** `sed s/TEXT/TEXT/ [FILE]`, with or without `g`. */
function toPlainSed([script = "", file, ...rest]: readonly string[]): Plain | null {
  const [, what = "", by = "", flag] = /^s\/([^/]+)\/([^/]*)\/(g?)$/.exec(script) ?? [];
  if (!LITERAL.test(what) || (by !== "" && !LITERAL.test(by)) || rest.length > 0) return null;
  if (file !== undefined && !FILE.test(file)) return null;
  const isEach = flag === "g";
  return { file, run: (text, output) => replace(text, { what, by, isEach }, output) };
}

interface Replacing {
  readonly what: string;
  readonly by: string;
  readonly isEach: boolean;
}

function replace(text: string, { what, by, isEach }: Replacing, output: Output): number {
  let from = 0;
  spendOn(text.length);
  for (let at = text.indexOf(what); at !== -1;) {
    spendOn(MATCH);
    if (!output.add(text.slice(from, at)) || !output.add(by)) return 0;
    from = at + what.length;
    const line = isEach ? from : text.indexOf("\n", from);
    at = line === -1 ? -1 : text.indexOf(what, line);
  }
  output.add(text.slice(from));
  return 0;
}

/** The characters that a native search passes in the time of one match, with what is kept of it. */
const MATCH = 128;

/** `grep [-F] TEXT [FILE]`. */
function toPlainGrep(args: readonly string[]): Plain | null {
  const [what = "", file, ...rest] = args[0] === "-F" ? args.slice(1) : args;
  if (!LITERAL.test(what) || what.startsWith("-") || rest.length > 0) return null;
  if (file !== undefined && !FILE.test(file)) return null;
  return { file, run: (text, output) => findLines(text, what, output) };
}

function findLines(text: string, what: string, output: Output): number {
  let isFound = false;
  spendOn(2 * text.length);
  for (let at = text.indexOf(what); at !== -1;) {
    spendOn(MATCH);
    isFound = true;
    const begin = text.lastIndexOf("\n", at) + 1;
    const end = text.indexOf("\n", at);
    if (!output.add(text.slice(begin, end === -1 ? text.length : end)) || !output.add("\n")) return 0;
    at = end === -1 ? -1 : text.indexOf(what, end);
  }
  return isFound ? 0 : 1;
}
