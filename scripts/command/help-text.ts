import type { Command, Option } from "./define-command.ts";

/** Options that every command has. */
export const EVERYWHERE = {
  json: { type: "boolean", about: "answer with one JSON value, for machines" },
  help: { type: "boolean", about: "say this, and do nothing" },
} as const satisfies Readonly<Record<string, Option>>;

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

/** Write the help of one command. */
export function writeHelp(command: Command): string {
  const { words, summary, about = [], positionals = [], exits, examples = [] } = command;
  const options = Object.entries<Option>({ ...command.options, ...EVERYWHERE });
  const rows = [
    ...positionals.map(({ name, about }) => [name, about] as const),
    ...options.map(
      ([name, option]) =>
        [`--${name}${option.type === "string" ? ` ${option.value}` : ""}`, sayOption(option)] as const,
    ),
  ];
  const width = Math.max(...rows.map(([head]) => head.length));
  return [
    `Usage: ${writeUsage(command)}`,
    "",
    ...wrap(`${summary}.`),
    ...about.flatMap((text) => ["", ...wrap(text)]),
    "",
    ...rows.map(([head, text]) => `  ${head.padEnd(width)}  ${text}`),
    ...(exits === undefined ? [] : ["", exits]),
    ...(examples.length === 0 ? [] : ["", ...examples.map((example) => `  volley ${words} ${example}`)]),
  ].join("\n");
}

/** Write how a command is called, in a line. */
export function writeUsage({ words, positionals = [], options }: Command): string {
  const taken = positionals.map(({ name, isOptional }) => (isOptional === true ? `[${name}]` : name));
  return ["volley", words, ...taken, ...(Object.keys(options).length === 0 ? [] : ["[options]"])].join(" ");
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
