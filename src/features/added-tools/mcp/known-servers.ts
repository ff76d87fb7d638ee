import type { FailureCode } from "../../../core/contract/failure-codes.ts";
import * as LIMITS from "../limits.ts";
import { attempt } from "../../../feature/refuse.ts";
import { ToolFailure } from "../../../feature/tool.ts";
import type { ParamHeader } from "./param-headers.ts";
import type { Session } from "./mcp-session.ts";
import { getOrMake, makeRoom } from "../../../core/kit/get-or-make.ts";

/** The known facts of one of a server's tools. */
export interface KnownTool {
  readonly fingerprint: string;
  readonly params: readonly ParamHeader[];
}

export interface KnownServer {
  readonly session: Session;
  readonly tools: ReadonlyMap<string, KnownTool>;
  /** Milliseconds since the epoch until which it may be gone by. */
  readonly until: number;
  /** The request that found it out; see `ToolContext.request`. */
  readonly request: object;
}

/**
 * An isolate's memory of MCP servers: so many at most, and the server that was not asked for longest goes first.
 *
 * Requests share values only, because a promise of one request may not be awaited by another. Within a request, calls that need
 * the same share one way of finding it out.
 */
export class KnownServers {
  /** Least recently used first. */
  readonly #servers = new Map<string, KnownServer>();
  readonly #asking = new WeakMap<object, Map<string, Promise<KnownServer>>>();
  readonly #most: number;

  constructor(most: number = LIMITS.mcpServers) {
    this.#most = most;
  }

  find(key: string): KnownServer | null {
    const known = this.#servers.get(key);
    if (known === undefined) return null;
    this.#servers.delete(key);
    this.#servers.set(key, known);
    return known;
  }

  /**
   * Find something out, unless another call of the request is about to. Calls that wait for that one get its failure as well, or
   * each would ask a server that is down once more. Only where that call was over, and not the server at fault, the next one
   * asks.
   */
  async learn(key: string, request: object, work: () => Promise<KnownServer>): Promise<KnownServer> {
    const asking = getOrMake(this.#asking, request, () => new Map<string, Promise<KnownServer>>());
    for (;;) {
      const other = asking.get(key);
      if (other === undefined) break;
      const told = await attempt(() => other);
      if (told.ok) return told.value;
      if (!isOver(told.error)) throw told.error;
    }
    const learning = work();
    asking.set(key, learning);
    try {
      const known = await learning;
      this.#remember(key, known);
      return known;
    } finally {
      asking.delete(key);
    }
  }

  #remember(key: string, known: KnownServer): void {
    this.#servers.delete(key);
    makeRoom(this.#servers, this.#most);
    this.#servers.set(key, known);
  }
}

const ENDS_OF_A_CALL = new Set<FailureCode>(["CANCELLED", "ABORTED", "DEADLINE_EXCEEDED"]);

/** Whether it was the call that ended: by its own time, or by its batch. */
function isOver(error: unknown): boolean {
  if (!(error instanceof ToolFailure)) return false;
  const { code, phase } = error.failure;
  return ENDS_OF_A_CALL.has(code) || (code === "TIMEOUT" && phase === "total");
}
