/** At most so many entries of a list or object are drawn before the rest is asked for: a page of 100,000 nodes stands still. */
const FIRST = 100;
/** So deep a tree is open to begin with. */
const OPEN_DEPTH = 2;

import { useState } from "hono/jsx/dom";

/** A JSON value as a tree that folds. Everything is text: whatever a tool answered, nothing of it is markup here. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <div class="json" role="group" aria-label={label}>
      <Node value={value} depth={0} />
    </div>
  );
}

function Node({
  value,
  name,
  depth,
}: {
  readonly value: unknown;
  readonly name?: string;
  readonly depth: number;
}) {
  const key = name === undefined ? null : <span class="key">{name}: </span>;
  if (typeof value !== "object" || value === null)
    return (
      <div>
        {key}
        <Leaf value={value} />
      </div>
    );
  const entries = Array.isArray(value)
    ? value.map((element, index): [string, unknown] => [String(index), element])
    : Object.entries(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0)
    return (
      <div>
        {key}
        {open}
        {close}
      </div>
    );
  return (
    <Branch entries={entries} depth={depth}>
      {key}
      {open}
      <span class="hint"> {count(entries.length, Array.isArray(value))} </span>
      {close}
    </Branch>
  );
}

interface BranchProps {
  readonly entries: readonly [string, unknown][];
  readonly depth: number;
  readonly children?: unknown;
}

/** What is folded is not drawn. */
function Branch({ entries, depth, children }: BranchProps) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && entries.length <= FIRST);
  const [shown, setShown] = useState(FIRST);
  return (
    <details
      open={isOpen}
      onToggle={(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary>{children}</summary>
      {isOpen && (
        <div>
          {entries.slice(0, shown).map(([name, value]) => (
            <Node key={name} name={name} value={value} depth={depth + 1} />
          ))}
          {entries.length > shown && (
            <button type="button" class="plain" onClick={() => setShown(shown + 10 * FIRST)}>
              Show more of {entries.length}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === "string") return <span class="string">"{value}"</span>;
  return <span class={typeof value === "number" ? "number" : "literal"}>{String(value)}</span>;
}

function count(size: number, isList: boolean): string {
  const noun = isList ? "element" : "field";
  return `${size} ${noun}${size === 1 ? "" : "s"}`;
}
