import type { WireTool } from "../kit/wire.ts";
import { count } from "../parts/count.ts";

/** A tool as `POST /v1/discover_tools` lists it. */
export interface ListedTool {
  readonly name: string;
  readonly summary: string;
  readonly category: string;
  readonly actions: readonly string[];
  readonly is_write: boolean;
}

/** The fields of a contract that are told in words. */
interface Contract {
  readonly mode?: string;
  readonly max_concurrency?: number;
  readonly global_concurrency?: number;
  readonly rate_limit?: { readonly limit: number; readonly window_s: number; readonly scope?: string };
  readonly confirm?: string | { readonly when?: object; readonly needs?: number };
  readonly depends_on?: readonly { readonly tool: string; readonly required_fields?: readonly string[] }[];
  readonly backoff?: { readonly initial_ms?: number };
  readonly cache_ttl_s?: number;
  readonly on_error?: string;
}

/** Say a tool's contract, a sentence a promise. A promise that the contract does not make is not invented. */
export function sayContract(
  listed: Pick<ListedTool, "is_write" | "actions"> | null,
  tool: WireTool,
): readonly string[] {
  const contract = tool["x-orchestration"] as Contract;
  const { mode, confirm, depends_on: needs } = contract;
  const { max_concurrency: cap, global_concurrency: worldwide, rate_limit: rate } = contract;
  const { when, needs: people = 1 } = typeof confirm === "object" ? confirm : {};
  const isAsked =
    confirm === "always" ||
    typeof confirm === "object" ||
    (confirm !== "never" && listed?.is_write === true && listed.actions.includes("delete"));
  const said = [
    listed !== null && (listed.is_write ? "Writes: it changes something." : "Reads: it changes nothing."),
    isAsked &&
      `Needs approval${people > 1 ? ` by ${people} people` : ""}${when === undefined ? "" : ", depending on its arguments"}.`,
    mode === "sequential-only" && "One call at a time.",
    mode === "parallel-safe" && "Any number of calls at once.",
    cap !== undefined && `At most ${count(cap, "call")} at once in a batch.`,
    worldwide !== undefined && `At most ${count(worldwide, "call")} at once of all tenants.`,
    rate !== undefined &&
      `At most ${count(rate.limit, "call")} in ${rate.window_s} s${rate.scope === "global" ? ", of all tenants" : ""}.`,
    ...(needs ?? []).map(
      ({ tool: name, required_fields: fields = [] }) =>
        `Takes ${fields.length === 0 ? "what it needs" : fields.join(", ")} from ${name} where it stands before.`,
    ),
    contract.cache_ttl_s !== undefined && `An answer is remembered for ${contract.cache_ttl_s} s.`,
    contract.on_error === "fail-fast" && "A for_each stops at the first failure.",
  ];
  return said.filter((sentence) => typeof sentence === "string");
}

/** Put tools into their categories, both in the order of the alphabet. */
export function groupTools(
  tools: readonly ListedTool[],
): readonly (readonly [category: string, tools: readonly ListedTool[]])[] {
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [...Map.groupBy(sorted, ({ category }) => category)].sort(([a], [b]) => (a < b ? -1 : 1));
}
