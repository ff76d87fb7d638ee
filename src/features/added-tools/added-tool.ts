import type { KeptDeclaration, ToolContext } from "../../core/catalog/define-tool.ts";
import type { KeptTool, Tool } from "../../feature/tool.ts";
import type { ToolHead } from "../../core/catalog/tool-head.ts";

/**
 * Make a tool of what is kept of it. Its head is read at once; its declaration is only read when somebody calls it or
 * asks for its schema, once, because a tenant has hundreds of tools and a batch calls a few.
 *
 * It is one object for as long as the declaration is the same, so what is known of its upstream stays known.
 */
export function createAddedTool(kept: KeptTool, compile: (json: string) => Tool): Tool {
  const { name, json, fingerprint, headJson } = kept;
  const lazy: object = new LazyTool(name, JSON.parse(headJson) as ToolHead, { json, fingerprint }, compile);
  return lazy as Tool;
}

/** The fields that only the declaration has: all but those below, so that none can be left behind in it. */
const LATE: Readonly<Record<Exclude<keyof Tool, keyof LazyTool>, true>> = {
  domain: true,
  execution: true,
  input: true,
  hosts: true,
  secrets: true,
  bindings: true,
  accounts: true,
  timeoutMs: true,
  headersTimeoutMs: true,
  maxResponseBytes: true,
  typicalTokens: true,
  idempotent: true,
  repeatable: true,
  delivery: true,
  retries: true,
  whenLimiterDown: true,
  private: true,
  upstreamErrors: true,
  actsUnseen: true,
  orchestration: true,
  brought: true,
  onError: true,
  concurrency: true,
  globalLimits: true,
  confirm: true,
  inner: true,
};

class LazyTool {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  readonly actions: readonly string[];
  readonly isWrite: boolean;
  readonly hasLateInput = true;
  readonly added: KeptDeclaration;
  readonly #compile: (json: string) => Tool;
  #whole: Tool | undefined;

  constructor(name: string, head: ToolHead, added: KeptDeclaration, compile: (json: string) => Tool) {
    this.name = name;
    this.summary = head.summary;
    this.description = head.description;
    this.category = head.category;
    this.actions = head.actions;
    this.isWrite = head.is_write;
    this.added = added;
    this.#compile = compile;
  }

  get #tool(): Tool {
    return (this.#whole ??= this.#compile(this.added.json));
  }

  static {
    for (const field of Object.keys(LATE) as (keyof Tool)[])
      Object.defineProperty(this.prototype, field, {
        get(this: LazyTool) {
          return this.#tool[field];
        },
      });
  }

  run(args: unknown, context: ToolContext): Promise<unknown> {
    return this.#tool.run(args, context);
  }
}
