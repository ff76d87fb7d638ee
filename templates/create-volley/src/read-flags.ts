import { CommandError } from "../../../scripts/command/command-error.ts";
import type { Syntax } from "../../../scripts/command/define-command.ts";
import { asksForHelp, readOptions } from "../../../scripts/command/read-options.ts";
import { nearest } from "../../../src/core/kit/nearest.ts";

/** The templates, each in a sentence. */
export const TEMPLATES = {
  starter: "two tools of your own: a read, and a write that a person approves",
  "agent-backend": "a model's tools and its loop behind one address",
  "webhook-fan-out": "webhooks to customers, published once",
  "mcp-gateway": "APIs as tools behind one MCP server",
} as const;
export type TemplateName = keyof typeof TEMPLATES;

/** The programs that install packages. */
const MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;
export type Manager = (typeof MANAGERS)[number];

/** The flags of the command line; what is not said there is asked, or null. */
export interface Flags {
  readonly folder: string | null;
  readonly template: TemplateName | null;
  readonly pm: Manager;
  readonly isInstall: boolean;
  readonly isGit: boolean;
  /** Whether nothing is asked. */
  readonly isYes: boolean;
  readonly isHelp: boolean;
}

export const USAGE = `Usage: npm create volley [FOLDER] -- [options]

Make a project of your own on Volley. Asks three questions, less with options, nothing with --yes or without a terminal.

  FOLDER           where it is made; it must be empty or not be there
  --template NAME  ${Object.entries(TEMPLATES)
    .map(([name, about]) => `${name}: ${about}`)
    .join("\n                   ")}
  --pm NAME        ${MANAGERS.join(", ")}; the one that runs this unless said
  --no-install     leave the packages to you
  --no-git         begin no git repository
  --yes            ask nothing: my-volley, starter, install, git
  --help           say this, and do nothing`;

const SYNTAX = {
  call: "npm create volley --",
  summary: "Make a project of your own on Volley",
  positionals: [{ name: "FOLDER", about: "where it is made", isOptional: true }],
  options: {
    template: { type: "string", value: "NAME", about: "the template" },
    pm: { type: "string", value: "NAME", about: "the program that installs packages" },
    "no-install": { type: "boolean", about: "leave the packages to you" },
    "no-git": { type: "boolean", about: "begin no git repository" },
    yes: { type: "boolean", about: "ask nothing" },
    help: { type: "boolean", about: "say this, and do nothing" },
  },
} as const satisfies Syntax;

/** Read the command line. @param agent how npm and its like name themselves to what they run */
export function readFlags(words: readonly string[], agent: string): Flags {
  const isHelp = asksForHelp(words);
  const { values, positionals } = readOptions(
    SYNTAX,
    isHelp ? [] : words.map((word) => (word === "-y" ? "--yes" : word)),
  );
  return {
    folder: positionals[0] ?? null,
    template: readOne(values.template, Object.keys(TEMPLATES) as TemplateName[], "template"),
    pm: readOne(values.pm, MANAGERS, "pm") ?? MANAGERS.find((name) => agent.startsWith(`${name}/`)) ?? "npm",
    isInstall: !values["no-install"],
    isGit: !values["no-git"],
    isYes: values.yes,
    isHelp,
  };
}

function readOne<T extends string>(value: string | undefined, names: readonly T[], flag: string): T | null {
  if (value === undefined) return null;
  const found = names.find((name) => name === value);
  if (found === undefined)
    throw refuse(`--${flag} is one of ${names.join(", ")}; received '${value}'.`, nearest(value, names, 1));
  return found;
}

/** Refuse the command line. @param near the names that a misspelt one may have meant */
function refuse(message: string, near: readonly string[] = []): CommandError {
  const [meant] = near;
  const guess = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return new CommandError(`${message}${guess} 'npm create volley -- --help' says more.`, 2);
}
