import { callConfirmations, type ListedConfirmation } from "../../confirmations/confirmation.ts";
import { followAccounts, prepareDecision, runApproved } from "../../confirmations/http/decide.ts";
import { findConfirmation } from "../../confirmations/http/find-confirmation.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { attempt, type Refusal } from "../../../feature/refuse.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import { withAccount } from "../../../feature/caller.ts";
import { toPlace } from "../../../core/contract/gate/job-query.ts";
import { takeWalked, walkRows } from "../../../core/kit/take-rows.ts";
import type { ConnectionPlace } from "../connection.ts";
import { digestOf } from "../subject.ts";

/** The caller that runs what waited for an account: it may call what any key of the tenant may, and runs what was asked. */
const NAME = "connection:";

const NEVER = new AbortController().signal;

/**
 * Run what waited for an account that is connected now, from its stored results. Connecting it was the subject's yes. A question that misses another
 * account still waits, and one that needs a person's yes shows the account from now on. Rejects where the questions cannot be listed.
 *
 * @returns whether nothing is left to try again: false where a question could not be admitted just now
 */
export async function runAwaiting(
  { subject, connector }: Pick<ConnectionPlace, "subject" | "connector">,
  received: RequestContext,
): Promise<boolean> {
  const catalog = await received.allTools();
  const caller = { ...received.caller, name: NAME, tools: ["*"] };
  const currentCatalog = (): Promise<typeof catalog> => received.allTools();
  const context: RequestContext = { ...received, caller, catalog, currentCatalog };
  const digest = digestOf(caller.tenant, subject);
  // The others stay where they are kept, however many there are.
  const having = [JSON.stringify(digest), `"subject":${JSON.stringify(subject)}`];
  const asking = { status: "pending", having, limit: LIMITS.maxJobPage } as const;
  const walk = walkRows<ListedConfirmation>((last) =>
    callConfirmations(context.gate, "confirmations", { ...asking, after: last && toPlace(last) }),
  );
  const { rows: waiting } = await takeWalked(walk);
  const ours = waiting.filter(
    ({ head: { awaits } }) => awaits?.digest === digest && awaits.connectors.includes(connector),
  );
  const asked = waiting.filter(({ head }) => head.awaits === undefined && head.subject === subject);
  const ran = await Promise.all([
    ...ours.map(({ id }) => attempt(() => runOne(id, subject, context))),
    ...asked.map(({ id }) => attempt(() => showAccount(id, context))),
  ]);
  return ran.every((one) => one.ok && one.value);
}

/** Run one question; false where it is to be tried again, and still waits. */
async function runOne(id: string, subject: string, context: RequestContext): Promise<boolean> {
  const found = await findConfirmation(id, context);
  if (!found.ok) return !isPassing(found.error);
  const by = { name: subject, via: "link" } as const;
  const asked = { decision: "approve", shownHash: undefined, key: null, by } as const;
  const prepared = prepareDecision(found.value, asked, context);
  if (!prepared.ok || prepared.value.kind !== "open") return true;
  const ran = await runApproved(prepared.value, { ...context, signal: NEVER });
  return ran.ok || !isPassing(ran.error.refusal);
}

/** Make the account part of a question that needs a yes; false where that is to be tried again. */
async function showAccount(id: string, context: RequestContext): Promise<boolean> {
  const found = await findConfirmation(id, context);
  if (!found.ok) return !isPassing(found.error);
  const { group, catalog } = found.value;
  const own = { ...withAccount(context, group.account), catalog, signal: NEVER };
  const changed = await followAccounts(group, { id, by: own.ports.newId() }, own);
  return changed === null || !isPassing(changed);
}

/** Whether a refusal says nothing of the question itself. */
function isPassing({ code }: Refusal): boolean {
  return code === "UNAVAILABLE" || code === "QUOTA_EXCEEDED";
}
