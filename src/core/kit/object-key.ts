/** A name that is one segment of a path in every URL parser: no slash, nothing to escape, and never `.` or `..`. */
const OBJECT_NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}$/;

/**
 * The key under which a bucket keeps an owner's object; null when there can be no object of that name.
 *
 * Neither an owner's name (`[A-Za-z0-9_.-]`) nor an object's has a slash in it, so the first one ends the owner: no two owners
 * share a key, and a caller with its own name reaches only its own objects, whatever it asks for.
 *
 * @example
 * objectKey("acme", "9f1c.png"); // "acme/9f1c.png"
 * objectKey("acme", "../other/9f1c.png"); // null
 */
export function objectKey(owner: string, name: string): string | null {
  return OBJECT_NAME.test(name) ? `${owner}/${name}` : null;
}
