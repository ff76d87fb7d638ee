import type { Orchestration, Tool } from "../../feature/tool.ts";

/** The hints of a Model Context Protocol tool: https://modelcontextprotocol.io/specification/2025-06-18/schema#toolannotations */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** The parts of a declaration that a tool's hints tell about how it may be called. */
export interface AnnotatedContract {
  readonly mode: Extract<Orchestration["mode"], "parallel-safe" | "sequential-only">;
  readonly isWrite: boolean;
  readonly idempotent: boolean;
  /** Left out, not `never`, when nothing asks for it: a hint may not take back what the tool's actions ask for. */
  readonly confirm?: "always";
  readonly on_error: NonNullable<Orchestration["on_error"]>;
}

/** The meaning of an absent hint: the worst, as the protocol has it. */
const DEFAULTS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/**
 * Tell a tool's contract as MCP annotations. Every hint is said, because the protocol's defaults are not ours.
 *
 * @example
 * toAnnotations(getWeather); // { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }
 */
export function toAnnotations(tool: Tool): ToolAnnotations {
  const { isWrite, actions, confirm, idempotent, hosts } = tool;
  return {
    readOnlyHint: !isWrite,
    // A contract that lets a deletion run unconfirmed makes it no less of one.
    destructiveHint: isWrite && (confirm || actions.includes("delete")),
    idempotentHint: idempotent,
    // Where its caller says where it goes, `hosts` is a word.
    openWorldHint: hosts.length > 0,
  };
}

/**
 * Read MCP annotations as a contract: `readOnlyHint` is a strong signal for parallel-safe, `destructiveHint` for
 * sequential-only and confirmed. Any other write is sequential-only too: fan-out needs a cap, and no hint gives one.
 *
 * Hints are what a server says of itself. Read them only of servers that are trusted to say how they may be called.
 *
 * @example
 * fromAnnotations({ readOnlyHint: true });
 * // { mode: "parallel-safe", isWrite: false, idempotent: true, on_error: "partial-success" }
 */
export function fromAnnotations(annotations: Partial<ToolAnnotations>): AnnotatedContract {
  const { readOnlyHint, destructiveHint, idempotentHint } = { ...DEFAULTS, ...annotations };
  // The other hints mean nothing about a tool that changes nothing.
  if (readOnlyHint)
    return { mode: "parallel-safe", isWrite: false, idempotent: true, on_error: "partial-success" };
  return {
    mode: "sequential-only",
    isWrite: true,
    idempotent: idempotentHint,
    ...(destructiveHint && { confirm: "always" }),
    on_error: "fail-fast",
  };
}
