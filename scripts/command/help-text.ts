import { type Command, type Option, type Syntax } from "./define-command.ts";

/** Write the help of `volley` itself: its commands, a line each. */
export function writeOverview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ words }) => words.length));
  return [
    "Usage: volley COMMAND [options]",
    "",
    ...commands.map(({ words, summary }) => `  ${words.padEnd(width)}  ${summary}`),
    "",
    "volley COMMAND --help says what each takes. Every command has --json.",
    ...wrap(
      "Ends with 0 where it is done, with 1 where the answer is no, and with 2 where it could not be asked: a slip in the command, a file, the network.",
    ),
  ].join("\n");
}

/** Write the help of a command or a script. */
export function writeHelp(syntax: Syntax): string {
  const { call, summary, about = [], positionals = [], exits, examples = [] } = syntax;
  const rows = [
    ...positionals.map(({ name, about }) => [name, about] as const),
    ...Object.entries(syntax.options).map(
      ([name, option]) =>
        [`--${name}${option.type === "string" ? ` ${option.value}` : ""}`, sayOption(option)] as const,
    ),
  ];
  const width = Math.max(...rows.map(([head]) => head.length));
  return [
    `Usage: ${writeUsage(syntax)}`,
    "",
    ...wrap(`${summary}.`),
    ...about.flatMap((text) => ["", ...wrap(text)]),
    "",
    ...rows.map(([head, text]) => `  ${head.padEnd(width)}  ${text}`),
    ...(exits === undefined ? [] : ["", exits]),
    ...(examples.length === 0 ? [] : ["", ...examples.map((example) => `  ${call} ${example}`.trimEnd())]),
  ].join("\n");
}

/** Write how a command or a script is called, in a line. */
export function writeUsage({ call, positionals = [] }: Syntax): string {
  const taken = positionals.map(({ name, isOptional, isMultiple }) =>
    isMultiple === true ? `[${name}...]` : isOptional === true ? `[${name}]` : name,
  );
  return [call, ...taken, "[options]"].join(" ");
}

function sayOption(option: Option): string {
  return option.type === "string" && option.default !== undefined
    ? `${option.about}; ${option.default} unless said`
    : option.about;
}

/** Break a paragraph into lines. */
function wrap(text: string, width = 100): readonly string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
