import { makePlainPage, mark, type Markup, type Page } from "../../../feature/kit.ts";
import type { ArriveAnswer, LinkView } from "../shard-methods.ts";
import { DEFAULT_NAME } from "../subject.ts";

/** The field of the form that proves that it was sent from its page. */
export const FORM_TOKEN = "form";

type Arrived = Extract<ArriveAnswer, { kind: "arrived" }>;

interface Asked {
  readonly link: LinkView;
  /** The host that serves this deployment. */
  readonly host: string;
  readonly formToken: string;
  /** The host where the person signs in, and its origin. */
  readonly provider: URL;
  /** The way ends with a code that the person gives to the application. */
  readonly showsCode: boolean;
  /** The host where the person then shows who it is; null where an application says it. */
  readonly issuerHost: string | null;
}

/** Make the page that asks before it goes on. It names the subject, the provider and the scopes, and opening it uses nothing up. */
export function makeLinkPage({ link, host, formToken, provider, showsCode, issuerHost }: Asked): Page {
  const title = `Connect ${link.connector}`;
  const body = mark`<h1>${title}?</h1>
<p><b><bdi>${host}</bdi></b> would use an account of yours at <b>${link.connector}</b> for <b><bdi>${link.subject}</bdi></b>.</p>
<dl>
<dt>For</dt><dd><bdi>${link.subject}</bdi></dd>
<dt>By</dt><dd><bdi>${host}</bdi></dd>
<dt>You sign in at</dt><dd><bdi>${provider.host}</bdi></dd>
${issuerHost === null ? null : mark`<dt>And then, to show that it is you, at</dt><dd><bdi>${issuerHost}</bdi></dd>`}
${showsCode ? CODE_COMES : null}
${link.name === DEFAULT_NAME ? null : mark`<dt>Named</dt><dd><bdi>${link.name}</bdi></dd>`}
${link.scopes.length === 0 ? null : mark`<dt>What for</dt><dd><bdi>${link.scopes.join(", ")}</bdi></dd>`}
<dt>Good until</dt><dd>${new Date(link.expiresAt).toISOString().slice(11, 16)} UTC</dd>
</dl>
<p class="muted">If you are not <bdi>${link.subject}</bdi>, or did not ask for this, close the page: nothing has happened.</p>
${makeForm(formToken, provider)}`;
  return { status: 200, title, body };
}

function makeForm(formToken: string, provider: URL): Markup {
  return mark`<form method="post" autocomplete="off">
<input type="hidden" name="${FORM_TOKEN}" value="${formToken}">
<div class="buttons"><button class="yes">Go on to ${provider.host}</button></div>
</form>`;
}

const CODE_COMES = mark`<dt>In the end</dt><dd>This page shows a code, for the application in which you asked.</dd>`;

/** Make the page of an account that was brought, where only its code says who brought it. */
export function makeCodePage(
  { code, place, account }: Pick<Arrived, "code" | "place" | "account">,
  host: string,
): Page {
  const { connector, subject } = place;
  const title = "One step is left";
  const whose = account === null ? null : mark` as <b><bdi>${account}</bdi></b>`;
  const body = mark`<h1>${title}</h1>
<p>You signed in at <b>${connector}</b>${whose}. Give this code to the application in which you asked to connect it:</p>
<p class="card"><output class="code">${code}</output></p>
<p><b>Give it to nobody else.</b> The code lets <b><bdi>${host}</bdi></b> use your account for <b><bdi>${subject}</bdi></b>. If somebody sent you the link, or asks you for the code, close this page: nothing is connected without it.</p>
<p class="muted">It is good once, for ten minutes from when you came back.</p>`;
  return { status: 200, title, body };
}

export const NO_LINK = makePlainPage(
  404,
  "There is no such link",
  "It is over, or was cut off when it was copied. Ask the application for a new one.",
);

export const USED = makePlainPage(
  410,
  "This link was used",
  "Each link is good once. If you are on the way with it in another tab, go on there. Ask the application for a new one otherwise.",
);

/** The page of a way back by which nothing is under way any more. */
export const OVER = makePlainPage(
  404,
  "This link is over",
  "It was used, a newer one took its place, or its ten minutes are over. If another tab says that the account is connected, you can close this one. Ask the application for a new one otherwise.",
);

/** Make the page of a link by which the account is connected already, in another tab perhaps. */
export function makeMadePage(connector: string): Page {
  return makePlainPage(
    410,
    `${connector} is connected already`,
    "This link was used, in another tab perhaps, and the account is connected by it. You can close this page.",
  );
}

export const FOREIGN = makePlainPage(
  403,
  "This form did not come from its page",
  "Nothing has happened. Open the link again.",
);

export const OTHER_BROWSER = makePlainPage(
  403,
  "This is not the browser that went there",
  "Somebody signed in elsewhere, and the way back led here. Nothing is connected. Ask the application for a new link.",
);

/** Make the page of a person who signed in and is another one. */
export function makeOtherPersonPage(subject: string, cameAs: string): Page {
  return makePlainPage(
    403,
    "This link is for somebody else",
    mark`You signed in as <b><bdi>${cameAs}</bdi></b>, and the link is for <b><bdi>${subject}</bdi></b>.`,
    "Nothing is connected, and what the provider gave is forgotten.",
  );
}

/** Make the page of a link whose issuer cannot be reached. @param problem why, in words */
export function makeUnreachablePage(problem: string): Page {
  return makePlainPage(
    503,
    "You cannot sign in just now",
    `Who you are could not be found out in the end: ${problem}.`,
    "Nothing has happened. Open the link again in a minute.",
  );
}

/** Make the page of a person who did not show who it is. @param problem why, in words */
export function makeUnknownPersonPage(problem: string): Page {
  return makePlainPage(
    403,
    "You did not sign in",
    `Who you are is not known: ${problem}.`,
    "Nothing is connected, and what the provider gave is forgotten. Ask the application for a new link.",
  );
}

export const NO_CONNECTOR = makePlainPage(
  410,
  "That provider is not offered any more",
  "Nothing has happened. Tell the application.",
);

export const REFUSED = makePlainPage(
  200,
  "Not connected",
  "You said no, or the provider did. Nothing is connected. You can close this page.",
);

export const FAILED = makePlainPage(
  502,
  "That did not work",
  "The provider sent you back, and then did not give what it had promised. Nothing is connected. Ask the application for a new link.",
);

/** The page of something that failed on our side. */
export const FAULT = makePlainPage(
  503,
  "That did not work",
  "Something failed on our side. Open the link again, or ask the application for a new one.",
);

/** Make the page after the way, where it leads back to no application. */
export function makeDonePage(connector: string, account: string | null): Page {
  return makePlainPage(
    200,
    "Connected",
    account === null
      ? `${connector} is connected.`
      : mark`${connector} is connected as <b><bdi>${account}</bdi></b>.`,
    "You can close this page.",
  );
}
