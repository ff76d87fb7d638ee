import type { FlowIssue, FlowRefusal } from "./flows-client.ts";
import type { FlowsTeller } from "./run-flows.ts";

interface Collected {
  readonly differences: { name: string; kind: string; changes?: readonly object[]; stays?: string }[];
  readonly refused: ({ name: string } & FlowRefusal)[];
  readonly broken: { name: string; reason: string }[];
  readonly issues: ({ name: string } & FlowIssue)[];
  unchanged: number;
}

/** Collect what is told of flows into one value, for machines. */
export function collectFlows(): { readonly tell: FlowsTeller; readonly made: () => Collected } {
  const made: Collected = { differences: [], refused: [], broken: [], issues: [], unchanged: 0 };
  return {
    made: () => made,
    tell: {
      difference: ({ name, kind, ...rest }, kept) =>
        made.differences.push({
          name,
          kind,
          ...("changes" in rest && { changes: rest.changes }),
          ...(kind === "gone" && kept !== "" && { stays: kept }),
        }),
      refusal: (name, refusal) => made.refused.push({ name, ...refusal }),
      broken: (name, reason) => made.broken.push({ name, reason }),
      issue: (name, issue) => made.issues.push({ name, ...issue }),
      unchanged: (count) => (made.unchanged = count),
      end: () => {},
    },
  };
}
