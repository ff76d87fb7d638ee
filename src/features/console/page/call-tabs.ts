import { mark, type Markup } from "../../../core/kit/markup.ts";
import type { Call } from "./make-calls.ts";

/** Make tabs of the ways to call a deployment. Each is a radio button with its program behind it, so they need no script. */
export function makeCallTabs(calls: readonly Call[]): Markup {
  return mark`<fieldset><legend>The second action takes its argument from the result of the first. Put a key of this deployment in place of <code>YOUR_KEY</code>.</legend>
${calls.map(makeTab)}</fieldset>`;
}

function makeTab({ id, name, code, links = [] }: Call, at: number): Markup {
  const checked = at === 0 ? mark` checked` : null;
  const under = links.map(({ text, href }) => mark`<a href="${href}">${text}</a>`);
  return mark`<input type="radio" name="way" id="${id}"${checked}><label for="${id}">${name}</label><div><pre tabindex="0" aria-label="${name}"><code>${code}</code></pre>${under.length > 0 ? mark`<p class="links">${under}</p>` : null}</div>
`;
}
