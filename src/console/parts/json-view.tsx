import { useState } from "../kit/jsx-hooks.ts";
import { toPointer } from "../../core/kit/json/json-pointer.ts";
import { count } from "./count.ts";

/** At most so many entries of a list or object are drawn before the rest is asked for: a page of 100,000 nodes stands still. */
const FIRST = 100;
/** So deep a tree is open to begin with. */
const OPEN_DEPTH = 2;
/** So much of a text is drawn before the rest is asked for. */
const FIRST_CHARACTERS = 2_000;

interface JsonViewProps {
  readonly value: unknown;
  readonly label: string;
  /** Told the JSON Pointer of a value whose button was pressed; without it there are no buttons. */
  readonly onPick?: ((pointer: string) => void) | undefined;
}

/** A JSON value as a tree that folds. Everything is text: whatever a tool answered, nothing of it is markup here. */
export function JsonView({ value, label, onPick }: JsonViewProps) {
  return (
    <div class="json" role="group" aria-label={label}>
      <Node value={value} depth={0} pointer="" onPick={onPick} />
    </div>
  );
}

interface NodeProps extends Pick<JsonViewProps, "value" | "onPick"> {
  readonly name?: string;
  readonly depth: number;
  readonly pointer: string;
}

function Node({ value, name, depth, pointer, onPick }: NodeProps) {
  const key = name === undefined ? null : <span class="key">{name}: </span>;
  const pick = onPick && <PickButton pointer={pointer} onPick={onPick} />;
  if (typeof value !== "object" || value === null)
    return (
      <div class="line">
        {key}
        <Leaf value={value} />
        {pick}
      </div>
    );
  const entries = Array.isArray(value)
    ? value.map((element, index): [string, unknown] => [String(index), element])
    : Object.entries(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0)
    return (
      <div class="line">
        {key}
        {open}
        {close}
        {pick}
      </div>
    );
  return (
    <div class="line">
      <Branch entries={entries} depth={depth} pointer={pointer} onPick={onPick}>
        {key}
        {open}
        <span class="hint"> {count(entries.length, Array.isArray(value) ? "element" : "field")} </span>
        {close}
      </Branch>
      {pick}
    </div>
  );
}

/** Beside a value and not in it: what folds cannot hold a button. */
function PickButton({ pointer, onPick }: { readonly pointer: string; onPick: (pointer: string) => void }) {
  const [isPicked, setPicked] = useState(false);
  const does = `Use ${pointer === "" ? "the whole" : pointer} as a reference`;
  return (
    <button
      type="button"
      class="pick"
      aria-label={does}
      title={does}
      onClick={() => {
        onPick(pointer);
        setPicked(true);
        setTimeout(() => setPicked(false), 1_500);
      }}
    >
      {isPicked ? "✓" : "$ref"}
    </button>
  );
}

interface BranchProps extends Pick<NodeProps, "depth" | "pointer" | "onPick"> {
  readonly entries: readonly [string, unknown][];
  readonly children?: unknown;
}

/** A folded branch is not drawn. */
function Branch({ entries, depth, pointer, onPick, children }: BranchProps) {
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
            <Node
              key={name}
              name={name}
              value={value}
              depth={depth + 1}
              pointer={`${pointer}${toPointer([name])}`}
              onPick={onPick}
            />
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
  if (typeof value === "string") return <Text text={value} />;
  return (
    <span class={typeof value === "number" || typeof value === "bigint" ? "number" : "literal"}>
      {String(value)}
    </span>
  );
}

function Text({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(text.length <= FIRST_CHARACTERS);
  if (isWhole) return <span class="string">"{text}"</span>;
  return (
    <span>
      <span class="string">"{text.slice(0, FIRST_CHARACTERS)}…</span>
      <button type="button" class="plain" onClick={() => setWhole(true)}>
        Show all {text.length.toLocaleString("en")} characters
      </button>
    </span>
  );
}
