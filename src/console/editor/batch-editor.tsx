import { useLayoutEffect, useMemo, useRef, useState } from "../kit/jsx-hooks.ts";
import { useDeployment } from "../kit/deployment.ts";
import type { WireTool } from "../kit/wire.ts";
import { announce } from "../parts/announce.tsx";
import { CARET } from "../kit/batch-fields.ts";
import { checkBatch } from "./check-batch.ts";
import { type Completion, complete } from "./complete.ts";
import { CompletionList, type ListPlace } from "./completion-list.tsx";
import { paintJson, type Stroke } from "./paint-json.ts";
import { breakLine, placeOnPage, replaceText, showUnseen, putReference } from "./edit-text.ts";
import { ProblemList } from "./problem-list.tsx";
import { type ReadJson, readJson } from "./read-json.ts";

/** Changes that other components make to the text. */
export interface EditorHandle {
  /** Begin with another text, without the focus. */
  readonly begin: (text: string) => void;
  /** Put a whole text in; undo brings back what was there. */
  readonly setText: (text: string) => void;
  /** Put a reference where the cursor waits for a value, or into the `$ref` in which it stands; otherwise copy it. */
  readonly insertReference: (reference: string) => void;
  /** Take the focus to a stretch of the text. */
  readonly select: (start: number, end: number) => void;
}

interface BatchEditorProps {
  readonly text: string;
  readonly read: ReadJson;
  readonly tools: readonly WireTool[] | null;
  readonly handle: { current: EditorHandle | null };
  readonly onText: (text: string) => void;
  readonly onRun: () => void;
}

interface Popup extends Completion {
  readonly place: ListPlace;
}

const LIST_ID = "batch-suggestions";

/**
 * A text area that knows what a batch is. It is a real one: undo, selection, dictation and screen readers work as
 * everywhere. The colours are drawn behind it, by the same text in the same place.
 */
