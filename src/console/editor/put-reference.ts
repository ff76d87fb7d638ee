import { copyText } from "../parts/copy-text.ts";
import { replaceText } from "./edit-text.ts";
import { locateCursor } from "./locate-cursor.ts";
import { tokenizeJson } from "./tokenize-json.ts";

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
