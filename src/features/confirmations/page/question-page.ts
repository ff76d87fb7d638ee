import { mark, type Markup, type Page } from "../../../feature/kit.ts";
import type { OpenedLink } from "../approval-link.ts";
import type { toWireConfirmation } from "../wire-confirmation.ts";
import * as LIMITS from "../limits.ts";
import { escapeUnseen, toJsonEscape } from "../../../core/kit/visible-text.ts";

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

interface Asked {
  readonly question: Question;
  readonly link: Pick<OpenedLink, "name" | "edit">;
  /** Proves that a form was sent from this page. */
  readonly formToken: string;
  /** The places of the actions whose arguments may be changed. */
  readonly editable: ReadonlySet<number>;
  /** The form that was sent before. */
  readonly refused?: RefusedForm | undefined;
}

export interface RefusedForm {
  readonly wrong: string;
  /** Its fields, to be sent again: nothing that a person wrote is lost. Absent where the form was not the page's own. */
  readonly typed?: URLSearchParams | undefined;
}

/** Make the page that asks: everything that a yes would run, and a form with two buttons. */
export function makeQuestionPage({ question, link, formToken, editable, refused }: Asked): Page {
  const gated = question.actions.filter((action) => action.gated);
  const title = `${gated.map(({ tool }) => tool).join(", ")}: yes or no?`;
  const typed = refused?.typed;
  const { needs, approved, edited } = question;
  const { key, flow, trigger } = question.requested_by;
  const asker = [key, flow, trigger].filter((one) => one !== undefined).join(", ");
  const body = mark`<h1>A yes is needed</h1>
<p>You decide as <b><bdi>${link.name}</bdi></b>, once. Nothing has run yet, and nothing runs without ${needs === undefined ? "a yes" : `${needs} people's yes: ${approved} so far`}.${edited ? " Somebody wrote other arguments than were asked for: they stand here." : ""}</p>
${refused === undefined ? null : mark`<p class="card" role="alert">${refused.wrong}</p>`}
<dl>
<dt>Asked by</dt><dd><bdi>${asker || "unknown"}</bdi></dd>
<dt>Asked at</dt><dd>${sayTime(question.created_at)}</dd>
<dt>Until</dt><dd>${sayTime(question.expires_at)}</dd>
</dl>
<form method="post" autocomplete="off">
<input type="hidden" name="${FIELDS.token}" value="${formToken}">
<input type="hidden" name="${FIELDS.hash}" value="${question.args_hash}">
${question.actions.map((action, at) => showAction(action, link.edit && editable.has(at) ? at : null, typed))}
<label>Reason; with a no, the asker is told it
<textarea name="${FIELDS.reason}" rows="2" maxlength="${LIMITS.reasonCharacters}">
${sayTyped(typed, FIELDS.reason)}</textarea></label>
<div class="buttons">
<button class="yes" name="${FIELDS.decision}" value="approve">Yes, run this</button>
<button class="no" name="${FIELDS.decision}" value="reject">No</button>
</div>
</form>`;
  return { status: 200, title, body };
}

/** @param place where its arguments are sent in the form; null where they may not be changed */
function showAction(action: Action, place: number | null, typed: URLSearchParams | undefined): Markup {
  const {
    id,
    tool,
    gated,
    says,
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
<textarea name="${FIELDS.args}${place}" rows="8" spellcheck="false">
${sayTyped(typed, `${FIELDS.args}${place}`) ?? toText(action.args)}</textarea></label>`;
  const notes = [
    resolved ? [] : ["It refers to results that are not there yet: they are filled in when it runs."],
    followers.length === 0 ? [] : [`Then: ${followers.join(", ")}`],
    at === undefined ? [] : [`Not before ${at}.`],
    callback === undefined ? [] : [`The end of it is told to ${callback}.`],
  ].flat();
  return mark`<section class="card">
<h2><bdi>${tool}</bdi> <span class="muted"><bdi>${id}</bdi>${gated ? "" : ", runs after it"}</span></h2>
${says === undefined ? null : mark`<p><strong><bdi>${says}</bdi></strong></p>`}
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
  return toSeen(JSON.stringify(value ?? {}, null, 2));
}

/**
 * A field as it was typed, without the returns that a form puts before its line breaks; null where it was not sent. JSON has tabs
 * only between its parts, where spaces do as well and can be seen.
 */
function sayTyped(typed: URLSearchParams | undefined, field: string): string | null {
  const text = typed?.get(field)?.replaceAll(/\r\n?/g, "\n").replaceAll("\t", "  ");
  return text === undefined ? null : toSeen(text);
}

function toSeen(text: string): string {
  return escapeUnseen(text, { seen: LINES, escape: toJsonEscape });
}

/** A time for people, whose zone is not known here. */
function sayTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

const LINES: ReadonlySet<string> = new Set(["\n"]);
