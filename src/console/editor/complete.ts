import type { JsonSchema, WireTool } from "../kit/wire.ts";
import { ACTION_FIELDS, meantBy, type BatchField, REFERENCE_FIELDS, withCaret } from "../kit/batch-fields.ts";
import { pathsOf } from "../kit/known-paths.ts";
import { type Location, locateCursor } from "./locate-cursor.ts";
import { containerAt, readActions, type WrittenAction } from "./read-batch.ts";
import type { ReadJson } from "./read-json.ts";
import { fieldsAt, sayType, schemasAt } from "./schema-at.ts";

/** One thing that could stand at the cursor. */
export interface Suggestion {
  readonly label: string;
  /** A few words: a type, `required`. */
  readonly detail: string;
  /** A sentence about it. */
  readonly help: string;
  /** The text to write, with `CARET`, once, where the cursor goes. */
  readonly insert: string;
}

export interface Completion {
  /** The beginning of the text that the chosen suggestion replaces. */
  readonly from: number;
  readonly to: number;
  readonly items: readonly Suggestion[];
}

const MOST_ITEMS = 50;

/** Find the suggestions for a place of the text. Null where nothing is known. */
export function complete(
  text: string,
  offset: number,
  { read, tools, fields }: Pick<Known, "tools" | "fields"> & { readonly read: ReadJson },
): Completion | null {
  const location = locateCursor(text, read.tokens, offset);
  if (location === null) return null;
  const { token } = location;
  const from = token?.start ?? offset;
  const to = token === null || !token.isClosed ? offset : token.end;
  const typed = text.slice(from, offset).replace(/^["'“]/, "");
  const actions = readActions(read);
  const template =
    location.role === "value" && location.path.at(-1) === "$template" ? /\{\{([^{}]*)$/.exec(typed) : null;
  if (template !== null) {
    const found = filter(listReferences(location, actions), template[1]!);
    const items = found.map((item) => ({ ...item, insert: item.label }));
    return finish(offset - template[1]!.length, offset, items);
  }
  const hasColon = /^\s*:/.test(text.slice(to, to + 20));
  const listed =
    location.role === "key"
      ? listKeys(location, { read, tools, fields, actions }).map((field) => toSuggestion(field, hasColon))
      : listValues(location, { tools, fields, actions });
  return finish(from, to, filter(listed, typed));
}

function finish(from: number, to: number, items: readonly Suggestion[]): Completion | null {
  return items.length === 0 ? null : { from, to, items: items.slice(0, MOST_ITEMS) };
}

interface Known {
  readonly tools: readonly WireTool[];
  /** Those of a batch. */
  readonly fields: readonly BatchField[];
  readonly actions: readonly WrittenAction[];
}

function listKeys(
  { path, container, token }: Location,
  known: Known & { readonly read: ReadJson },
): readonly BatchField[] {
  const object = containerAt(known.read.root, container ?? 0);
  const entries = object?.kind === "object" ? object.entries : [];
  const used = new Set(entries.filter(({ key }) => key.start !== token?.start).map(({ key }) => key.value));
  return listFields(path, known, used.size === 0).filter(({ name }) => !used.has(name));
}

function listFields(path: Location["path"], known: Known, isEmpty: boolean): readonly BatchField[] {
  if (path.length === 0) return known.fields;
  if (path[0] !== "actions") return [];
  if (path.length === 2) return ACTION_FIELDS;
  const place = String(path[2]);
  if (place === "for_each") return REFERENCE_FIELDS.slice(0, 1);
  if (meantBy(place) !== "args") return [];
  const schema = schemaOf(path, known);
  const rest = path.slice(3);
  const fields = schema === undefined ? [] : fieldsAt(schema, rest);
  return [
    ...fields
      .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
      .map(({ name, schema: of, isRequired }) => ({
        name,
        type: `${sayType(of)}${isRequired ? ", required" : ""}`,
        help: of.description ?? "",
        insert: skeletonOf(of),
      })),
    ...(rest.length > 0 && isEmpty ? REFERENCE_FIELDS : []),
  ];
}

function listValues(location: Location, known: Known): readonly Suggestion[] {
  const { path } = location;
  const last = path.at(-1);
  if (last === "$ref") return listReferences(location, known.actions);
  if (path.length === 1) return known.fields.find(({ name }) => name === last)?.values?.map(plain) ?? [];
  if (path[0] !== "actions") return [];
  const place = String(path[2] ?? "");
  if (path.length === 2)
    return [
      { label: "{ }", detail: "action", help: "One call of a tool", insert: withCaret('{ "tool": "|" }') },
    ];
  if (path.length === 3 && meantBy(place) === "tool") return known.tools.map(toToolSuggestion);
  const action = known.actions[Number(path[1])];
  if (place === "depends_on")
    return known.actions
      .filter(({ index }) => index !== action?.index)
      .map(({ id, tool }) => ({ ...plain(JSON.stringify(id)), label: id, detail: tool ?? "" }));
  if (place === "select")
    return pathsOf(action?.tool ?? null).map((label) => ({ ...plain(JSON.stringify(label)), label }));
  if (meantBy(place) !== "args" || path.length < 4) return [];
  const schema = schemaOf(path, known);
  const schemas = schema === undefined ? [] : schemasAt(schema, path.slice(3));
  const refers = known.actions.length > 1 && location.token === null;
  return [...schemas.flatMap(valuesOf), ...(refers ? [A_REFERENCE] : [])];
}

const A_REFERENCE: Suggestion = {
  label: "$ref",
  detail: "reference",
  help: "A value of another action's result",
  insert: withCaret('{ "$ref": "|" }'),
};

function schemaOf(path: Location["path"], { tools, actions }: Omit<Known, "fields">): JsonSchema | undefined {
  const name = actions[Number(path[1])]?.tool;
  return tools.find((tool) => tool.name === name)?.input_schema;
}

function valuesOf(schema: JsonSchema): readonly Suggestion[] {
  const { enum: values, const: only, type, default: usual, examples = [] } = schema;
  if (values !== undefined) return values.map((value) => plain(JSON.stringify(value)));
  if (only !== undefined) return [plain(JSON.stringify(only))];
  if (type === "boolean") return ["true", "false"].map(plain);
  const usually = usual === undefined ? [] : [{ ...plain(JSON.stringify(usual)), detail: "default" }];
  return [
    ...usually,
    ...examples.map((example) => ({ ...plain(JSON.stringify(example)), detail: "example" })),
  ];
}

/** The results of the other actions: the whole, and the places that are known of their tools. */
function listReferences({ path }: Location, actions: readonly WrittenAction[]): readonly Suggestion[] {
  const own = Number(path[1]);
  const isLoop =
    actions[own]?.entries.some(({ key }) => key.value === "for_each") === true && path[2] !== "for_each";
  const others = actions.filter(({ index }) => index !== own);
  const places = others.flatMap(({ id, tool }) =>
    ["", ...pathsOf(tool)].map((pointer) => ({
      label: `${id}#${pointer}`,
      detail: pointer === "" ? "the whole" : "",
      help: tool ?? "",
      insert: JSON.stringify(`${id}#${pointer}`),
    })),
  );
  // The whole of each first: places of one result would hide the next one's.
  const sorted = places.toSorted((a, b) => Number(b.detail !== "") - Number(a.detail !== ""));
  const item = { label: "item#", detail: "the element", help: "Of this loop", insert: withCaret('"item#|"') };
  return isLoop ? [item, ...sorted] : sorted;
}

function toSuggestion({ name, type, help, insert }: BatchField, hasColon: boolean): Suggestion {
  const key = JSON.stringify(name);
  return { label: name, detail: type, help, insert: hasColon ? key : `${key}: ${insert}` };
}

function toToolSuggestion({ name, description, input_schema: schema }: WireTool): Suggestion {
  const [first = ""] = description.split(/(?<=\.)\s/);
  const { required = [] } = schema;
  return { label: name, detail: required.slice(0, 4).join(", "), help: first, insert: JSON.stringify(name) };
}

function plain(insert: string): Suggestion {
  return { label: insert.replace(/^"(.*)"$/, "$1"), detail: "", help: "", insert };
}

/** The first text of an argument's value. */
function skeletonOf({ type, enum: values }: JsonSchema): string {
  if (values?.length === 1) return JSON.stringify(values[0]);
  if (type === "string") return withCaret('"|"');
  if (type === "object") return withCaret("{|}");
  return withCaret(type === "array" ? "[|]" : "|");
}

/** Suggestions that begin with the typed text come first, then those that hold it; dashes and underscores are the same. */
function filter(items: readonly Suggestion[], typed: string): readonly Suggestion[] {
  const wanted = fold(typed);
  if (wanted === "") return items;
  const labels = items.map((item) => ({ item, label: fold(item.label) }));
  const first = labels.filter(({ label }) => label.startsWith(wanted));
  const then = labels.filter(({ label }) => !label.startsWith(wanted) && label.includes(wanted));
  return [...first, ...then].map(({ item }) => item);
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll("-", "_");
}
