/** Every provider takes such a name. */
const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;

/** Make a name that every provider takes of the one that a model wrote: it stays where it is one. */
export function legalName(name: string): string {
  if (LEGAL.test(name)) return name;
  const legal = name.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64);
  return legal === "" ? "unnamed" : legal;
}
