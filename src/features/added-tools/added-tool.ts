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
  return new LazyTool(name, JSON.parse(headJson) as ToolHead, { json, fingerprint }, compile);
}

/** Every field of a tool, so that none can be left behind in the declaration. */
type AllOfTool = { readonly [Field in keyof Required<Tool>]: Tool[Field] };

class LazyTool implements AllOfTool {
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

  get domain() {
    return this.#tool.domain;
  }
  get execution() {
    return this.#tool.execution;
  }
  get input() {
    return this.#tool.input;
  }
  get hosts() {
    return this.#tool.hosts;
  }
  get secrets() {
    return this.#tool.secrets;
  }
  get bindings() {
    return this.#tool.bindings;
  }
  get accounts() {
    return this.#tool.accounts;
  }
  get timeoutMs() {
    return this.#tool.timeoutMs;
  }
  get headersTimeoutMs() {
    return this.#tool.headersTimeoutMs;
  }
  get maxResponseBytes() {
    return this.#tool.maxResponseBytes;
  }
  get typicalTokens() {
    return this.#tool.typicalTokens;
  }
  get idempotent() {
    return this.#tool.idempotent;
  }
  get repeatable() {
    return this.#tool.repeatable;
  }
  get delivery() {
    return this.#tool.delivery;
  }
  get retries() {
    return this.#tool.retries;
  }
  get whenLimiterDown() {
    return this.#tool.whenLimiterDown;
  }
  get private() {
    return this.#tool.private;
  }
  get upstreamErrors() {
    return this.#tool.upstreamErrors;
  }
  get actsUnseen() {
    return this.#tool.actsUnseen;
  }
  get orchestration() {
    return this.#tool.orchestration;
  }
  get brought() {
    return this.#tool.brought;
  }
  get onError() {
    return this.#tool.onError;
  }
  get concurrency() {
    return this.#tool.concurrency;
  }
  get globalLimits() {
    return this.#tool.globalLimits;
  }
  get confirm() {
    return this.#tool.confirm;
  }
  get inner() {
    return this.#tool.inner;
  }
  run(args: unknown, context: ToolContext): Promise<unknown> {
    return this.#tool.run(args, context);
  }
}
