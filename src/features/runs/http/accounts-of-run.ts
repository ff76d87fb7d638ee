import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import type { ListedRun } from "../run-log-methods.ts";

/**
 * Have a rerun use the accounts that its run used. It never uses others: a request that acts for one subject, by its key or by its
 * header, runs no run of another one again, and none that used the deployment's own accounts.
 */
export function useAccountsOf(
  { subject, connections }: Pick<ListedRun, "subject" | "connections">,
  request: Request,
  context: RequestContext,
): Result<RequestContext, Refusal> {
  const named = context.origin.account?.subject;
  if (named !== undefined && named !== subject) return err(OTHER_SUBJECT);
  if (subject === undefined) return ok(context);
  const fields = context.hooks?.fields;
  if (fields === undefined || connections === undefined) return err(UNKNOWN_ACCOUNTS);
  const read = fields.read({ subject, connections }, { request, context, code: "INVALID_REQUEST" });
  return read.ok ? ok(read.value.context) : read;
}

const OTHER_SUBJECT = makeRefusal(
  "FORBIDDEN",
  "The request acts for one subject, and the run used the accounts of another, or of none.",
);

/** An earlier version recorded it, or the deployment has no connections any more. */
const UNKNOWN_ACCOUNTS = makeRefusal(
  "INVALID_REQUEST",
  "Which of its subject's connections this run used is not known here; send its actions anew, with the subject.",
);
