import type { WireTool } from "../kit/wire.ts";
import { ACTION_FIELDS, type BatchField, meantBy, REFERENCE_FIELDS } from "../kit/batch-fields.ts";
import { checkArgs, suggest } from "./check-args.ts";
import { headOf, type Mark, MOST_ELEMENTS } from "./mark.ts";
import { fieldOf, readActions, valueOf, type WrittenAction } from "./read-batch.ts";
import type { JsonEntry, JsonNode, ReadJson } from "./read-json.ts";

const ACTION_NAMES = ACTION_FIELDS.map(({ name }) => name);
const REFERENCE_NAMES = REFERENCE_FIELDS.map(({ name }) => name);
/** More marks would not be read. */
const MOST_MARKS = 30;
/** The kinds of what may stand in fields of some types; `null` is as if it were left out. */
const KINDS: Readonly<Record<string, readonly JsonNode["kind"][]>> = {
  number: ["number", "literal", "missing"],
  "list or reference": ["array", "object", "literal", "missing"],
};
/** A handle of a result of an earlier batch. */
const HANDLE = /^r-[0-9a-f-]{36}$/;
const ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Look through a batch for what the API would refuse, as far as that can be known here: names, ids, references and the
 * arguments' schemas. The API decides; what is not found here it says itself.
 *
 * @param known what is null of it is not known: then names are taken as they are
 */
