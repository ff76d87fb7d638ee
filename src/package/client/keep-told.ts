import type { envelopeSchema, resultSchema } from "../../core/answer/result-schema.ts";
import type { Written } from "../../core/contract/lazy-schema.ts";

// Not by the types of the client, which are of every feature: the console's ground has this too.
type ActionResult = Written<typeof resultSchema>;
type Envelope = Written<typeof envelopeSchema>;

/**
 * Keep in an answer what was told before its stream broke off, counted as it was. The run that takes a batch over does not know how its writes
 * ended, so its `unknown` says less; and what has succeeded stays so. A read that succeeds again has its new data, because what followed it was
 * made of that.
 *
 * @param toldOf the result of an action that an earlier connection told
 */
export function keepTold<E extends Pick<Envelope, "results" | "summary">>(
  envelope: E,
  toldOf: (index: number) => ActionResult | undefined,
): E {
  const summary = { ...envelope.summary };
  const results = envelope.results.map((came) => {
    const told = toldOf(came.index);
    if (told === undefined || !stands(told, came)) return came;
    summary[countOf(came)] -= 1;
    summary[countOf(told)] += 1;
    // A write that is known may have been taken back since.
    const { undone } = came.meta as { readonly undone?: unknown };
    return undone === undefined ? told : { ...told, meta: { ...told.meta, undone } };
  });
  return { ...envelope, results, summary };
}

/** A call that waited for a person may have been sent since. */
function stands(told: ActionResult, came: ActionResult): boolean {
  if (told.status === came.status || told.status === "pending_confirmation") return false;
  return told.status === "success" || came.status === "unknown";
}

function countOf({ status }: ActionResult): keyof Envelope["summary"] {
  return status === "success" ? "ok" : status;
}
