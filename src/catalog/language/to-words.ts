/**
 * Split text into lower-case words. `_`, `-`, `.` and case changes separate as spaces do, so that `sendEmail`,
 * `send_email` and `send-email` are the same two words, and `HTTPRequest` is `http` and `request`.
 *
 * Letters and digits of any script count; an apostrophe separates (`I'd` is `i` and `d`).
 */
export function toWords(text: string): string[] {
  const split = text
    .normalize("NFKC")
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return split.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
