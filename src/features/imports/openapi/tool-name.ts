import type { Operation } from "./operations.ts";

const MOST_CHARACTERS = 64;

/**
 * The name of an operation's tool: the prefix and the operationId, or what the method and path say where there is none.
 * It depends on nothing but these, so importing a document again gives the same names. A name too long is cut and ends with
 * a short digest of all of it; so does one that another operation has already.
 */
export function nameOf(prefix: string, operation: Operation, taken: ReadonlySet<string>): string {
  const { operationId, method, path } = operation;
  const own = fit(operationId ?? sayPath(method, path));
  const start = /[_-]$/.test(prefix) ? prefix : `${prefix}_`;
  const name = `${start}${own}`;
  if (own !== "" && name.length <= MOST_CHARACTERS && !taken.has(name)) return name;
  const place = `${method} ${path}`;
  for (let n = 0; ; n += 1) {
    const other = withDigest(start, own, [operationId ?? place, place][n] ?? `${place} ${n}`);
    if (!taken.has(other)) return other;
  }
}

function withDigest(start: string, own: string, all: string): string {
  const ending = digest(all);
  const room = MOST_CHARACTERS - start.length - ending.length - 1;
  const kept = own.slice(0, Math.max(room, 0)).replace(/[_-]+$/, "");
  return kept === "" ? `${start}${ending}` : `${start}${kept}_${ending}`;
}

/** `GET /pets/{petId}` is `get_pets_by_petId`. */
function sayPath(method: string, path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  const said = parts.map((part) => part.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => `by_${name}`));
  return [method.toLowerCase(), ...said].join("_");
}

/** The part of a text that a tool's name can hold. */
function fit(text: string): string {
  return text
    .slice(0, 1_000)
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
}

/** Six letters and digits of a text: FNV-1a (32 bit), which tells the names of a few hundred operations apart and keeps no secret. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, "0").slice(-6);
}
