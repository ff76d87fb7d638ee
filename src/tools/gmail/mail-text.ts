import * as z from "zod/mini";

import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { attemptNow } from "../../core/kit/result.ts";
import { cutText } from "../kit/cut-text.ts";
import { htmlToText } from "../kit/html-to-text.ts";

/** Parts of one mail that are looked at: a mail of people has a dozen, and nesting costs the sender nothing. */
const MAX_PARTS = 500;
/** HTML of which the text is read: a newsletter has 100,000 characters. */
const MAX_HTML = 500_000;
/** Base64 of one part that is decoded; whole groups of four digits. */
const MAX_DATA = 700_000;
const MAX_NAME = 120;

/** One part of a mail, as Gmail has parsed it; parts have parts. */
const partSchema = looseSchema(() => ({
  mimeType: z.nullish(z.string()),
  filename: z.nullish(z.string()),
  headers: z.nullish(z.array(z.looseObject({ name: z.string(), value: z.string() }))),
  body: z.nullish(z.looseObject({ size: z.nullish(z.number()), data: z.nullish(z.string()) })),
  parts: z.nullish(z.array(z.unknown())),
}));

type Part = z.output<ReturnType<typeof partSchema>>;

/** A file that came with a mail. */
interface Attachment {
  readonly filename: string;
  readonly mime_type: string;
  readonly bytes: number;
}

/** The text of a mail, and its attachments. */
interface MailContent {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/**
 * Read what a mail says: its plain text, or if it has none the text of its HTML; and list the files that came with it.
 *
 * Source: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages#messagepart
 */
export function readContent(payload: unknown): MailContent {
  const parts = listParts(payload);
  const attachments = parts.filter(isFile).map((part) => ({
    filename: cutText(part.filename!, MAX_NAME),
    mime_type: cutText(part.mimeType ?? "application/octet-stream", MAX_NAME),
    bytes: part.body?.size ?? 0,
  }));
  const textOf = (mimeType: string): string =>
    parts
      .filter((part) => !isFile(part) && part.mimeType?.toLowerCase() === mimeType)
      .map(decodePart)
      .filter((text) => text.trim() !== "")
      .join("\n\n");
  return {
    text: tidy(textOf("text/plain") || htmlToText(textOf("text/html").slice(0, MAX_HTML)).text),
    attachments,
  };
}

/** All parts of a mail, however deep, in their order; without recursion, because a sender decides how deep they are. */
function listParts(payload: unknown): Part[] {
  const waiting: unknown[] = [payload];
  const parts: Part[] = [];
  while (waiting.length > 0 && parts.length < MAX_PARTS) {
    const parsed = partSchema().safeParse(waiting.pop());
    if (!parsed.success) continue;
    parts.push(parsed.data);
    waiting.push(...(parsed.data.parts ?? []).slice(0, MAX_PARTS).toReversed());
  }
  return parts;
}

function isFile({ filename }: Part): boolean {
  return typeof filename === "string" && filename !== "";
}

/** Gmail has undone the transfer encoding; the bytes are in the charset that the part names. */
function decodePart({ body, headers }: Part): string {
  const data = body?.data ?? "";
  // The text that is cut off would not be shown either.
  const kept = data.slice(0, MAX_DATA);
  const binary = attemptNow(() => atob(kept.replaceAll("-", "+").replaceAll("_", "/")));
  if (!binary.ok) return "";
  const bytes = Uint8Array.from(binary.value, (byte) => byte.charCodeAt(0));
  const type = headers?.find(({ name }) => name.toLowerCase() === "content-type")?.value ?? "";
  const [, charset = "windows-1252"] = /charset="?([\w.:-]{1,40})/i.exec(type) ?? [];
  const stream = kept.length < data.length;
  const utf8 = attemptNow(() =>
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes, { stream }),
  );
  if (utf8.ok) return utf8.value;
  const named = attemptNow(() => new TextDecoder(charset).decode(bytes));
  return named.ok ? named.value : new TextDecoder("windows-1252").decode(bytes);
}

/** No more blank lines than one, and no blanks at the ends of lines. */
function tidy(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  return lines
    .filter((line, at) => line.trim() !== "" || lines[at - 1]?.trim() !== "")
    .map((line) => line.replace(/^ (?! )/, ""))
    .join("\n")
    .trim();
}
