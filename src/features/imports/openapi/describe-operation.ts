import type { Operation } from "./operations.ts";

/** About 15 tokens, which is what `discover_tools` lists of a tool. */
const SUMMARY_CHARACTERS = 80;
const DESCRIPTION_CHARACTERS = 1_000;

/** The line by which a model picks the tool. */
export function summaryOf({ own, method, path }: Operation): string {
  const texts = [own["summary"], own["description"]].filter((text) => typeof text === "string");
  const line = texts.map((text) => plainText(text, 400)).find((text) => text !== "");
  const said = firstSentence(line ?? `${method} ${plainText(path, 200)}`).replace(/\.$/, "");
  return own["deprecated"] === true
    ? `${cutAtWord(said, SUMMARY_CHARACTERS - 13)} (deprecated)`
    : cutAtWord(said, SUMMARY_CHARACTERS);
}

/**
 * The tool's purpose in the document's words, the request that it is, and the optional parameters that it cannot send.
 */
export function descriptionOf({ own, method, path }: Operation, unsent: readonly string[]): string {
  const [summary, description] = [own["summary"], own["description"]].map((text) =>
    typeof text === "string" ? plainText(text, DESCRIPTION_CHARACTERS) : "",
  );
  const isRepeated = description!.startsWith(summary!.replace(/\.$/, ""));
  const said = [isRepeated ? "" : summary!, description!].filter((text) => text !== "").map(endSentence);
  const unsaid = unsent.map((name) => `'${plainText(name, 64)}'`).join(", ");
  return [
    own["deprecated"] === true ? "Deprecated." : "",
    cutAtWord(said.join(" "), DESCRIPTION_CHARACTERS),
    `${method} ${plainText(path, 300)}.`,
    unsaid === "" ? "" : `Cannot be sent: ${cutAtWord(unsaid, 300)}.`,
  ]
    .filter((text) => text !== "")
    .join(" ");
}

function endSentence(text: string): string {
  return /[.!?\u2026:]$/.test(text) ? text : `${text}.`;
}

/** A category of the operation's first tag, or of the prefix if it has none that a category could be called. */
export function categoryOf({ tags }: Operation, prefix: string): string {
  return toWord(tags[0] ?? "") || toWord(prefix) || "imported";
}

function toWord(text: string): string {
  return text
    .slice(0, 200)
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^[^a-z]+|[-_]+$/g, "")
    .slice(0, 64)
    .replace(/[-_]+$/, "");
}

const DELETES = new Set(["delete", "remove", "destroy", "purge", "erase", "drop", "wipe", "unlink"]);
const READS: Readonly<Record<string, string>> = {
  search: "search",
  find: "search",
  query: "search",
  lookup: "search",
  list: "list",
  get: "read",
  read: "read",
  fetch: "read",
  retrieve: "read",
  show: "read",
  describe: "read",
  download: "read",
  export: "read",
};
const WRITES: Readonly<Record<string, string>> = {
  create: "create",
  add: "create",
  insert: "create",
  post: "create",
  register: "create",
  update: "update",
  edit: "update",
  modify: "update",
  patch: "update",
  set: "update",
  replace: "update",
  put: "update",
  upsert: "update",
  send: "send",
  upload: "upload",
  cancel: "cancel",
  search: "search",
  query: "search",
};

/**
 * The verbs of an operation: what its operationId says, or else its method and path. An operation that deletes has `delete` among
 * them, so that a person is asked.
 */
export function actionsOf(operation: Operation): string[] {
  const { operationId = "", method, path } = operation;
  const words = toWords(operationId);
  if (method === "DELETE") return ["delete"];
  if (method === "GET") {
    const verb = words.map((word) => READS[word]).find((known) => known !== undefined);
    if (path.split("/").some((part) => READS[part.toLowerCase()] === "search")) return ["search"];
    return [verb ?? (/[^su]s$/i.test(path) ? "list" : "read")];
  }
  if (words.some((word) => DELETES.has(word))) return ["delete"];
  const verb = words.map((word) => WRITES[word]).find((known) => known !== undefined);
  return [verb ?? (method === "POST" ? "create" : "update")];
}

function toWords(name: string): string[] {
  return name
    .slice(0, 300)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => Object.hasOwn(READS, word) || Object.hasOwn(WRITES, word) || DELETES.has(word));
}

/** Controls, bidirectional marks, lone surrogates and the like: invisible characters have no place in a model's context. */
const UNSEEN = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]+/gu;

/** Text that is looked at of a description: some documents have whole manuals in one. */
const LOOKED_AT = 8;

/**
 * A document's text as one line without markup that only a browser reads, cut at a word, with an ellipsis where it was.
 *
 * @param most characters it has at the end, the ellipsis among them
 */
export function plainText(text: string, most: number): string {
  const line = text
    .slice(0, most * LOOKED_AT)
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/gi, " ")
    .replaceAll(/!?\[([^[\]]{0,200})\]\([^()]{0,500}\)/g, "$1")
    .replaceAll(UNSEEN, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return cutAtWord(line, most);
}

/** Text of at most so many characters, cut after a whole word. */
function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  const space = cut.lastIndexOf(" ");
  const kept = (space > most / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff\s,;:.\u2013-]+$/u, "");
  return `${kept}…`;
}

function firstSentence(line: string): string {
  return /^.{10,}?[.!?](?= |$)/.exec(line)?.[0].replace(/\.$/, "") ?? line;
}