export function BatchEditor({ text, read, tools, handle, onText, onRun }: BatchEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const paper = useRef<HTMLPreElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [popup, setPopup] = useState<Popup | null>(null);
  const [active, setActive] = useState(0);
  const { batchFields: fields } = useDeployment();
  const marks = useMemo(() => checkBatch(read, { tools, fields }), [read, tools, fields]);
  const strokes = useMemo(() => paintJson(text, read, marks), [text, read, marks]);

  const drawn = useRef<readonly Stroke[]>([]);
  useLayoutEffect(() => {
    redraw(paper.current!, drawn.current ?? [], strokes);
    drawn.current = strokes;
  }, [strokes]);

  const select = (start: number, end: number): void => {
    area.current!.focus();
    area.current!.setSelectionRange(start, end);
  };
  // An effect that runs after the drawing may find the page left, and the area gone.
  useLayoutEffect(() => {
    area.current!.value = text;
    handle.current = {
      begin: (whole) => onText((area.current!.value = whole)),
      setText: (whole) => replaceText(area.current!, { start: 0, end: area.current!.value.length }, whole),
      insertReference: (reference) => putReference(area.current!, reference),
      select,
    };
    return () => (handle.current = null);
  }, []);

  const suggest = (isAsked: boolean): void => {
    const { value, selectionStart: offset, selectionEnd } = area.current!;
    const now = readJson(value);
    const found =
      offset === selectionEnd
        ? complete(value, offset, { read: now, tools: tools ?? [], fields: fields ?? [] })
        : null;
    const typed = value.slice(found?.from ?? 0, offset);
    // Unasked only while a name or text is being written, and not when it says already what is offered.
    const isWriting = /^["'A-Za-z$]/.test(typed) || /\{\{[^{}]*$/.test(value.slice(0, offset));
    const isSaid = found?.items.length === 1 && found.items[0]!.insert === value.slice(found.from, found.to);
    if (found === null || (!isAsked && (!isWriting || isSaid))) {
      if (isAsked) announce("Nothing to suggest here");
      setPopup(null);
      return;
    }
    setActive(0);
    setPopup({ ...found, place: placeOnPage({ paper: paper.current!, frame: frame.current! }, found.from) });
    if (popup === null || isAsked) announce(`${found.items.length} suggestions`);
  };
  const follow = (event: Event): void => {
    if (!(event as InputEvent).isComposing && showUnseen(area.current!)) return;
    onText(area.current!.value);
    // After the colours are drawn: the list stands where the text does.
    const { inputType = "" } = event as Partial<InputEvent>;
    if (inputType.startsWith("insert") || inputType.startsWith("delete"))
      requestAnimationFrame(() => area.current && suggest(false));
    else setPopup(null);
  };
  const choose = (index: number): void => {
    const { from: start, to: end, items } = popup!;
    const [before, after = ""] = items[index]!.insert.split(CARET);
    setPopup(null);
    replaceText(area.current!, { start, end }, before + after, start + before!.length);
  };
  const press = (event: KeyboardEvent): void => {
    const { key } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && key === "Enter") {
      event.preventDefault();
      setPopup(null);
      return onRun();
    }
    if (event.ctrlKey && (key === " " || event.code === "Space")) {
      event.preventDefault();
      return suggest(true);
    }
    if (popup === null) {
      if (key === "Enter" && !isCommand && !event.isComposing && breakLine(area.current!))
        event.preventDefault();
      return;
    }
    const step = STEPS[key];
    if (step !== undefined) setActive((active + step + popup.items.length) % popup.items.length);
    else if (key === "Enter" || (key === "Tab" && !event.shiftKey)) choose(active);
    else if (key === "Escape") setPopup(null);
    else if (["ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"].includes(key))
      return setPopup(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="stack tight">
      <div class="editor" ref={frame}>
        <div class="editor-box" onScroll={() => setPopup(null)}>
          <div class="editor-sheet">
            <pre aria-hidden="true" ref={paper} />
            <textarea
              ref={area}
              id="batch"
              aria-label="Batch, as JSON"
              aria-autocomplete="list"
              aria-haspopup="listbox"
              aria-controls={popup === null ? undefined : LIST_ID}
              aria-activedescendant={popup === null ? undefined : `${LIST_ID}-${active}`}
              aria-describedby="batch-help batch-problems"
              spellcheck={false}
              autocomplete="off"
              autocapitalize="off"
              onInput={follow}
              onKeyDown={press}
              onBlur={() => setPopup(null)}
              onMouseDown={() => setPopup(null)}
            />
          </div>
        </div>
        {popup !== null && (
          <CompletionList
            id={LIST_ID}
            items={popup.items}
            active={active}
            place={popup.place}
            onChoose={choose}
          />
        )}
      </div>
      <p class="help small muted" id="batch-help">
        <kbd>Ctrl</kbd> <kbd>Space</kbd> suggests, <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs.
      </p>
      <ProblemList text={text} read={read} marks={marks} onGo={({ start, end }) => select(start, end)} />
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * Draw strokes in the place of those before. Strokes that are the same at both ends stay: a key that is pressed changes one or
 * two of thousands, and to look at all of them is felt.
 */
function redraw(paper: HTMLElement, before: readonly Stroke[], after: readonly Stroke[]): void {
  const isSame = (a: Stroke | undefined, b: Stroke | undefined): boolean =>
    a !== undefined && a.text === b?.text && a.look === b.look;
  let start = 0;
  while (isSame(before[start], after[start])) start += 1;
  let end = 0;
  while (
    end < Math.min(before.length, after.length) - start &&
    isSame(before[before.length - 1 - end], after[after.length - 1 - end])
  )
    end += 1;
  const drawn = document.createDocumentFragment();
  for (const { text, look } of after.slice(start, after.length - end)) {
    const span = document.createElement("span");
    span.className = look;
    span.textContent = text;
    drawn.append(span);
  }
  const range = document.createRange();
  range.setStart(paper, start);
  range.setEnd(paper, before.length - end);
  range.deleteContents();
  range.insertNode(drawn);
  // A last line that is empty is high only with something in it.
  if (paper.lastChild?.nodeType !== Node.TEXT_NODE) paper.append("\u200B");
}
