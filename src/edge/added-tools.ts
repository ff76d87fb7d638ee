import type { Catalog } from "../catalog/catalog.ts";
import type { ToolSecrets } from "../catalog/declared/secret-bindings.ts";
import type { Tool } from "../catalog/define-tool.ts";
import type { Caller } from "../contract/gate/caller.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import { LIMITS } from "../contract/limits.ts";
import type { IsolateQuota } from "../gate/leased-admission.ts";
import type { Clock } from "../kit/clock.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";

/** Make tools of declarations. What that needs is loaded when there is the first of them. */
export async function loadCompiler(secrets: ToolSecrets): Promise<(json: string) => Tool> {
  const { createCompiler } = await import("../registry/compile-added-tool.ts");
  return createCompiler(secrets);
}

/** The tools that tenants have added, as far as this isolate has had to know them. */
export class AddedTools {
  /** Null until some tenant's tools were asked for: a deployment without any pays for none of it. */
  registry: ToolRegistry | null = null;
  readonly #catalog: Catalog;
  readonly #secrets: ToolSecrets;
  readonly #clock: Pick<Clock, "now">;
  #compile: ((json: string) => Tool) | undefined;

  constructor(catalog: Catalog, secrets: ToolSecrets, clock: Pick<Clock, "now">) {
    this.#catalog = catalog;
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /**
   * What a key may call by now. Its tenant's object is asked where it has told of newer tools than are known here, or has
   * told nothing for a while. Requests do not wait for each other's answers, because one that is cut off has none.
   */
  async currentCatalog(caller: Caller, held: IsolateQuota, gate: Pick<Gate, "toolsSince">): Promise<Catalog> {
    const { tenant } = caller;
    let registry = this.registry;
    const isKnown = (registry?.versionOf(tenant) ?? 0) === held.toolsVersion;
    if (!isKnown || this.#clock.now() - held.toolsHeardAtMs >= LIMITS.toolsHeardMs) {
      registry ??= this.registry ??= await this.#createRegistry();
      for (let isRead = false; !isRead;) {
        const sentAtMs = this.#clock.now();
        const page = await gate.toolsSince(registry.versionOf(tenant));
        registry.take(tenant, page);
        isRead = page.complete && registry.versionOf(tenant) === page.version;
        if (isRead) held.hearTools(sentAtMs, page.version);
      }
    }
    return registry?.catalogOf(caller) ?? this.#catalog.restrictTo(caller.tools);
  }

  /** Make a tool of what was kept of one. */
  async compile(json: string): Promise<Tool> {
    const compile = await this.#loadCompiler();
    return compile(json);
  }

  async #createRegistry(): Promise<ToolRegistry> {
    const { ToolRegistry: Registry } = await import("../registry/tool-registry.ts");
    return new Registry({ shipped: this.#catalog, compile: await this.#loadCompiler() });
  }

  async #loadCompiler(): Promise<(json: string) => Tool> {
    return (this.#compile ??= await loadCompiler(this.#secrets));
  }
}
