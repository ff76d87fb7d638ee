import type { Catalog, KeptTool, Tool } from "../../../feature/tool.ts";
import type { Caller } from "../../../feature/caller.ts";
import { callAddedTools, type ToolChange, type ToolChangeAnswer } from "../stored-tools.ts";
import type { Gate } from "../../../feature/tenant.ts";
import * as LIMITS from "../limits.ts";
import type { IsolateQuota } from "../../../core/gate/leased-admission.ts";
import type { Clock } from "../../../feature/kit.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import { createCompiler, ToolRegistry } from "../tool-registry.ts";
import { givenBy } from "../../../feature/gives.ts";
import { type Configured, createSlot } from "../../../feature/define.ts";
import type { TenantTools } from "../../../cloudflare/feature.ts";
import { readToolSecrets, toolSettingsOf } from "./tool-settings.ts";

/** Create what makes a tool of its declaration's JSON text. */
export function compilerOf({
  env,
  toolSecrets,
  features,
}: Pick<Configured, "env" | "toolSecrets" | "features">): (json: string) => Tool {
  const [toFlowTool] = givenBy(features, "toFlowTool");
  return createCompiler(readToolSecrets(env, toolSecrets), toFlowTool);
}

/** The tools that tenants have added, as far as this isolate has had to know them. */
class AddedTools implements TenantTools {
  /** Null until some tenant's tools were asked for: a deployment without any pays for none of it. */
  #registry: ToolRegistry | null = null;
  readonly #catalog: Catalog;
  readonly #configured: Configured;
  readonly #clock: Pick<Clock, "now">;
  #compile: ((json: string) => Tool) | undefined;

  /** Throws where the settings for these tools cannot be read. */
  constructor(configured: Configured) {
    const { catalog, ports } = configured;
    toolSettingsOf(configured);
    this.#configured = configured;
    this.#catalog = catalog;
    this.#clock = ports.clock;
  }

  get isOpen(): boolean {
    return this.#registry !== null;
  }

  knownCatalog(caller: Caller): Catalog | null {
    return this.#registry?.catalogOf(caller) ?? null;
  }

  /**
   * The catalog that a key may call by now. Its tenant's object is asked where it has told of newer tools than are known here,
   * has told nothing for a while, or a name is sought that is not known here. Requests do not wait for each other's answers, because
   * one that is cut off has none.
   */
  async currentCatalog(
    caller: Caller,
    held: IsolateQuota,
    gate: Pick<Gate, "call">,
    isSought = false,
  ): Promise<Catalog> {
    const { tenant } = caller;
    let registry = this.#registry;
    const now = this.#clock.now();
    const isKnown = (registry?.versionOf(tenant) ?? 0) === held.toolsVersion;
    const seeks = isSought && now - held.toolsSoughtAtMs >= LIMITS.toolsSoughtMs;
    if (seeks) held.toolsSoughtAtMs = now;
    if (!isKnown || seeks || now - held.toolsHeardAtMs >= LIMITS.toolsHeardMs) {
      registry ??= this.#registry ??= this.#createRegistry();
      for (let isRead = false; !isRead;) {
        const sentAtMs = this.#clock.now();
        const page = await callAddedTools(gate, "toolsSince", registry.versionOf(tenant));
        registry.take(tenant, page);
        isRead = page.complete && registry.versionOf(tenant) === page.version;
        if (isRead) held.hearTools(sentAtMs, page.version);
      }
    }
    return registry?.catalogOf(caller) ?? this.#catalog.restrictTo(caller.tools);
  }

  /** Make a tool of what was kept of one. */
  async compile(json: string): Promise<Tool> {
    return this.#compiler(json);
  }

  #createRegistry(): ToolRegistry {
    const hasFlows = givenBy(this.#configured.features, "toFlowTool").length > 0;
    return new ToolRegistry({ shipped: this.#catalog, compile: this.#compiler, hasFlows });
  }

  get #compiler(): (json: string) => Tool {
    return (this.#compile ??= compilerOf(this.#configured));
  }
}

/** The tools that tenants have added, in a deployment. */
export const addedToolsOf = createSlot((configured) => new AddedTools(configured));

/** Read all tools that a tenant has added, the oldest change first, so that what a tool depends on comes before it where it did. */
export async function readAll(gate: Pick<Gate, "call">): Promise<readonly KeptTool[]> {
  const tools = new Map<string, KeptTool>();
  for (let version = 0; ;) {
    const page = await callAddedTools(gate, "toolsSince", version);
    for (const tool of page.tools) tools.set(tool.name, tool);
    if (page.complete) {
      const names = new Set(page.names);
      return [...tools.values()].filter(({ name }) => names.has(name));
    }
    ({ version } = page);
  }
}

/** Change the tools of the caller's tenant. Where they were changed the change is known at once. */
export async function changeTools(
  { gate, hearTools }: Pick<RequestContext, "gate" | "hearTools">,
  change: ToolChange,
): Promise<ToolChangeAnswer> {
  const changed = await callAddedTools(gate, "changeTools", change);
  if (changed.ok) hearTools(changed.value.version);
  return changed;
}