export function checkBatch(
  read: ReadJson,
  known: { readonly tools: readonly WireTool[] | null; readonly fields: readonly BatchField[] | null },
): readonly Mark[] {
  const { tools, fields } = known;
  const { root } = read;
  if (root === null) return [];
  if (root.kind !== "object") {
    const message = 'A batch is an object: { "actions": [ … ] }';
    return [{ ...headOf(root), severity: "error", message }];
  }
  const marks: Mark[] = [];
  const mark = (
    at: { readonly start: number; readonly end: number },
    message: string,
    severity: Mark["severity"] = "error",
  ): void => {
    if (marks.length < MOST_MARKS) marks.push({ start: at.start, end: at.end, severity, message });
  };
  const isAction =
    root.entries.some(({ key }) => key.value === "tool") && valueOf(root, "actions") === undefined;
  if (isAction) mark(headOf(root), 'One action stands in a list: { "actions": [ … ] }');
  else if (fields !== null) {
    const names = fields.map(({ name }) => name);
    checkNames(root.entries, names, "a batch");
    for (const { key, value } of root.entries) {
      const { values } = fields.find(({ name }) => name === key.value) ?? {};
      if (value.kind === "string" && values?.includes(JSON.stringify(value.value)) === false)
        mark(value, `${key.value} is one of ${values.join(", ")}`);
    }
    checkKinds(root.entries, fields);
  }
  checkTwice(root);
  const list = valueOf(root, "actions");
  if (list?.kind === "array") {
    if (list.elements.length === 0) mark(list, "A batch has at least one action");
    if (list.elements.length > 50)
      mark(list.elements[50]!, `A batch has at most 50 actions, not ${list.elements.length}`);
  } else if (list !== undefined && list.kind !== "missing") mark(list, "The actions are a list");
  else if (list === undefined && !isAction) mark(headOf(root), 'The list "actions" is missing');
  const actions = readActions(read);
  const ids = new Set(actions.map(({ id }) => id));
  const seen = new Set<string>();
  for (const action of actions) checkAction(action);
  return marks.toSorted((a, b) => a.start - b.start);

  function checkNames(entries: readonly JsonEntry[], names: readonly string[], of: string): void {
    for (const { key } of entries) {
      if (names.includes(key.value) || (names === ACTION_NAMES && meantBy(key.value) !== key.value)) continue;
      mark(key, `No field of ${of} is called "${key.value}"${suggest(key.value, names)}`);
    }
  }

  /** JSON takes the last of two fields of one name, without a word. */
  function checkTwice(node: JsonNode): void {
    if (node.kind === "array") node.elements.slice(0, MOST_ELEMENTS).forEach(checkTwice);
    if (node.kind !== "object") return;
    const last = new Map(node.entries.map(({ key }) => [key.value, key]));
    for (const { key, value } of node.entries) {
      if (last.get(key.value) !== key)
        mark(key, `"${key.value}" stands here twice: only the last one counts`, "warning");
      checkTwice(value);
    }
  }

  function checkKinds(entries: readonly JsonEntry[], fields: readonly BatchField[]): void {
    for (const { key, value } of entries) {
      const { name, type = "" } = fields.find((one) => one.name === key.value) ?? {};
      if (KINDS[type]?.includes(value.kind) === false) mark(value, `${name} is a ${type}`);
    }
  }

  function checkAction(action: WrittenAction): void {
    const { node, id, entries } = action;
    if (node.kind === "missing") return;
    if (node.kind !== "object") return mark(node, "An action is an object with a tool");
    checkNames(entries, ACTION_NAMES, "an action");
    checkKinds(entries, ACTION_FIELDS);
    const idNode = valueOf(node, "id");
    if (seen.has(id)) mark(idNode ?? headOf(node), `Two actions have the id "${id}"`);
    if (idNode !== undefined && idNode.kind !== "missing" && !ID.test(id))
      mark(idNode, "An id has 1 to 64 letters, digits, _ and -");
    seen.add(id);
    checkDependencies(entries);
    checkTool(action);
    for (const { key, value } of entries)
      if (key.value === "for_each" || meantBy(key.value) === "args") checkReferences(value, entries);
  }

  function checkDependencies(entries: readonly JsonEntry[]): void {
    const list = fieldOf(entries, "depends_on")?.value;
    if (list?.kind !== "array") return;
    for (const element of list.elements.slice(0, MOST_ELEMENTS))
      if (element.kind === "string" && !ids.has(element.value))
        mark(element, `No action has the id "${element.value}"${suggest(element.value, [...ids])}`);
  }

  function checkTool({ node, tool, entries, index }: WrittenAction): void {
    const entry = fieldOf(entries, "tool");
    if (tool === null) {
      const place = entry?.value.kind === "string" ? entry.value : headOf(node);
      return mark(place, "The action names no tool");
    }
    if (tools === null) return;
    const known = tools.find(({ name }) => name === tool);
    const names = tools.map(({ name }) => name);
    if (known === undefined) return mark(entry!.value, `No tool is called "${tool}"${suggest(tool, names)}`);
    const args = fieldOf(entries, "args")?.value;
    if (args === undefined || args.kind === "object")
      checkArgs(known, { args: args ?? null, place: entry!.value, earlier: actions.slice(0, index) }, mark);
    else if (args.kind !== "string" && args.kind !== "missing") mark(args, "Arguments are an object");
  }

  function checkReferences(node: JsonNode, entries: readonly JsonEntry[]): void {
    if (node.kind === "array")
      for (const element of node.elements.slice(0, MOST_ELEMENTS)) checkReferences(element, entries);
    if (node.kind !== "object") return;
    const [first] = node.entries.length === 1 ? node.entries : [];
    if (first?.key.value.startsWith("$") === true && !REFERENCE_NAMES.includes(first.key.value)) {
      const meant = suggest(first.key.value, REFERENCE_NAMES);
      if (meant !== ".") mark(first.key, `This is no reference${meant}`, "warning");
    }
    for (const { key, value } of node.entries) {
      if (key.value === "$literal") continue;
      if (key.value === "$ref" && value.kind === "string") checkReference(value, value.value, entries);
      else if (key.value === "$template" && value.kind === "string")
        for (const [, reference] of value.value.matchAll(/\{\{([^{}]*)\}\}/g))
          checkReference(value, reference!, entries);
      else checkReferences(value, entries);
    }
  }

  function checkReference(node: JsonNode, reference: string, entries: readonly JsonEntry[]): void {
    const [id = ""] = reference.split("#");
    if (!reference.includes("#")) {
      const [, name = "", pointer = ""] = /^([^/.]*)[/.]?(.*)$/s.exec(reference)!;
      const meant = `${name || "shops"}#/${pointer || "places/0/id"}`;
      return mark(node, `A reference is an id, # and a pointer: "${meant}"`);
    }
    if (ids.has(id) || HANDLE.test(id)) return;
    if (id === "item" && fieldOf(entries, "for_each") !== undefined) return;
    mark(
      node,
      `No action of this batch has the id "${id}"${suggest(id, [...ids])} Only a handle of an earlier batch may stand here.`,
      "warning",
    );
  }
}
