import { format } from "oxfmt";

import { flagsOf, type WholeDeclaration } from "../../src/cloudflare/declared.ts";

/** The parts of the module that outlast a change. */
interface Before {
  readonly SHIPPED_FLAGS: Readonly<Record<string, string>>;
  readonly SHIPPED_OBJECTS: readonly { readonly className: string; readonly tag: string }[];
}

/**
 * Write the module that knows the shipped features without containing them.
 *
 * @param before the same module as it is: a flag keeps its place in every list and a class the tag of its migration, and new ones come last
 */
export async function writeShipped(features: readonly WholeDeclaration[], before: Before): Promise<string> {
  const known = Object.keys(before.SHIPPED_FLAGS);
  const flags = flagsOf(features).toSorted((a, b) => placeIn(known, a) - placeIn(known, b));
  const ownerOf = (flag: string) => features.find((feature) => feature.flags?.[flag] !== undefined)!;
  const needed = {
    flags: Object.fromEntries(flags.map((flag) => [flag, ownerOf(flag).name])),
    variables: Object.fromEntries(
      features.flatMap(({ name, variables = {} }) =>
        Object.entries(variables).flatMap(([variable, { isShared }]) => (isShared ? [] : [[variable, name]])),
      ),
    ),
    needs: Object.fromEntries(
      features.flatMap(({ name, meets = [], bindings = [] }) =>
        [...meets, ...bindings].map((need) => [need, name]),
      ),
    ),
    contract: Object.fromEntries(
      features.flatMap(({ name, contract = [] }) => contract.map((field) => [field.name, name])),
    ),
  };
  const abouts = Object.fromEntries(flags.map((flag) => [flag, ownerOf(flag).flags![flag]]));
  const newTag = `v${Math.max(...before.SHIPPED_OBJECTS.map(numberOf)) + 1}`;
  const objects = features
    .flatMap(({ objects: own = {} }) =>
      Object.entries(own).map(([className, { binding }]) => ({
        className,
        binding,
        tag: before.SHIPPED_OBJECTS.find((one) => one.className === className)?.tag ?? newTag,
      })),
    )
    .toSorted((a, b) => numberOf(a) - numberOf(b));
  const text = [
    "// Written by `npm run shipped` from the declarations of the features.\n",
    "type Words = Readonly<Record<string, string>>;\n\n",
    "/** The feature that a flag of a key, a variable, a tool's binding or need and a field of its contract take: a Worker that does not list it has no other way to know. */\n",
    `export const SHIPPED: Readonly<Record<"flags" | "variables" | "needs" | "contract", Words>> = ${JSON.stringify(needed)};\n\n`,
    "/** The flags of keys, each with its right in words. */\n",
    `export const SHIPPED_FLAGS: Words = ${JSON.stringify(abouts)};\n\n`,
    "/** The classes of Durable Objects. */\n",
    `export const SHIPPED_OBJECTS = ${JSON.stringify(objects)};\n`,
  ].join("");
  return (await format("shipped.ts", text, { printWidth: 110 })).code;
}

function placeIn(flags: readonly string[], flag: string): number {
  const at = flags.indexOf(flag);
  return at < 0 ? flags.length : at;
}

function numberOf({ tag }: { readonly tag: string }): number {
  return Number(tag.slice(1));
}
