import { listAsked } from "../confirmation.ts";
import type { Decision } from "../decision.ts";
import { FIELDS } from "../page/question-page.ts";
import type { ParkedGroup } from "../parked-group.ts";
import { mapExact } from "../../../core/contract/json.ts";
import { isJsonObject, type JsonObject, parseExact, visibleText } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { parseJsonText } from "../../../core/contract/parse-json.ts";
import { canonicalJson } from "../../../core/kit/json/canonical-json.ts";
import { attemptNow } from "../../../feature/refuse.ts";
import { readOwnForm } from "../../../cloudflare/http/read-request-body.ts";

/** A form as it was sent. */
export interface SentForm extends Pick<Decision, "args" | "decision" | "reason"> {
  readonly shownHash: string;
}

type ReadForm =
  | { readonly form: SentForm; readonly typed: URLSearchParams }
  | (WrongForm & { readonly typed?: URLSearchParams });

/** Why a form is not taken, to the person who sent it. */
interface WrongForm {
  readonly wrong: string;
  readonly status: number;
}

/**
 * Read the form of a question's page. It is taken from that page alone: another page does not know the token, and a browser says
 * where a form comes from. With it comes what the person typed, which the page shows again where the form is refused.
 */
export async function readForm(
  request: Request,
  { formToken, group }: { readonly formToken: string; readonly group: ParkedGroup },
): Promise<ReadForm> {
  const fields = await readOwnForm(request, LIMITS.bodyBytes);
  if (fields === "too-long") return TOO_LONG;
  if (fields === "foreign" || fields.get(FIELDS.token) !== formToken) return FOREIGN;
  return { ...readDecision(fields, group), typed: fields };
}

function readDecision(fields: URLSearchParams, group: ParkedGroup): { readonly form: SentForm } | WrongForm {
  const decision = fields.get(FIELDS.decision);
  if (decision !== "approve" && decision !== "reject") return UNDECIDED;
  if (fields.has("remember_s") || fields.has("any_args")) return UNREMEMBERED;
  const reason = (fields.get(FIELDS.reason) ?? "").trim();
  if (reason.length > LIMITS.reasonCharacters) return LONG_REASON;
  // A no runs nothing, whatever stands in the fields of the arguments.
  const args = decision === "approve" ? readArgs(fields, group) : { changed: {} };
  if ("wrong" in args) return args;
  return {
    form: {
      decision,
      shownHash: fields.get(FIELDS.hash) ?? "",
      ...(reason !== "" && { reason }),
      ...(Object.keys(args.changed).length > 0 && { args: args.changed }),
    },
  };
}

/** Read the arguments that were changed; a text that says the same as before, in whichever layout, changes nothing. */
function readArgs(
  fields: URLSearchParams,
  { actions }: Pick<ParkedGroup, "actions">,
): { readonly changed: Record<string, JsonObject> } | WrongForm {
  const changed: Record<string, JsonObject> = {};
  for (const [at, { id, args }] of listAsked(actions).entries()) {
    const text = fields.get(`${FIELDS.args}${at}`);
    if (text === null || args.kind !== "call") continue;
    const parsed = attemptNow(() => parseExact(text));
    if (!parsed.ok || !isJsonObject(parsed.value))
      return {
        status: 422,
        wrong: `The arguments of '${visibleText(id)}' are no JSON object. ${sayFlaw(text)}Nothing ran.`,
      };
    if (canonicalJson(parsed.value) !== canonicalJson(args.input))
      changed[id] = mapExact(parsed.value, String) as JsonObject;
  }
  return { changed };
}

/** Say where a text goes wrong that is no JSON, in a sentence. */
function sayFlaw(text: string): string {
  const parsed = parseJsonText(text, LIMITS.nesting);
  return parsed.ok ? "" : `${parsed.error} `;
}

const FOREIGN = {
  status: 403,
  wrong: "This form did not come from this page, so nothing was decided. Decide here.",
} as const;

const TOO_LONG = { status: 413, wrong: "The form is too long; nothing was decided." } as const;

const UNDECIDED = { status: 422, wrong: "Say yes or no; nothing was decided." } as const;

const UNREMEMBERED = {
  status: 422,
  wrong: "By a link you decide about this once; only a key has a yes remembered. Nothing was decided.",
} as const;

const LONG_REASON = {
  status: 422,
  wrong: `A reason may have ${LIMITS.reasonCharacters} characters; nothing was decided.`,
} as const;
