import { mark, type Markup } from "../../../feature/kit.ts";
import { FRONT_STYLE } from "./front-style.ts";
import { makeCalls, type Call } from "./make-calls.ts";

/** The deployment that the page tells of. */
export interface Front {
  readonly origin: string;
  /** Every feature that is listed, with its paths. */
  readonly features: readonly { readonly name: string; readonly routes: readonly string[] }[];
}

/** Make the page at `/`: the features of this deployment, and how to call it. It names no feature that is not listed. */
export function makeFrontPage({ origin, features }: Front): Markup {
  const has = (name: string): boolean => features.some((feature) => feature.name === name);
  const doors = [
    door("POST /v1/execute_actions", "a batch of actions, answered once or as a stream of results"),
    has("agent") &&
      door("POST /v1/chat/completions", "a base URL for clients of OpenAI: Volley runs the model's loop"),
    has("agent") && door("POST /v1/messages", "the same for clients of Anthropic"),
    has("mcp") && door("/mcp", "the same tools over the Model Context Protocol"),
    has("document") &&
      door("GET /openapi.json", "every path, with the schemas that check requests; it takes a key"),
  ];
  return mark`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Volley runs a language model's tool calls as one batch.">
<title>Volley</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<style>${{ html: FRONT_STYLE }}</style>
</head>
<body>
<main>
<p class="mark"><img src="/icon.svg" alt="" width="40" height="40"> Volley</p>
<h1>One call in, every result out.</h1>
<p class="lead">A language model asks for many things at once. This endpoint runs them as parallel as each tool allows, hands results on to the actions that need them, and gives exactly one result for every action, in the order asked.</p>
<p class="links"><a class="first" href="/console">Open the console</a>${has("docs") ? mark`<a href="/docs/">Read the docs</a>` : null}<a href="#call">Connect</a><a href="/healthz">Health</a></p>
<figure>${FRONT_PICTURE}<figcaption>One batch. Reviews start when shops have answered, in the same round. Recalls fails, and the others go on. Book is recorded before it is promised. Cancel waits for a person.</figcaption></figure>
<h2 id="call">Call it</h2>
${makeCallTabs(makeCalls({ origin, hasMcp: has("mcp") }))}
<h2>Paths of this deployment</h2>
<dl>${doors.map((one) => (one === false ? null : one))}</dl>
<details><summary>All ${features.length} features, and their paths</summary><dl>${features.map(({ name, routes }) => mark`<div><dt>${name}</dt><dd>${routes.map((route) => mark`<code>${route}</code> `)}</dd></div>`)}</dl></details>
</main>
</body>
</html>
`;
}

function door(route: string, about: string): Markup {
  return mark`<div><dt><code>${route}</code></dt><dd>${about}</dd></div>`;
}

/** Make tabs of the ways to call a deployment. Each is a radio button with its program behind it, so they need no script. */
function makeCallTabs(calls: readonly Call[]): Markup {
  return mark`<fieldset><legend>The second action takes its argument from the result of the first. Put a key of this deployment in place of <code>YOUR_KEY</code>.</legend>
${calls.map(makeTab)}</fieldset>`;
}

function makeTab({ id, name, code, links = [] }: Call, at: number): Markup {
  const checked = at === 0 ? mark` checked` : null;
  const under = links.map(({ text, href }) => mark`<a href="${href}">${text}</a>`);
  return mark`<input type="radio" name="way" id="${id}"${checked}><label for="${id}">${name}</label><div><pre tabindex="0" aria-label="${name}"><code>${code}</code></pre>${under.length > 0 ? mark`<p class="links">${under}</p>` : null}</div>
`;
}

/** Columns of the drawing. On a phone it is 280 wide, so the text is large for it. */
const [BAR, WIDTH, STATUS] = [74, 190, 280];

/** A batch of five actions, drawn as the console draws one. */
const FRONT_PICTURE: Markup = /* @__PURE__ */ draw();

function draw(): Markup {
  const rows = [
    row(0, "shops", [0, 100, "good"], "success"),
    row(1, "reviews", [100, 84, "good"], "success"),
    row(2, "recalls", [0, 6, "bad"], "error, alone"),
    row(3, "book", [184, 6, "job"], "initiated, a job"),
    row(4, "cancel", [184, 6, "wait"], "asks a person"),
  ];
  return mark`<svg viewBox="0 0 420 168" role="img" aria-label="A batch of five actions: two run one after the other, one fails, one goes on as a job, one waits for a person.">${rows}<path d="M${BAR + 100} 24V42"/></svg>`;
}

/** Draw an action. Its bar has a beginning, a width and a colour. */
function row(
  at: number,
  name: string,
  [from, width, kind]: readonly [number, number, string],
  status: string,
): Markup {
  const y = 8 + at * 32;
  return mark`<text x="0" y="${y + 13}">${name}</text><rect class="sunk" x="${BAR}" y="${y + 2}" width="${WIDTH}" height="14" rx="4"/><rect class="${kind}" x="${BAR + from}" y="${y + 2}" width="${width}" height="14" rx="4"/><text class="note" x="${STATUS}" y="${y + 13}">${status}</text>`;
}
