import { type Catalog, isFlow, type KeptTool, type Tool } from "../../feature/tool.ts";
import type { Caller } from "../../feature/caller.ts";
import type { ToolsPage } from "./stored-tools.ts";
import * as LIMITS from "./limits.ts";
import { createAddedTool } from "./added-tool.ts";
import type { Declaration } from "./declared/declaration.ts";
import type { ToolSecrets } from "./declared/secret-bindings.ts";
import { toTool } from "./declared/to-tool.ts";
import { callMcpTool } from "./mcp/call-mcp-tool.ts";
import { getOrMake, makeRoom } from "../../core/kit/get-or-make.ts";

export interface RegistryOptions {
  /** The tools that every tenant has. */
  readonly shipped: Catalog;
  /** Make a tool of a declaration. */
  readonly compile: (json: string) => Tool;
  /** Flows are tools too. Where the Worker has none of them, a flow that is kept from before is no tool. */
  readonly hasFlows: boolean;
  /** Characters of declarations that are kept, of all tenants together. */
  readonly atHand?: number;
}

/**
 * One isolate's knowledge of the tools that tenants have added, and the catalogs that come of it.
 *
 * A tenant's catalog is made once for a version and a key, never for a request. The tools at hand are bounded: the tenant whose
 * tools were not asked for longest is forgotten, and its tools are read again when they are.
 */
export class ToolRegistry {
  readonly #options: RegistryOptions;
  /** The one that was not asked for longest comes first. */
  readonly #tenants = new Map<string, TenantTools>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** The tools that a key may call, with the tenant's own as far as they are known; null when none is known. */
  catalogOf(caller: Caller): Catalog | null {
    const tools = this.#tenants.get(caller.tenant);
    if (tools === undefined) return null;
    this.#tenants.delete(caller.tenant);
    this.#tenants.set(caller.tenant, tools);
    return tools.catalogOf(caller);
  }

  /** Up to which version a tenant's tools are known. */
  versionOf(tenant: string): number {
    return this.#tenants.get(tenant)?.version ?? 0;
  }

  /** Take what a tenant's object says of its tools. */
  take(tenant: string, page: ToolsPage): void {
    const { atHand = LIMITS.toolsAtHandBytes } = this.#options;
    const tools = this.#tenants.get(tenant) ?? new TenantTools(this.#options);
    tools.take(page);
    this.#tenants.delete(tenant);
    this.#tenants.set(tenant, tools);
    let characters = 0;
    for (const one of this.#tenants.values()) characters += one.characters;
    for (const [other, { characters: freed }] of this.#tenants) {
      if (characters <= atHand || other === tenant) return;
      this.#tenants.delete(other);
      characters -= freed;
    }
  }
}

const NOTHING = { version: 0, names: [], tools: [] };

/** One tenant's own tools at one version. */
class TenantTools {
  version = 0;
  characters = 0;
  readonly #options: RegistryOptions;
  readonly #tools = new Map<string, Tool>();
  #all: Catalog;
  #visible = new WeakMap<Caller, Catalog>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#all = options.shipped;
  }

  catalogOf(caller: Caller): Catalog {
    return getOrMake(this.#visible, caller, () => this.#all.restrictTo(caller.tools));
  }

  /**
   * Requests ask beside each other, so what comes may be known already. A lower version is that of an older answer, or of a
   * store that was set back: then everything is read anew. A tool that is as it was stays the object it is.
   */
  take(page: ToolsPage): void {
    if (page.version === this.version) return;
    const isBehind = page.version < this.version;
    const { version, names, tools }: Omit<ToolsPage, "complete"> = isBehind ? NOTHING : page;
    const there = new Set(names);
    for (const name of this.#tools.keys()) if (!there.has(name)) this.#tools.delete(name);
    for (const kept of tools) this.#put(kept);
    this.version = version;
    this.characters = 0;
    for (const { added } of this.#tools.values()) this.characters += added!.json.length;
    this.#all = this.#options.shipped.extend([...this.#tools.values()], version);
    this.#visible = new WeakMap();
  }

  #put(kept: KeptTool): void {
    // One that the deployment has by now: a tenant's own never takes the place of what everybody calls.
    const { shipped, compile, hasFlows } = this.#options;
    if (shipped.callable(kept.name) !== undefined || (!hasFlows && isFlow(kept))) return;
    const isKnown = this.#tools.get(kept.name)?.added?.fingerprint === kept.fingerprint;
    if (!isKnown) this.#tools.set(kept.name, createAddedTool(kept, compile));
  }
}

/** As many as one batch may call: an alarm that runs jobs needs the same few again. */
const KEPT = 50;

/**
 * Create what makes tools of declarations and flows as they are kept. The tool of one declaration stays the same object, so
 * that what is known of its upstream stays known, as long as no more than a few others were asked for since.
 */
export function createCompiler(
  secrets: ToolSecrets,
  toFlowTool?: (kept: object) => Tool,
): (json: string) => Tool {
  const made = new Map<string, Tool>();
  return (json) =>
    getOrMake(made, json, () => {
      const kept = JSON.parse(json) as object;
      const isFlow = toFlowTool !== undefined && "flow" in kept;
      const tool = isFlow ? toFlowTool(kept) : toTool(kept as Declaration, { secrets, callMcp: callMcpTool });
      makeRoom(made, KEPT);
      return tool;
    });
}
