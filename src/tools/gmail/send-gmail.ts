import * as z from "zod/mini";
import { defineTool } from "../../core/catalog/define-tool.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { mayUseAccount } from "../kit/google-access.ts";
import { mailArguments } from "../kit/email-address.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { fetchMessages, GMAIL } from "./gmail-api.ts";

const answerSchema = looseSchema(() => ({ id: z.string(), threadId: z.string() }));

/**
 * Send an email from the account's own address.
 *
 * Gmail takes no idempotency key, and finds a mail by its Message-ID only once it has been indexed, so nothing tells in time
 * whether one went out whose answer was lost: it is sent once, and such a one is `unknown`.
 *
 * Source: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/send
 */
export const sendGmail = defineTool({
  ...GMAIL,
  ...mayUseAccount("gmail.send"),
  name: "send_gmail",
  summary: "Send a plain-text email from the user's Gmail address",
  description:
    "Send one plain-text email from the user's own Gmail address. It is sent once: a result of status `unknown` may have " +
    "gone out, so look with search_gmail ('in:sent') before sending it again. Size: about 40 tokens.",
  actions: ["send", "write"],
  isWrite: true,
  input: mailArguments,
  typicalTokens: 40,
  maxResponseBytes: 64 * 1024,
  idempotent: false,
  orchestration: { mode: "fan-out-bounded", max_concurrency: 2 },
  run: async ({ to, subject, body, cc = [] }, ctx) => {
    const raw = toBase64Url(
      new TextEncoder().encode(writeMail({ to: [to].flat(), cc: [cc].flat(), subject, body })),
    );
    const response = await fetchMessages(ctx, "/send", [], { method: "POST", body: { raw } });
    const { id, threadId } = parseUpstream(answerSchema(), response);
    return { success: true, message_id: id, thread_id: threadId };
  },
});

/** The text of a mail, and its receivers. Addresses have been checked to be nothing but addresses. */
interface Mail {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  readonly body: string;
}

/** Bytes of text in one encoded word: 75 characters with what stands around their base64 (RFC 2047, 2). */
const WORD_BYTES = 45;
/** The characters of base64 in a line (RFC 2045, 6.8). */
const LINES = /.{1,76}/g;

/**
 * Write a plain-text mail as RFC 5322 and MIME have it; the provider adds the sender, the date and the id.
 *
 * Nothing of the text can end a line or begin a header: a subject that is not plain ASCII goes out as encoded words (RFC
 * 2047), a body always as base64 of its UTF-8. Lines of more than 998 characters cannot come about (RFC 5322, 2.1.1).
 */
function writeMail({ to, cc, subject, body }: Mail): string {
  const headers = [
    `To: ${to.join(",\r\n ")}`,
    ...(cc.length > 0 ? [`Cc: ${cc.join(",\r\n ")}`] : []),
    `Subject: ${writeSubject(subject)}`,
    "MIME-Version: 1.0",
    'Content-Type: text/plain; charset="UTF-8"',
    "Content-Transfer-Encoding: base64",
  ];
  // Lines of a text are ended by CRLF, however they came.
  const base64 = toBase64(new TextEncoder().encode(body.replaceAll(/\r\n|\r|\n/g, "\r\n")));
  const lines = base64.match(LINES) ?? [];
  return `${headers.join("\r\n")}\r\n\r\n${lines.join("\r\n")}\r\n`;
}

/** Write bytes as base64url without padding (RFC 4648, 5), as Gmail takes a mail. */
function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function writeSubject(subject: string): string {
  // Text that looks like an encoded word would be read as one.
  if (/^[\x20-\x7e]{1,900}$/.test(subject) && !subject.includes("=?")) return subject;
  const words = cutBytes(subject, WORD_BYTES).map((bytes) => `=?UTF-8?B?${toBase64(bytes)}?=`);
  return words.join("\r\n ");
}

/** Cut text into pieces of so many bytes of UTF-8, no character in two: each encoded word is text by itself. */
function cutBytes(text: string, maxBytes: number): Uint8Array[] {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let piece = "";
  let size = 0;
  for (const character of text) {
    const { length } = encoder.encode(character);
    if (size + length > maxBytes) {
      pieces.push(encoder.encode(piece));
      piece = "";
      size = 0;
    }
    piece += character;
    size += length;
  }
  return [...pieces, encoder.encode(piece)];
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
