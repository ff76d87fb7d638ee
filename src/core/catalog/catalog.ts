import type { Entry } from "../contract/action.ts";
import { isJsonObject, type JsonObject } from "../contract/json.ts";
import { attemptNow } from "../kit/result.ts";
import { ALIASES, BATCH_TOOL, resolveAliases } from "./alias.ts";
import type { Tool } from "./define-tool.ts";
import { checkFields, type ContractField, type ToolsByName } from "./contract-field.ts";
import { type Hidden, hide, NOTHING_HIDDEN } from "./tool-schema.ts";
import { sayUnknownTool } from "./unknown-tool.ts";
import { makeVerifier, type Verifier, makeVerifiers } from "./verifier.ts";
import { describe } from "../contract/issues.ts";
import { findCycle } from "../kit/layers.ts";

/** The parts that a catalog shares with every part of it. */
export interface CatalogParts {
  /** How to look whether a write took effect, by its name. */
  readonly verifiers: ReadonlyMap<string, Verifier>;
  /** Finds and describes tools for a model; null where a Worker does not list that feature. */
  readonly discovery: Discovery | null;
  /** Decides which calls wait of a tool whose calls may; where nothing decides, all of them do. */
  readonly holds?: Holds | undefined;
  /** Lets calls through that would wait. */
  readonly vouches?: Vouches | undefined;
}

/** Lets calls of some tools through that would wait. */
export interface Vouches {
  readonly tools: ReadonlySet<string>;
  /** Say what lets a call through, in the words of the wire; undefined where nothing does. */
  find(tool: Tool, input: JsonObject): JsonObject | undefined;
}

/** Whether a call waits, with its input and what its tool's schema made of it; undefined where that is only known with its arguments. */
export type Holds = (
  tool: Tool,
  call: { readonly input: JsonObject; readonly args: unknown } | null,
) => boolean | undefined;

/** The tools that answer from a catalog itself, and the index that they ask. */
export interface Discovery {
  metaToolsOf(catalog: Catalog): readonly Tool[];
  createSearch(tools: readonly Tool[]): { find(request: string): readonly Tool[] };
}

/** A set of tools with its indexes. Lookups go through maps, so no tool name can reach a prototype. */
export class Catalog {
  readonly tools: readonly Tool[];
  readonly #byName: ReadonlyMap<string, Tool>;
  #byCategory: ReadonlyMap<string, readonly Tool[]> | undefined;
  #byAction: ReadonlyMap<string, readonly Tool[]> | undefined;
  #metaTools: ReadonlyMap<string, Tool> | undefined;
  #search: ReturnType<Discovery["createSearch"]> | undefined;
  readonly #parts: CatalogParts;
  #whole: Catalog | undefined;
  /** Names that this part of a catalog must not say: those of the tools that are left out of it. */
  readonly hidden: Hidden;
  /** That of the tools which the caller's tenant has added; 0 without any. */
  readonly version: number;

