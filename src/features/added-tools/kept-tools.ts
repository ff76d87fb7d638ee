import type { KeptTool } from "../../core/contract/gate/kept-tool.ts";
import { createPartCall } from "../../core/contract/gate/part-call.ts";
import type { Result } from "../../core/kit/result.ts";

/** A tool that a tenant adds while running, or a flow, as a Worker hands it over to be kept. The JSON of a flow is an object that has it as `flow`. */
export interface ToolToKeep extends Omit<KeptTool, "version"> {
  /** Tools of the tenant's own that its contract names: those of the deployment are always there. */
  readonly needs: readonly string[];
  /** For a flow that a clock runs: the clock, and when it comes first. */
  readonly clock?: FlowClock;
}

export interface FlowClock {
  readonly cron: string;
  /** The IANA zone in which it is read. */
  readonly timezone: string;
  /** Milliseconds since the epoch; null when no time comes any more. */
  readonly nextAt: number | null;
}

/** A change of a tenant's tools: all of it happens, or nothing. */
export type ToolChange = {
  /** Say what would happen, and do nothing. */
  readonly dryRun?: boolean;
  /**
   * The tools that the key may call: names, categories or `*`. A tool that exists and is not among these is neither replaced nor
   * removed.
   */
  readonly grants?: readonly string[];
} & (
  | { readonly kind: "put"; readonly tool: ToolToKeep }
  | { readonly kind: "delete"; readonly name: string }
  /** A tool that was imported under the prefix before, and is not among these, goes. */
  | { readonly kind: "import"; readonly prefix: string; readonly tools: readonly ToolToKeep[] }
);

export interface ToolsChanged {
  readonly version: number;
  readonly added: readonly string[];
  readonly replaced: readonly string[];
  readonly removed: readonly string[];
}

/** Why a change cannot be, and of which tools that is said. */
export interface ToolChangeRefusal {
  readonly reason:
    | "unknown"
    /** A name belongs to a tool that the import did not make. */
    | "taken"
    /** A name belongs to a flow and is to be a tool's, or the other way round. */
    | "other-kind"
    /** A name belongs to what the key may not call. */
    | "hidden"
    /** The key that keeps them could not call them. */
    | "out-of-reach"
    | "too-many"
    | "too-large"
    /** A contract names an unknown tool. */
    | "needs-unknown"
    /** Contracts name each other in a circle. */
    | "needs-each-other";
  readonly names: readonly string[];
}

export type ToolChangeAnswer = Result<ToolsChanged, ToolChangeRefusal>;

/** The changes of a tenant's tools since a version: a part of them where all would not fit one message. */
export interface ToolsPage {
  /** The version up to which this tells everything. */
  readonly version: number;
  /** Whether nothing comes after it. */
  readonly complete: boolean;
  /** The names of all that there are now, so that what is not among them is gone. */
  readonly names: readonly string[];
  /** Those that are new or others since, the oldest change first. */
  readonly tools: readonly KeptTool[];
}

/** The methods of the part of a tenant's object that keeps the tools that it added. */
export interface AddedToolsMethods {
  /** Add, replace or delete tools of the tenant's own. */
  changeTools(change: ToolChange): ToolChangeAnswer;
  /** One of the tenant's own tools; null when there is none of that name. */
  tool(name: string): KeptTool | null;
  /** The changes of the tenant's own tools since a version, in one message or, where they are many, in part. */
  toolsSince(version: number): ToolsPage;
}

/** Call a method of the part of a tenant's object that keeps its added tools. */
export const callAddedTools = createPartCall<AddedToolsMethods>("added-tools");
