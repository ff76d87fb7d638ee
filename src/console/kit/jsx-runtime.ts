import { jsx as make } from "hono/jsx/dom/jsx-runtime";

import { visible } from "./visible.ts";

type Props = Readonly<Record<string, unknown>>;
type Tag = Parameters<typeof make>[0];
type Made = ReturnType<typeof make>;

/**
 * Make an element as `hono/jsx/dom` does. `scripts/build-console.ts` puts this in its place, so that all text of the console
 * passes here on its way into the page: what stands between tags, and what attributes such as `title` and `aria-label` say.
 */
export function jsx(tag: Tag, props: Props, key?: string): Made {
  // A component hands its properties on as data: whatever it makes of them passes here too.
  return make(tag, typeof tag === "string" ? showProps(props) : props, key);
}

export { jsx as jsxs };

/** Children without an element around them. */
export function Fragment(props: Props): Made {
  return jsx("", props);
}

function showProps(props: Props): Props {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(props)) shown[name] = showProp(name, value);
  // A button that waits for an answer: `disabled` would take the focus from it. A click also stands for Enter in a field of its form.
  if (props["aria-disabled"] === true) shown["onClick"] = (event: Event) => event.preventDefault();
  return shown;
}

function showProp(name: string, value: unknown): unknown {
  if (name === "children") return showChildren(value);
  // A typed value stays as it is typed; its field tells of characters that cannot be seen.
  if (name === "value") return value;
  // False is a value of these: without it an attribute would be empty, which is neither.
  if (typeof value === "boolean" && name.startsWith("aria-")) return String(value);
  return typeof value === "string" ? visible(value) : value;
}

function showChildren(children: unknown): unknown {
  if (typeof children === "string") return visible(children);
  return Array.isArray(children) ? children.map(showChildren) : children;
}