  constructor(
    tools: readonly Tool[],
    parts: CatalogParts,
    { hidden = NOTHING_HIDDEN, version = 0 }: Partial<Pick<Catalog, "hidden" | "version">> = {},
  ) {
    this.tools = tools;
    this.hidden = hidden;
    this.version = version;
    this.#parts = parts;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  get byCategory(): ReadonlyMap<string, readonly Tool[]> {
    return (this.#byCategory ??= Map.groupBy(this.tools, (tool) => tool.category));
  }

  get byAction(): ReadonlyMap<string, readonly Tool[]> {
    return (this.#byAction ??= groupByAction(this.tools));
  }

  get(name: string): Tool | undefined {
    return this.#byName.get(name);
  }

  /** How to look whether a write took effect; undefined where its contract does not say. */
  readonly verifierOf = (write: string): Verifier | undefined =>
    this.#parts.verifiers.get(write) ?? this.#verifierOfAdded(write);

  /** A tool that was added may have been verified by one that is gone by now. */
  #verifierOfAdded(name: string): Verifier | undefined {
    const write = this.#byName.get(name);
    const verify = write?.added === undefined ? undefined : write.orchestration.verify_with;
    if (write === undefined || verify === undefined) return undefined;
    const made = attemptNow(() => makeVerifier(write, verify, this));
    return made.ok ? made.value : undefined;
  }

  /** Whether a call waits for something outside of its batch before it is made. */
  asks(tool: Tool, call: Parameters<Holds>[1]): ReturnType<Holds> {
    const { holds, vouches } = this.#parts;
    const asks = tool.confirm && (holds === undefined || holds(tool, call));
    if (asks === false || vouches?.tools.has(tool.name) !== true) return asks;
    if (call === null) return undefined;
    return vouches.find(tool, call.input) === undefined ? asks : false;
  }

  /** Find what lets a call through that would wait, in the words of the wire; undefined of any other call. */
  vouchFor(call: { readonly tool: Tool; readonly input: JsonObject; readonly args: unknown }) {
    const { holds, vouches } = this.#parts;
    const { tool } = call;
    if (vouches?.tools.has(tool.name) !== true || holds?.(tool, call) === false) return undefined;
    return vouches.find(tool, call.input);
  }

  /** The same catalog, some of whose calls are let through. */
  letThrough(vouches: Vouches): Catalog {
    const { hidden, version } = this;
    const catalog = new Catalog(this.tools, { ...this.#parts, vouches }, { hidden, version });
    catalog.#whole = this.#whole?.letThrough(vouches);
    return catalog;
  }

  /** Whether what this name stands for may be another by now: a tool that a tenant added, or none that is known here. */
  mayChange(name: string): boolean {
    const tool = this.#byName.get(name);
    return tool === undefined || tool.added !== undefined;
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** The tool that an action may call by this name: one of the catalog, or one that answers from the catalog itself. */
  callable(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.metaTools.get(name);
  }

  /** Whether a client may call something of that name, by itself or in a batch. */
  offers(name: string): boolean {
    return name === BATCH_TOOL || this.callable(name) !== undefined || (this.discovers && ALIASES.has(name));
  }

  /** Whether tools can be found, described and called through it by tools of its own. */
  get discovers(): boolean {
    return this.#parts.discovery !== null;
  }

  /** The tools that answer from the catalog itself. They are in no list and no index of it. */
  get metaTools(): ReadonlyMap<string, Tool> {
    this.#metaTools ??= new Map(this.#parts.discovery?.metaToolsOf(this).map((tool) => [tool.name, tool]));
    return this.#metaTools;
  }

  /** Every name that an action may call. */
  get callableNames(): readonly string[] {
    const aliases = this.discovers ? ALIASES.keys() : [];
    return [...this.#byName.keys(), ...this.metaTools.keys(), ...aliases];
  }

  /** Say that no tool has a name, with the nearest that may be called. */
  sayUnknown(name: string): string {
    return sayUnknownTool(name, this.callableNames, this.discovers);
  }

  /** The actions, those of an alias as the ones that they name. No tool has the name of an alias. */
  resolve(entries: readonly Entry[]): readonly Entry[] {
    const isKnown = ({ action }: Entry): boolean => !action.ok || this.get(action.value.tool) !== undefined;
    return !this.discovers || entries.every(isKnown) ? entries : resolveAliases(entries);
  }

  /**
   * The tools that fit a request in words, best first. The index is built when it is first asked, of this catalog's
   * tools only: with a shared one, the words of a hidden tool would move the scores of those that are shown. Only the tools that
   * answer from the catalog ask, so there is discovery.
   */
  search(query: string): readonly Tool[] {
    this.#search ??= this.#parts.discovery!.createSearch(this.tools);
    return this.#search.find(query);
  }

  /**
   * The part of the catalog that `grants` (tool names, categories or `*`) admit. A caller only ever meets its own
   * part, which is why a forbidden tool cannot be told from one that does not exist.
   */
  restrictTo(grants: readonly string[]): Catalog {
    if (grants.includes("*")) return this;
    // A scope narrows which tools are called, not what those need: a batch inside runs its own actions with all that the key may call.
    if (grants.some(hasScope)) return this.restrictTo(grants.map(withoutScope)).choose(grants);
    return this.only((tool) => isGranted(grants, tool));
  }

  /** The part of the catalog that a caller chose: to call, and not for the actions of batches that it calls. */
  choose(grants: readonly string[]): Catalog {
    const part = this.only((tool) => isGranted(grants, tool));
    if (part !== this) part.#whole = this.ofInner;
    return part;
  }

  /** The tools that the actions of a batch inside may call for its caller. */
  get ofInner(): Catalog {
    return this.#whole ?? this;
  }

  /** The part of the catalog that `isShown` lets through; to its callers the other tools do not exist. */
  only(isShown: (tool: Tool) => boolean): Catalog {
    const others = this.tools.filter((tool) => !isShown(tool));
    if (others.length === 0) return this;
    const hidden = hide([...this.hidden, ...others.map(({ name }) => name)], this.hidden.fields);
    // A key that may write is told whether it did, by a read it may not call itself: of that it sees the verdict only.
    return new Catalog(this.tools.filter(isShown), this.#parts, { hidden, version: this.version });
  }

  /** The catalog with the tools that a tenant has added by some version; none has the name of one that is here. */
  extend(added: readonly Tool[], version: number): Catalog {
    return new Catalog([...this.tools, ...added], this.#parts, { hidden: this.hidden, version });
  }
}

/**
 * Whether grants (tool names, categories or `*`) admit a tool. A grant of several words admits what each of them does: `tools:read *` is
 * every read, `category:email send_email` that tool if it is of that category.
 */
export function isGranted(
  grants: readonly string[],
  { name, category, isWrite }: Pick<Tool, "name" | "category" | "isWrite">,
): boolean {
  const words = ["*", name, category, `category:${category}`, isWrite ? name : "tools:read"];
  return grants.some((grant) => grant.split(" ").every((word) => words.includes(word)));
}

/** Whether a grant is one of a key that was narrowed by a scope, which stands before it. */
const hasScope = (grant: string): boolean => grant.includes(" ");

const withoutScope = (grant: string): string => grant.slice(grant.indexOf(" ") + 1);

function groupByAction(tools: readonly Tool[]): ReadonlyMap<string, readonly Tool[]> {
  const pairs = tools.flatMap((tool) => tool.actions.map((action) => ({ action, tool })));
  const groups = Map.groupBy(pairs, ({ action }) => action);
  return new Map([...groups].map(([action, found]) => [action, found.map(({ tool }) => tool)]));
}

/** Names that a model is given for something else. */
const RESERVED = new Set([BATCH_TOOL, "discover_tools", "get_tool_schema", ...ALIASES.keys()]);

/** The parts of features that a catalog is made with. */
export interface CatalogOptions extends Pick<CatalogParts, "holds"> {
  /** Each throws where a feature could not work with a tool. */
  readonly checks?: Iterable<(tool: Tool) => void>;
  /** The fields that features bring to contracts. */
  readonly fields?: readonly ContractField[];
}

/**
 * Build a catalog, or throw at start-up naming the tool whose declaration cannot work: a name used twice or reserved, a
 * dependency on a tool that does not exist, dependencies in a circle, or what one of `checks` refuses.
 *
 * @param discovery what finds and describes its tools for a model; null where there is no such feature
 */
export function createCatalog(
  tools: readonly Tool[],
  discovery: Discovery | null = null,
  { checks = [], holds, fields = [] }: CatalogOptions = {},
): Catalog {
  checkList(tools);
  const position = new Map<string, number>();
  for (const [index, { name }] of tools.entries()) {
    if (RESERVED.has(name))
      throw new Error(`Cannot create catalog: the name '${name}' is reserved; give the tool another`);
    if (position.has(name)) throw new Error(`Cannot create catalog: two tools are named '${name}'`);
    position.set(name, index);
  }
  for (const check of checks) for (const tool of tools) check(tool);
  const needs = tools.map(({ name, orchestration }) =>
    (orchestration.depends_on ?? []).map(({ tool }) => {
      const needed = position.get(tool);
      if (needed === undefined)
        throw new Error(`Cannot create catalog: '${name}' depends on the unknown tool '${tool}'`);
      return needed;
    }),
  );
  const cycle = findCycle(needs);
  if (cycle !== null) {
    const circle = cycle.map((index) => tools[index]!.name).join(" → ");
    throw new Error(`Cannot create catalog: tools depend on each other: ${circle}`);
  }
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const tool of tools) refuseFields(tool, fields, byName);
  const parts = { verifiers: makeVerifiers(tools), discovery, holds };
  return new Catalog(tools, parts, fields.length === 0 ? {} : { hidden: hide([], fields) });
}

function refuseFields(tool: Tool, fields: readonly ContractField[], tools: ToolsByName): void {
  const [flaw] = checkFields(tool, fields, tools);
  if (flaw === undefined) return;
  const { path, expected, received, hint } = flaw;
  const said = `'${path.join(".")}' of '${tool.name}': expected ${expected}, received ${received}`;
  throw new Error(`Cannot create catalog: ${said}${hint === undefined ? "" : `. ${hint}`}`);
}

/** Refuse what is no list of tools, which only authors of plain JavaScript can write. */
function checkList(tools: readonly unknown[]): void {
  if (!Array.isArray(tools))
    throw new Error(`Cannot create catalog: 'tools' must be an array, received ${describe(tools)}`);
  const stray = tools.findIndex((tool) => !isJsonObject(tool) || typeof tool["concurrency"] !== "number");
  if (stray === -1) return;
  const what = isJsonObject(tools[stray]) ? "an object that is none" : describe(tools[stray]);
  throw new Error(
    `Cannot create catalog: item ${stray} of 'tools' must be what defineTool() gives, received ${what}`,
  );
}
