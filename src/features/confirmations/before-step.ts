import type { BeforeStep } from "../../core/gate/execution.ts";
import type { Caller, SubjectAccounts } from "../../feature/caller.ts";
import { hashDeclaration } from "./confirmation-digests.ts";
import type { Approver } from "./approvers.ts";
import { createGroupParking } from "./park-groups.ts";

/** The deployment that questions are asked in. */
interface Asking {
  readonly accounts?: Pick<SubjectAccounts, "missing" | "awaited" | "usedBy"> | undefined;
  /** The deployment has the page on which questions are decided. */
  readonly hasPage?: boolean;
  /** Whether somebody may decide what a caller's actions ask. */
  readonly isDecided?: (caller: Caller) => boolean;
  readonly recall?: BeforeStep["recall"];
  readonly approvers?: readonly Approver[];
}

/** Have actions wait for a person: those that ask for a yes, and those that miss an account which can be connected. */
export function createBeforeStep({
  accounts,
  hasPage = true,
  isDecided,
  recall,
  approvers,
}: Asking = {}): BeforeStep {
  return {
    hashOf: hashDeclaration,
    ...(recall !== undefined && { recall }),
    hold: (batch, execution) => accounts?.missing(batch, execution),
    record(parked, { plan, dataOf, execution, runId, named, holder, keptAs, isOne }) {
      const { caller, origin, ports, gate, catalog, callback, hooks } = execution;
      const { tool, trigger } = execution.within?.runOf ?? {};
      const asker = { key: trigger === undefined ? caller.name : undefined, tool, trigger, runId };
      const park = createGroupParking(plan, {
        asker,
        origin,
        ports,
        gate,
        catalog,
        callback,
        named,
        holder,
        keptAs,
        ...(isOne && { isOne }),
        accounts,
        approvers,
        // The address of the page where a question is decided is made of it.
        requestUrl: hasPage ? hooks?.requestUrl : undefined,
        undecidable: isDecided?.(caller) === false,
      });
      return park(parked, dataOf);
    },
  };
}
