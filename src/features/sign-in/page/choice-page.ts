import { mark, type Markup, type Page } from "../../../feature/kit.ts";
import { categoryOf, EVERYTHING, READS, scopeOfCategory } from "../sign-in-scopes.ts";
import { FIELDS, showClient, type ShownClient } from "./consent-page.ts";

/** The tools that a key may call, as far as the page tells of them. */
export interface Offer {
  readonly tools: number;
  readonly reads: number;
  /** Tools by category. */
  readonly categories: ReadonlyMap<string, number>;
}

/** A choice as a form sends it. */
export type Choice = "everything" | "reads" | "categories";

interface Asked {
  readonly client: ShownClient;
  /** Works once, in this browser. */
  readonly handle: string;
  /** The key's name and tenant, and the person where the issuer vouched for one. */
  readonly key: string;
  readonly tenant: string;
  readonly subject: string | undefined;
  readonly offer: Offer;
  /** The scopes that the program asked for. */
  readonly asked: readonly string[];
  readonly wrong?: string | undefined;
}

/** Make the page on which a person chooses what of their key a program may use, and says yes or no. */
export function makeChoicePage({ client, handle, key, tenant, subject, offer, asked, wrong }: Asked): Page {
  const first = firstChoice(asked, offer);
  const named = new Set(asked.map(categoryOf));
  const categories = [...offer.categories]
    .filter(([name]) => scopeOfCategory(name) !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const body = mark`<h1>What may it use?</h1>
${showClient(client)}
${wrong === undefined ? null : mark`<p class="card warn" role="alert">${wrong}</p>`}
<dl>
<dt>Key</dt><dd><bdi>${key}</bdi></dd>
<dt>Tenant</dt><dd><bdi>${tenant}</bdi></dd>
${subject === undefined ? null : mark`<dt>Person</dt><dd><bdi>${subject}</bdi></dd>`}
</dl>
<form method="post" action="/authorize/choice" autocomplete="off">
<input type="hidden" name="${FIELDS.handle}" value="${handle}">
<fieldset class="card">
<legend>It may use</legend>
${pick("everything", first, mark`Everything that the key may call (${count(offer.tools)})`)}
${pick("reads", first, mark`Reads only (${count(offer.reads)}): it looks things up and changes nothing`)}
${categories.length === 0 ? null : pick("categories", first, mark`Only these categories:`)}
${categories.map(
  ([
    name,
    tools,
  ]) => mark`<label class="pick sub"><input type="checkbox" name="${FIELDS.category}" value="${name}"${named.has(name) ? mark` checked` : null}>
<span><bdi>${name}</bdi> <span class="muted">(${count(tools)})</span></span></label>
`,
)}
</fieldset>
<div class="buttons">
<button class="yes" name="${FIELDS.decision}" value="yes">Yes, let it in</button>
<button class="no" name="${FIELDS.decision}" value="no">No</button>
</div>
</form>
<p class="muted">Calls count on the key's quota. It cannot approve anything, manage keys or tools, or skip an approval. You can end it in the console, under Signed-in programs, or by revoking the key.</p>`;
  return {
    status: wrong === undefined ? 200 : 422,
    title: `What may a program at ${client.redirectHost} use?`,
    body,
  };
}

/** Read a choice as scopes; null where nothing was chosen that the key has, or more than one thing. */
export function scopesOf(form: URLSearchParams, { categories }: Offer): readonly string[] | null {
  const choice = form.get(FIELDS.choice) as Choice | null;
  // Without a script the page cannot replace one choice by another: two of them are asked about again.
  if (choice !== "categories" && form.has(FIELDS.category)) return null;
  if (choice === "everything") return [EVERYTHING];
  if (choice === "reads") return [READS];
  if (choice !== "categories") return null;
  const named = form.getAll(FIELDS.category).filter((name) => categories.has(name));
  const scopes = [...new Set(named)].flatMap((name) => scopeOfCategory(name) ?? []);
  return scopes.length === 0 ? null : scopes;
}

/** The choice that is made already: no more than the program asked for. One that asks for nothing is offered reads. */
function firstChoice(asked: readonly string[], { categories }: Offer): Choice {
  if (asked.includes(EVERYTHING)) return "everything";
  const hasCategory = asked.some((scope) => categories.has(categoryOf(scope) ?? ""));
  return hasCategory && !asked.includes(READS) ? "categories" : "reads";
}

function pick(value: Choice, first: Choice, text: Markup): Markup {
  return mark`<label class="pick"><input type="radio" name="${FIELDS.choice}" value="${value}"${value === first ? mark` checked` : null}>
<span>${text}</span></label>`;
}

function count(tools: number): string {
  return tools === 1 ? "1 tool" : `${tools} tools`;
}
