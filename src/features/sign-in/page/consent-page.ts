import { mark, type Markup, type Page } from "../../../feature/kit.ts";
import * as LIMITS from "../limits.ts";

/** The fields of the forms. */
export const FIELDS = {
  handle: "handle",
  key: "key",
  decision: "decision",
  choice: "choice",
  category: "category",
} as const;

/** The program that asks to be let in. */
export interface ShownClient {
  readonly name: string;
  /** The host that its answer goes to. */
  readonly redirectHost: string;
  /** The answer goes to a site, to a program on the person's own computer, or to an app that opens addresses of a scheme. */
  readonly opens: "site" | "program" | "app";
  /** The host of the document that names it; null where it gave its name itself. */
  readonly voucher: string | null;
}

interface Asked {
  readonly client: ShownClient;
  readonly handle: string;
  /** The host of the issuer at which the person may sign in instead; null where there is none. */
  readonly issuerHost: string | null;
  readonly wrong?: string | undefined;
}

/** Make the page that says who asks, and asks the person who they are. */
export function makeConsentPage({ client, handle, issuerHost, wrong }: Asked): Page {
  const title = `Let a program at ${client.redirectHost} use your tools?`;
  const body = mark`<h1>Let a program use your tools?</h1>
${showClient(client)}
${wrong === undefined ? null : mark`<p class="card warn" role="alert">${wrong}</p>`}
<form method="post" action="/authorize" autocomplete="off">
<input type="hidden" name="${FIELDS.handle}" value="${handle}">
<label>Your Volley key, which the program never sees
<input type="password" name="${FIELDS.key}" maxlength="512" autocomplete="off" spellcheck="false"></label>
<div class="buttons">
<button class="yes" name="${FIELDS.decision}" value="key">Continue with the key</button>
${
  issuerHost === null
    ? null
    : mark`<button name="${FIELDS.decision}" value="issuer">Sign in at <bdi>${issuerHost}</bdi></button>`
}
<button class="no" name="${FIELDS.decision}" value="no">No</button>
</div>
</form>
<p class="muted">On the next page you choose what it may use. Go on only if you have just asked the program to connect.</p>`;
  return { status: wrong === undefined ? 200 : 422, title, body };
}

/** Show where the answer goes, larger than the name, because anybody can give any name. */
export function showClient(client: ShownClient): Markup {
  const { redirectHost, opens, voucher } = client;
  const said = voucher === null ? "not verified: it gave this name itself" : "a name that this host gives:";
  return mark`<section class="card">
<p class="muted">Access goes to</p>
<p class="host"><bdi>${redirectHost}</bdi></p>
<p><b><bdi>${shortName(client)}</bdi></b> <span class="muted">(${said}${voucher === null ? null : mark` <bdi>${voucher}</bdi>`})</span></p>
</section>
${opens === "site" ? null : mark`<p class="card warn" role="alert">${WARNINGS[opens]}: go on only if you have just started to connect from it.</p>`}`;
}

const WARNINGS = {
  program: "Access goes to a program on this computer. Any program here could be the one that waits for it",
  app: "Access opens an app on this device. Any app can say that it opens such addresses",
};

export function shortName({ name }: ShownClient): string {
  const most = LIMITS.clientNameCharacters;
  return name.length > most ? `${name.slice(0, most)}…` : name;
}
