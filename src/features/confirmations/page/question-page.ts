import type { OpenedLink } from "../approval-link.ts";
import type { toWireConfirmation } from "../wire-confirmation.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { escapeUnseen, toJsonEscape } from "../../../core/kit/visible-text.ts";
import { mark, type Markup } from "../../../core/kit/markup.ts";
import type { Page } from "../../../core/edge/page/respond-page.ts";

type Question = ReturnType<typeof toWireConfirmation>;
type Action = Question["actions"][number];

/** The fields of the form: the page's own token, the decision, its reason, and arguments by the action's place. */
export const FIELDS = {
  token: "form",
  hash: "args_hash",
  decision: "decision",
  reason: "reason",
  args: "args.",
};

/** The parts of a question's page. */
export interface Asked {
  readonly question: Question;
  readonly link: Pick<OpenedLink, "name" | "edit">;
  /** Proves that a form was sent from this page. */
  readonly formToken: string;
  /** The places of the actions whose arguments may be changed. */
  readonly editable: ReadonlySet<number>;
  /** The fault of the form that was sent before, and what was typed into it. */
  readonly wrong?: string | undefined;
  readonly typed?: Typed | undefined;
}

/** The texts of a form that was refused: its author mends them, and does not begin anew. */
export interface Typed {
  readonly reason: string;
  /** The arguments of the action at a place; null where none were sent. */
  readonly argsAt: (place: number) => string | null;
}

/** Make the page that asks: everything that a yes would run, and a form with two buttons. */
export function makeQuestionPage({ question, link, formToken, editable, wrong, typed }: Asked): Page {
  const gated = question.actions.filter((action) => action.gated);
  const title = `${gated.map(({ tool }) => tool).join(", ")}: yes or no?`;
  const { key, flow, trigger } = question.requested_by;
  const asker = [key, flow, trigger].filter((one) => one !== undefined).join(", ");
  const body = mark`<h1>A yes is needed</h1>
<p>You decide as <b><bdi>${link.name}</bdi></b>, once. Nothing has run yet, and nothing runs without a yes.</p>
${wrong === undefined ? null : mark`<p class="card" role="alert">${wrong}</p>`}
<dl>
<dt>Asked by</dt><dd><bdi>${asker || "unknown"}</bdi></dd>
<dt>Asked at</dt><dd>${question.created_at}</dd>
<dt>Until</dt><dd>${question.expires_at}</dd>
</dl>
<form method="post" autocomplete="off">
<input type="hidden" name="${FIELDS.token}" value="${formToken}">
<input type="hidden" name="${FIELDS.hash}" value="${question.args_hash}">
${question.actions.map((action, at) => showAction(action, link.edit && editable.has(at) ? { at, typed } : null))}
<label>Reason, which who asked is told with a no
<textarea name="${FIELDS.reason}" rows="2" maxlength="${LIMITS.reasonCharacters}">
${toShown(typed?.reason ?? "")}</textarea></label>
<div class="buttons">
<button class="yes" name="${FIELDS.decision}" value="approve">Yes, run this</button>
<button class="no" name="${FIELDS.decision}" value="reject">No</button>
</div>
</form>`;
  return { status: 200, title, body };
}

interface Place {
  readonly at: number;
  readonly typed: Typed | undefined;
}

/** @param place where its arguments are sent in the form; null where they may not be changed */
function showAction(action: Action, place: Place | null): Markup {
  const {
    id,
    tool,
    gated,
    reach,
    resolved,
    followed_by: followers,
    callback_url: callback,
    run_at: at,
  } = action;
  const args =
    place === null
      ? mark`<pre>${toText(shownArgs(action))}</pre>`
      : mark`<label>Arguments, as JSON
<textarea name="${FIELDS.args}${place.at}" rows="8" spellcheck="false">
${toShown(place.typed?.argsAt(place.at) ?? toText(action.args))}</textarea></label>`;
  const notes = [
    resolved ? [] : ["It refers to results that are not there yet: they are filled in when it runs."],
    followers.length === 0 ? [] : [`Then: ${followers.join(", ")}`],
    at === undefined ? [] : [`Not before ${at}.`],
    callback === undefined ? [] : [`The end of it is told to ${callback}.`],
  ].flat();
  return mark`<section class="card">
<h2><bdi>${tool}</bdi> <span class="muted"><bdi>${id}</bdi>${gated ? "" : ", runs after it"}</span></h2>
${args}
${reach === undefined ? null : mark`<p><b>${reach}</b></p>`}
${notes.map((note) => mark`<p class="muted"><bdi>${note}</bdi></p>`)}
</section>
`;
}

function shownArgs({ args, args_of_each: each, for_each: loop }: Action): unknown {
  if (each !== undefined) return { each };
  return loop === undefined ? args : { args, for_each: loop };
}

/** Arguments as they are read, and sent back: what cannot be seen is JSON's own escape, so they are the same then. */
function toText(value: unknown): string {
  return escapeUnseen(JSON.stringify(value ?? {}, null, 2), { seen: LINES, escape: toJsonEscape });
}

const LINES: ReadonlySet<string> = new Set(["\n"]);

/** A text as its author wrote it. JSON has no tabs but between its parts, where spaces do as well and can be seen. */
function toShown(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n").replaceAll("\t", "  ");
  return escapeUnseen(lines, { seen: LINES, escape: toJsonEscape });
}
