import { parseArgs } from "node:util";

import { nearest } from "../../../src/core/kit/nearest.ts";
import { Stop } from "./stop.ts";

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

const OPTIONS = {
  template: { type: "string" },
  pm: { type: "string" },
  "no-install": { type: "boolean" },
  "no-git": { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  help: { type: "boolean", short: "h" },
} as const;

/** Read the command line. @param agent how npm and its like name themselves to what they run */
export function readFlags(words: readonly string[], agent: string): Flags {
  const { tokens } = parseArgs({
    args: [...words],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string>();
  const folders: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") folders.push(token.value);
    if (token.kind !== "option") continue;
    if (!Object.hasOwn(OPTIONS, token.name))
      throw refuse(
        `There is no option ${token.rawName}.`,
        nearest(token.name, Object.keys(OPTIONS), 1).map((name) => `--${name}`),
      );
    const takesText = OPTIONS[token.name as keyof typeof OPTIONS].type === "string";
    if (takesText && (token.value === undefined || token.value.startsWith("-")))
      throw refuse(`${token.rawName} needs a value.`);
    given.set(token.name, token.value ?? "");
  }
  if (folders.length > 1) throw refuse(`One folder, please: received ${folders.join(", ")}.`);
  return {
    folder: folders[0] ?? null,
    template: readOne(given.get("template"), Object.keys(TEMPLATES) as TemplateName[], "template"),
    pm:
      readOne(given.get("pm"), MANAGERS, "pm") ??
      MANAGERS.find((name) => agent.startsWith(`${name}/`)) ??
      "npm",
    isInstall: !given.has("no-install"),
    isGit: !given.has("no-git"),
    isYes: given.has("yes"),
    isHelp: given.has("help"),
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
function refuse(message: string, near: readonly string[] = []): Stop {
  const [meant] = near;
  const guess = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return new Stop(`${message}${guess} 'npm create volley -- --help' says more.`, 2);
}
