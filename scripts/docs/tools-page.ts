import { PUBLIC_HOSTS, type Tool } from "../../src/core/catalog/define-tool.ts";
import { inputSchema, type JsonSchema } from "../../src/core/catalog/tool-schema.ts";
import type { ListedTool } from "../catalogue/read-tools.ts";
import { toSaidContract } from "../catalogue/said-contract.ts";

/** A call of a tool as a reader may try it, and what it answers in the sandbox. */
export interface ToolExample {
  readonly args: object;
  readonly answer: unknown;
}

const HEAD = `# Tools

For people who choose tools: at the end you know each shipped tool's arguments, answer, hosts and secrets.

Search this page for a tool's name (\`web_fetch\`), a provider (\`Brave\`) or a word (\`calendar\`). \`npm run tools -- --write\` makes it from the declarations; \`npm
run tools\` lists those of your Worker, and whether what they need is configured. In the sandbox all of them answer without a provider's key.

Results of tools were written by others: [do not let a model write on their word](security.md#what-is-not-defended).
`;

/** Make docs/tools.md. */
export function makeToolsPage(
  tools: readonly ListedTool[],
  examples: Readonly<Record<string, ToolExample>>,
): string {
  const byCategory = Map.groupBy(tools, ({ tool }) => tool.category);
  const categories = [...byCategory].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const contents = categories.map(
    ([category, listed]) =>
      `- ${category}: ${listed.map(({ tool }) => `[\`${tool.name}\`](#${tool.name.toLowerCase()})`).join(", ")}`,
  );
  const sections = categories.map(
    ([category, listed]) =>
      `## ${category}\n\n${listed.map((one) => describe(one, examples[one.tool.name])).join("\n")}`,
  );
  return [HEAD, `${contents.join("\n")}\n`, ...sections].join("\n");
}

function describe({ tool, source }: ListedTool, example: ToolExample | undefined): string {
  const optIn = source === "opt-in" ? " Opt-in: add it in `src/worker.ts`." : "";
  const parts = [
    `### ${tool.name}`,
    `${wrap(escape(tool.description))}${optIn}`,
    describeInput(inputSchema(tool)),
    ...(example === undefined ? [] : [block("Example", example.args), block("Answer", example.answer)]),
    listFacts(tool),
  ];
  return `${parts.join("\n\n")}\n`;
}

function describeInput(schema: JsonSchema): string {
  const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>);
  if (properties.length === 0) return "It takes no arguments.";
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const rows = properties.map(([name, property]) => {
    const must = required.has(name)
      ? "yes"
      : "default" in property
        ? `no, ${code(property["default"])}`
        : "no";
    return `| \`${name}\` | ${typeOf(property)} | ${must} | ${escape(String(property["description"] ?? ""))} |`;
  });
  return ["| argument | type | required | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

/** A type with its bounds, in words. */
function typeOf(schema: JsonSchema): string {
  const {
    type,
    enum: values,
    const: only,
    items,
    anyOf,
    minimum,
    maximum,
    minItems,
    maxItems,
    maxLength,
  } = schema;
  if (Array.isArray(values)) return values.map(code).join(", ");
  if (only !== undefined) return code(only);
  if (Array.isArray(anyOf)) return (anyOf as readonly JsonSchema[]).map(typeOf).join(" or ");
  if (type === "array") return `list${range(minItems, maxItems)}: ${typeOf((items ?? {}) as JsonSchema)}`;
  const letters = maxLength === undefined ? "" : `, at most ${String(maxLength)} characters`;
  const bounds = type === "string" ? letters : bound(minimum, maximum);
  return `${typeof type === "string" ? type : "any"}${bounds}`;
}

function range(least: unknown, most: unknown): string {
  return most === undefined ? "" : ` of ${String(least ?? 0)} to ${String(most)}`;
}

/** Integers say the largest there is as their bound, which bounds nothing. */
function bound(least: unknown, most: unknown): string {
  const isOpen = (limit: unknown): boolean =>
    limit === undefined || Math.abs(Number(limit)) === Number.MAX_SAFE_INTEGER;
  if (isOpen(least) && isOpen(most)) return "";
  if (isOpen(most)) return `, from ${String(least)}`;
  return isOpen(least) ? `, at most ${String(most)}` : `, ${String(least)} to ${String(most)}`;
}

function listFacts(tool: Tool): string {
  const { isWrite, execution, orchestration, onError, confirm, hosts, secrets, bindings, timeoutMs } = tool;
  const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
  const accounts = Object.entries(tool.accounts?.scopes ?? {}).map(([connector, scopes]) =>
    [`\`${connector}\``, ...(scopes.length === 0 ? [] : [`with ${list(scopes)}`])].join(" "),
  );
  const kind = isWrite ? (execution === "sync" ? "Write" : "Write, in the background") : "Read";
  const contract = toSaidContract({ ...orchestration, confirm: confirm ? "always" : "never" }).join("; ");
  const reached =
    hosts === PUBLIC_HOSTS ? "any public host, over https" : hosts.length === 0 ? "none" : list(hosts);
  return [
    `- ${kind}: ${contract}; ${onError}; at most ${timeoutMs / 1_000} s`,
    `- Hosts: ${reached}`,
    ...(accounts.length === 0
      ? []
      : [
          `- Account: ${accounts.join(", ")}${tool.accounts?.isOptional === true ? ", where connected" : ""}`,
        ]),
    ...(secrets.length === 0 ? [] : [`- Secrets: ${list(secrets)}`]),
    ...(bindings.length === 0 ? [] : [`- Bindings: ${list(bindings)}`]),
  ].join("\n");
}

function block(title: string, value: unknown): string {
  return `${title}:\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}

/** A declaration's text stands in a page as it is. */
function escape(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

const WIDTH = 118;

function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}
