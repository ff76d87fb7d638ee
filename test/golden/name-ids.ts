/** Ids, secrets, and digests of them. */
const DRAWN =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:call|fc|toolu|rs|msg|resp|vk|whsec)_[\w+/=-]{16,}|\b(?:chatcmpl-)[\w]{16,}|\b[0-9a-f]{32,64}\b/g;

/** Name each id by the order in which it first comes: ids are drawn, but the same one has to stand in the same places. */
export function nameIds(text: string): string {
  const names = new Map<string, string>();
  return text.replace(DRAWN, (id) => {
    const name = names.get(id) ?? `<id ${names.size + 1}>`;
    names.set(id, name);
    return name;
  });
}
