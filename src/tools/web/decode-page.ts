import { attemptNow } from "../../core/kit/result.ts";

/** How far into a page its own word for its encoding is looked for; browsers look at the first 1,024 bytes. */
const PRESCAN_BYTES = 4_096;

const IN_HEADER = /;\s*charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const IN_META = /<meta\s[^>]{0,400}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const IN_XML = /^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i;

/**
 * Decode a page as browsers do (HTML, 13.2.3.2): by its byte order mark, by what its header says, by what it says of itself.
 * Without any of them it is UTF-8, or windows-1252 when it cannot be. Bytes that stand for nothing become U+FFFD.
 *
 * @param contentType the header's value; null without one
 */
export function decodePage(bytes: Uint8Array, contentType: string | null): string {
  const label = markOf(bytes) ?? IN_HEADER.exec(contentType ?? "")?.[1] ?? readOwnLabel(bytes);
  if (label !== undefined) {
    const decoder = attemptNow(() => new TextDecoder(label));
    if (decoder.ok) return decoder.value.decode(bytes);
  }
  const exact = attemptNow(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  return exact.ok ? exact.value : new TextDecoder("windows-1252").decode(bytes);
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

/** The label that a page gives its own encoding. It was read as ASCII so far, so UTF-16 it is not. */
function readOwnLabel(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, PRESCAN_BYTES));
  const label = IN_META.exec(head)?.[1] ?? IN_XML.exec(head)?.[1];
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}
