import * as z from "zod/mini";
import {
  type JsonObject,
  lazySchema,
  nearest,
  strictSchema,
  visibleText,
  type Written,
} from "../../feature/schema.ts";
import { type Catalog, type Tool, toolSchema, hideNames, orchestrationSchema } from "../../feature/tool.ts";
import * as LIMITS from "./limits.ts";

/** Which tools are asked for. Everything is optional: nothing said is every tool. */
export const discoverySchema = strictSchema(() => {
  const requestSchema = z.string().check(z.maxLength(LIMITS.queryCharacters));
  const words = () => z.optional(z.array(z.string()).check(z.maxLength(LIMITS.filterWords)));
  return {
    query: z.optional(requestSchema).check(z.describe("Its purpose, or its name")),
    queries: z
      .optional(z.array(requestSchema).check(z.minLength(1), z.maxLength(LIMITS.discoveryQueries)))
      .check(z.describe("One for each step of a task")),
    categories: words().check(z.describe("Only of one of these")),
    actions: words().check(z.describe("Only with one of these: search, create, delete…")),
    detail: z
      ._default(z.enum(["summary", "schema"]), "summary")
      .check(z.describe(`schema: parameters of the first ${LIMITS.describedTools} too`)),
    limit: z
      ._default(z.int().check(z.minimum(1), z.maximum(LIMITS.maxDiscoveredTools)), LIMITS.discoveredTools)
      .check(z.describe("How many at most")),
  };
});

type DiscoveryRequest = z.output<ReturnType<typeof discoverySchema>>;

/** The tools that fit, and the names there are where none does. */
export const discoveryAnswerSchema = strictSchema("Discovery", () => {
  /** Enough to choose by. */
  const tool = z.strictObject({
    name: z.string(),
    summary: z.string(),
    category: z.string(),
    actions: z.array(z.string()),
    is_write: z.boolean(),
    parameters: z.optional(jsonSchemaSchema()).register(z.globalRegistry, {
      description: 'The properties; of the first tools, with `detail: "schema"`',
    }),
    required: z.optional(z.array(z.string())),
  });
  return {
    tools: z.array(tool),
    /** Everything that matched, however many of them are listed. */
    total: z.int().check(z.minimum(0)),
    /** The names that exist, where an asked category or action does not, or where nothing fits a query. */
    hint: z.optional(z.string()),
  };
});

type Discovery = Written<typeof discoveryAnswerSchema>;
type DiscoveredTool = Discovery["tools"][number];

/**
 * Find tools by category, by action and by what they do. Filters of one kind are alternatives, and all kinds must hold.
 * With a query every tool that has a word of it is listed, the best first; several queries give one list, the best of
 * each first. Without one the order is the catalog's.
 *
 * It only ever looks at the catalog it is given, scores included, so a tool that a caller may not see leaves no trace.
 */
export function discoverTools(request: DiscoveryRequest, catalog: Catalog): Discovery {
  const { query = "", queries = [], categories, actions, detail, limit } = request;
  const asked = [query, ...queries].filter((text) => /[\p{L}\p{N}]/u.test(text));
  const ofCategory = pick(categories, catalog.byCategory, "category", "categories");
  const ofAction = pick(actions, catalog.byAction, "action", "actions");
  const isAdmitted = (tool: Tool): boolean => ofCategory.admits(tool) && ofAction.admits(tool);
  const lists = asked.length === 0 ? [catalog.tools] : asked.map((text) => catalog.search(text));
  const found = mergeByPlace(lists.map((list) => list.filter(isAdmitted)));
  const hints = [ofCategory.hint, ofAction.hint].filter((hint) => hint !== "");
  if (hints.length === 0 && found.length === 0 && asked.length > 0) hints.push(sayNothing(catalog));
  return {
    tools: found
      .slice(0, limit)
      .map((tool, at) => toDiscovered(tool, catalog, detail === "schema" && at < LIMITS.describedTools)),
    total: found.length,
    ...(hints.length > 0 && { hint: hints.join(" ") }),
  };
}

/** One list of several: the first of each, then the second of each, every tool once. */
function mergeByPlace(lists: readonly (readonly Tool[])[]): readonly Tool[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  const places = Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list[place] ?? []));
  return [...new Set(places.flat())];
}

interface Picked {
  admits(tool: Tool): boolean;
  readonly hint: string;
}

function pick(
  words: readonly string[] | undefined,
  index: ReadonlyMap<string, readonly Tool[]>,
  singular: string,
  plural: string,
): Picked {
  if (words === undefined || words.length === 0) return { admits: () => true, hint: "" };
  const wanted = words.map((word) => word.trim().toLowerCase());
  const admitted = new Set(wanted.flatMap((word) => index.get(word) ?? []));
  const unknown = words.filter((_, at) => !index.has(wanted[at]!));
  return {
    admits: (tool) => admitted.has(tool),
    hint: unknown.length === 0 ? "" : sayUnknown(unknown, [...index.keys()], singular, plural),
  };
}

/** A caller whose words found nothing can still look through a category. */
function sayNothing(catalog: Catalog): string {
  return `No tool fits. Say it in other words, or ask for a category without a query: ${list([...catalog.byCategory.keys()].toSorted())}.`;
}

function sayUnknown(
  unknown: readonly string[],
  known: readonly string[],
  singular: string,
  plural: string,
): string {
  const said = unknown.map((word) => `'${visibleText(word)}'`).join(" or ");
  const near = unknown.flatMap((word) => nearest(word, known));
  const ordered = [...new Set([...near, ...known.toSorted()])];
  return `There is no ${singular} ${said}. The ${plural} are: ${list(ordered)}.`;
}

function list(words: readonly string[]): string {
  const shown = words.slice(0, LIMITS.maxDiscoveredTools).join(", ");
  return words.length > LIMITS.maxDiscoveredTools ? `${shown}, …` : shown || "none";
}

function toDiscovered(tool: Tool, catalog: Catalog, isDescribed: boolean): DiscoveredTool {
  const { name, category, actions, isWrite } = tool;
  const summary = hideNames(tool.summary, catalog.hidden);
  const listed = { name, summary, category, actions, is_write: isWrite };
  if (!isDescribed) return listed;
  const { parameters, required } = describeTool(tool, catalog);
  return { ...listed, parameters, required };
}

const jsonSchemaSchema = lazySchema(() => z.looseObject({}).check(z.describe("JSON Schema, 2020-12")));

/** Everything a model needs to call one tool. */
export const toolDescriptionSchema = strictSchema("ToolDescription", () => ({
  name: z.string(),
  description: z.string(),
  /** The properties of the schema alone. */
  parameters: jsonSchemaSchema(),
  required: z.array(z.string()),
  is_write: z.boolean(),
  input_schema: jsonSchemaSchema(),
  "x-orchestration": orchestrationSchema(),
}));

type ToolDescription = Written<typeof toolDescriptionSchema>;

/** Describe one tool with its whole schema and its contract, to a reader of a catalog where there is one. */
export function describeTool(tool: Tool, catalog?: Catalog): ToolDescription {
  const schema = toolSchema(tool, catalog?.hidden);
  return {
    name: tool.name,
    description: catalog ? hideNames(tool.description, catalog.hidden) : tool.description,
    parameters: (schema["properties"] ?? {}) as JsonObject,
    required: (schema["required"] ?? []) as readonly string[],
    is_write: tool.isWrite,
    input_schema: schema,
    "x-orchestration": schema["x-orchestration"] as ToolDescription["x-orchestration"],
  };
}
