import { visibleJson } from "../kit/visible.ts";
import type { ListPlace } from "./completion-list.tsx";
import { copyText } from "../parts/copy-text.ts";
import { locateCursor } from "./locate-cursor.ts";
import { tokenizeJson } from "./tokenize-json.ts";

/** The list's size, as its style has it. */
const LIST = { width: 340, height: 270 } as const;

/** Browsers take seconds to write a thousand lines so that undo takes them back; a longer text is put there. */
const MOST_UNDONE = 20_000;

/** Write in the place of a stretch as a person would: undo takes it back, and listeners are told. */
export function replaceText(
  area: HTMLTextAreaElement,
  { start, end }: { readonly start: number; readonly end: number },
  text: string,
  caret = start + text.length,
): void {
  area.focus({ preventScroll: true });
  area.setSelectionRange(start, end);
  // Deprecated, and the only way that keeps the browser's undo.
  const isDone =
    text.length <= MOST_UNDONE && document.execCommand(text === "" ? "delete" : "insertText", false, text);
  if (!isDone) {
    area.setRangeText(text, start, end, "end");
    area.dispatchEvent(new InputEvent("input", { inputType: "insertText" }));
  }
  area.setSelectionRange(caret, caret);
}

/**
 * Write what cannot be seen in a text as escapes of JSON, which mean the same inside its strings.
 *
 * @returns whether there was any; the area has told of its new text then
 */
export function showUnseen(area: HTMLTextAreaElement): boolean {
  const { value, selectionStart } = area;
  const shown = visibleJson(value);
  if (shown === value) return false;
  const caret = visibleJson(value.slice(0, selectionStart)).length;
  replaceText(area, { start: 0, end: value.length }, shown, caret);
  return true;
}

/**
 * Begin a line as far in as the one before, further in behind an open bracket.
 *
 * @returns whether it was done; otherwise the browser's own line break is as good
 */
export function breakLine(area: HTMLTextAreaElement): boolean {
  const { value, selectionStart: start, selectionEnd: end } = area;
  const line = value.slice(value.lastIndexOf("\n", start - 1) + 1, start);
  const indent = /^ */.exec(line)![0];
  const isOpen = /[{[]\s*$/.test(line);
  if (indent === "" && !isOpen) return false;
  const deeper = isOpen ? `${indent}  ` : indent;
  const isPair = isOpen && /^[}\]]/.test(value.slice(end));
  const before = `\n${deeper}`;
  replaceText(area, { start, end }, isPair ? `${before}\n${indent}` : before, start + before.length);
  return true;
}

/** Find where a place of the text stands in the frame, and on which side of it there is room. */
export function placeOnPage(
  { paper, frame }: { readonly paper: HTMLElement; readonly frame: HTMLElement },
  offset: number,
): ListPlace {
  const range = document.createRange();
  const walker = document.createTreeWalker(paper, NodeFilter.SHOW_TEXT);
  let left = offset;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { length } = node.textContent ?? "";
    if (left <= length) {
      range.setStart(node, left);
      break;
    }
    left -= length;
  }
  const at = range.getBoundingClientRect();
  const box = frame.getBoundingClientRect();
  const isAbove = at.bottom + LIST.height > innerHeight && at.top > LIST.height;
  return {
    left: Math.max(0, Math.min(at.left - box.left, box.width - LIST.width)),
    top: (isAbove ? at.top - 4 : at.bottom + 4) - box.top,
    isAbove,
  };
}

/** Put a reference where the cursor waits for a value, or into the `$ref` in which it stands; otherwise copy it. */
export function putReference(area: HTMLTextAreaElement, reference: string): void {
  const { value, selectionStart: offset } = area;
  const location = locateCursor(value, tokenizeJson(value), offset);
  const written = JSON.stringify(reference);
  const whole = `{ "$ref": ${written} }`;
  if (location?.role === "value" && location.path[0] === "actions" && location.path.length > 3) {
    const { token, path } = location;
    if (path.at(-1) === "$ref")
      return replaceText(area, { start: token?.start ?? offset, end: token?.end ?? offset }, written);
    if (token === null) return replaceText(area, { start: offset, end: offset }, whole);
  }
  void copyText(whole, `Copied the reference ${reference}`);
}
