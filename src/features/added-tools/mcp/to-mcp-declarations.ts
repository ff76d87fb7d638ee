import { type JsonObject, visibleText } from "../../../feature/schema.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { err, ok, type Result } from "../../../feature/refuse.ts";
import { sha256 } from "../../../feature/kit.ts";
import { fromAnnotations, type ToolAnnotations } from "../../discovery/annotations.ts";
import type { Auth, ConnectionAuth, Declaration, DeclarationRules } from "../declared/declaration.ts";
import { parseDeclaration } from "../declared/parse-declaration.ts";
import type { Listing } from "./list-tools.ts";
import type { ListedTool, Unusable } from "./listed-tool.ts";

/** How a server's tools are to be called here. */
export interface McpImport {
  /** The beginning of their names; their category as well. */
  readonly prefix: string;
  readonly url: string;
  readonly auth?: Auth | ConnectionAuth;
}

/** The declarations made of a server's tools, and the tools left out. */
export interface McpDeclarations {
  readonly declarations: readonly Declaration[];
  readonly skipped: readonly Unusable[];
}

/** About 15 tokens, which is what `discover_tools` lists of a tool. */
const SUMMARY_CHARACTERS = 80;
/** A server's description is written for a model; what is longer is a manual. */
const DESCRIPTION_CHARACTERS = 4_000;
const NAME_CHARACTERS = 64;

/**
 * Declare a server's tools as tools of ours. Their hints are the server's own word and are taken as such: `readOnlyHint` makes a
 * read that runs beside others, `destructiveHint` a write that a person confirms, and silence a write, one at a time.
 *
 * Names depend on the server's names only, so importing it again gives the same ones.
 *
 * A tool that nothing can be declared of is left out, with the reason. An error in the address or the secret is the same for all
 * tools: `parseDeclaration` finds it afterwards.
 *
 * @param rules what holds where the tools are to be kept; the operator's own code needs none
 */
export function toMcpDeclarations(
  { tools, unusable }: Pick<Listing, "tools" | "unusable">,
  source: McpImport,
  rules: DeclarationRules = rulesOf(source),
): McpDeclarations {
  const names = nameEach(
    tools.map(({ name }) => name),
    source.prefix,
  );
  const declarations: Declaration[] = [];
  const skipped: Unusable[] = [];
  for (const tool of tools) {
    const made = makeOne(toDeclaration(tool, names.get(tool.name)!, source), rules);
    if (made.ok) declarations.push(made.value);
    else skipped.push({ operation: visibleText(tool.name, NAME_CHARACTERS), reason: made.error });
  }
  return { declarations, skipped: [...skipped, ...unusable] };
}

/** An address in the Worker's own source may name a host of the author's machine. */
function rulesOf({ url }: McpImport): DeclarationRules {
  return { tenant: "", secrets: null, trustedOrigins: new Set([URL.parse(url)?.origin ?? ""]) };
}

/** A declaration that can be kept, or why there is none. */
function makeOne(declaration: Declaration, rules: DeclarationRules): Result<Declaration, string> {
  const parsed = parseDeclaration(declaration, rules);
  if (parsed.ok) return parsed;
  const own = parsed.error.filter(({ path }) => !path.startsWith("/mcp"));
  if (own.length === 0) return ok(declaration);
  if (rules.patterns?.isSpent === true)
    return err("the patterns of the server's tools before it took all the work that one import may");
  // A pattern that could take for ever to match costs the patterns, not the tool: its server has them too.
  const { input_schema: schema } = declaration;
  const plain = withoutPatterns(schema) as Declaration["input_schema"];
  if (own.some(({ path }) => path.endsWith("/pattern")) && canonicalJson(plain) !== canonicalJson(schema))
    return makeOne({ ...declaration, input_schema: plain }, rules);
  return err(`no tool can be declared of it: ${own[0]!.hint.replace(/\.$/, "")}`);
}

function withoutPatterns(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutPatterns);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      key === "pattern" && typeof inner === "string" ? [] : [[key, withoutPatterns(inner)]],
    ),
  );
}

function toDeclaration(tool: ListedTool, name: string, { prefix, url, auth }: McpImport): Declaration {
  const { title, description, inputSchema, annotations, fingerprint } = tool;
  // A value that is neither true nor false is no hint, and a server that does not call its tool destructive says that it is not.
  const hints: Partial<ToolAnnotations> = {
    readOnlyHint: annotations["readOnlyHint"] === true,
    destructiveHint: annotations["destructiveHint"] === true,
    idempotentHint: annotations["idempotentHint"] === true,
  };
  const { mode, isWrite, idempotent, confirm, on_error } = fromAnnotations(hints);
  const said = oneLine(description ?? title ?? "", DESCRIPTION_CHARACTERS);
  return {
    name,
    summary: toSummary(title ?? titleOf(annotations), said, tool.name),
    description: said || `The tool ${oneLine(tool.name, NAME_CHARACTERS)} of an MCP server.`,
    category: toCategory(prefix),
    actions: !isWrite ? ["read"] : confirm === undefined ? ["write"] : ["write", "delete"],
    is_write: isWrite,
    ...(isWrite && { idempotent }),
    orchestration: { mode, on_error, ...(confirm !== undefined && { confirm }) },
    input_schema: withoutDialect(inputSchema),
    mcp: { url, tool: tool.name, fingerprint, ...(auth !== undefined && { auth }) },
  };
}

/** The revisions of 2025 had a title among the hints. */
function titleOf(annotations: JsonObject): string | undefined {
  const { title } = annotations;
  return typeof title === "string" && title.trim() !== "" ? title : undefined;
}

function toSummary(title: string | undefined, description: string, name: string): string {
  const sentence = /^.{10,}?[.!?](?= |$)/.exec(description)?.[0].replace(/\.$/, "") ?? description;
  return (
    oneLine(title ?? "", SUMMARY_CHARACTERS) || oneLine(sentence, SUMMARY_CHARACTERS) || oneLine(name, 64)
  );
}

/** Invisible characters, which a model would read all the same. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]+/gu;

/** Text as one line, cut after a whole word. */
function oneLine(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most)
    .replaceAll(UNSEEN, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line.length <= most) return line;
  const cut = line.slice(0, most - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), most / 2)).trimEnd()}…`;
}

/** It is read as 2020-12, which is what the protocol has; the drafts before it differ in nothing that servers usually write. */
function withoutDialect(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  return rest;
}

function toCategory(prefix: string): string {
  const word = prefix.toLowerCase().replaceAll(/^[^a-z]+|[_-]+$/g, "");
  return word === "" ? "mcp" : word;
}

/**
 * A name for each of a server's, made fit. One that had to be cut, or is another's too once it was made fit, ends with a digest: in
 * whatever order a server lists them, no name is ever given to another tool.
 */
function nameEach(names: readonly string[], prefix: string): ReadonlyMap<string, string> {
  const start = /[_-]$/.test(prefix) ? prefix : `${prefix}_`;
  const fits = names.map((name) => `${start}${name.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`);
  const shared = new Set(fits.filter((fit, at) => fits.indexOf(fit) !== at));
  return new Map(
    names.map((name, at) => {
      const fit = fits[at]!;
      const isItsOwn = fit === `${start}${name}` || !shared.has(fit);
      if (isItsOwn && fit.length <= NAME_CHARACTERS) return [name, fit];
      const ending = `_${sha256(name).slice(0, 6)}`;
      return [name, `${fit.slice(0, NAME_CHARACTERS - ending.length)}${ending}`];
    }),
  );
}
