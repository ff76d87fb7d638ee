import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import { isJsonObject, type JsonObject } from "../../../feature/schema.ts";
import { type Fields, findChildren, takeChildren } from "./find-children.ts";
import { findTarget, type Target } from "./document-reference.ts";
import { plainText } from "./describe-operation.ts";
import {
  annotationsOf,
  impliedTypes,
  isPlainObject,
  mergeObjects,
  PLAIN_KEYWORDS,
  shallow,
  typesOf,
  withExclusiveBounds,
  withNull,
  writeTypes,
} from "./schema-keywords.ts";

/** How much of a document's schemas is written, and what may be left out of them. */
export interface WriteOptions {
  /** Levels of schemas inside schemas; what is deeper may be anything of its type. */
  readonly depth: number;
  /** Whether descriptions and defaults inside arguments are kept. */
  readonly texts: boolean;
  /** Whether constraints beside a `$ref` hold, as they do since OpenAPI 3.1. */
  readonly siblings: boolean;
  /** Whether patterns are kept: what one of them costs to match is not known here. */
  readonly patterns: boolean;
}

/** The work that writing may take, counted in characters of the schemas looked at. */
export interface Budget {
  left: number;
}

/** The cost of looking at one schema besides its text. */
const COST_OF_SCHEMA = 16;
const COST_OF_KEY = 4;
const DESCRIPTION_CHARACTERS = 400;
/** Levels of a `default` or an `enum` value: a declaration may not nest deeper than any other request. */
const VALUE_LEVELS = 3;

/**
 * Writes schemas of an OpenAPI document as JSON Schema 2020-12 that is complete in itself.
 *
 * A reference is replaced by what it leads to; only where a schema contains itself, it becomes a definition, and `$ref`s in its
 * place lead there. `oneOf` becomes `anyOf` and what only who is called can judge is left out (`not`, `if`, `discriminator`),
 * because what is written is never narrower than what the document says: fields that are only read are left out, and so two
 * variants that excluded each other may not any more.
 *
 * It ends, and costs what the budget says at most, whatever the references are: `failure` then says why the writing is worth nothing.
 */
export class SchemaWriter {
  /** Why what was written cannot be used. */
  failure: "too large" | { readonly reason: string } | null = null;
  private readonly root: JsonObject;
  private readonly options: WriteOptions;
  private readonly budget: Budget;
  private readonly names = new Map<string, string>();
  private readonly taken = new Set<string>();
  private readonly written = new Map<string, JsonSchema>();
  /** Places that are being written. */
  private readonly open = new Set<string>();
  /** Those of them that say something of the very value that is being described: entering one again says nothing new. */
  private here = new Set<string>();

  constructor(root: JsonObject, options: WriteOptions, budget: Budget) {
    this.root = root;
    this.options = options;
    this.budget = budget;
  }

  /** Whether descriptions inside arguments are kept. */
  get keepsTexts(): boolean {
    return this.options.texts;
  }

  /** The definitions that what was written refers to. */
  definitions(): JsonObject {
    return Object.fromEntries(this.written);
  }

  /** The content of a written schema, when it is a definition. */
  resolve(schema: JsonSchema): JsonSchema {
    const reference = schema["$ref"];
    if (typeof reference !== "string") return schema;
    return this.written.get(reference.slice("#/$defs/".length)) ?? schema;
  }

  write(schema: unknown, depth = 0): JsonSchema {
    if (!isJsonObject(schema)) return {};
    this.spend(COST_OF_SCHEMA);
    this.keysOf(schema);
    if (this.failure !== null) return {};
    const { $ref: reference } = schema;
    return typeof reference === "string"
      ? this.writeReference(reference, schema, depth)
      : this.writeOwn(schema, depth);
  }

  private writeReference(reference: string, schema: JsonObject, depth: number): JsonSchema {
    const target = this.find(reference);
    if (target === null) return {};
    this.keysOf(target.value);
    if (this.failure !== null) return {};
    if (depth >= this.options.depth) return shallow(typesOf(target.value) ?? impliedTypes(target.value));
    const base = this.writeTarget(target, depth);
    // Before 3.1 nothing stands beside a reference, but many documents have words there.
    const beside = this.writeOwn(this.options.siblings ? schema : annotationsOf(schema), depth);
    const whole = this.merge([base, beside]);
    return schema["nullable"] === true ? withNull(whole) : whole;
  }

  private writeTarget({ pointer, value }: Target, depth: number): JsonSchema {
    const known = this.names.get(pointer);
    if (known !== undefined && !this.here.has(pointer)) return { $ref: `#/$defs/${known}` };
    if (this.here.has(pointer)) return {};
    if (this.open.has(pointer)) return { $ref: `#/$defs/${this.nameOf(pointer)}` };
    this.open.add(pointer);
    this.here.add(pointer);
    const schema = this.withChildren(this.writeOwn(value, depth), pointer, value, depth);
    this.here.delete(pointer);
    this.open.delete(pointer);
    const name = this.names.get(pointer);
    if (name === undefined) return schema;
    this.written.set(name, schema);
    return { $ref: `#/$defs/${name}` };
  }

  /** A parent takes its children's fields. Not inside a child, which is all of its parent and not of its siblings. */
  private withChildren(schema: JsonSchema, pointer: string, own: JsonObject, depth: number): JsonSchema {
    const children = findChildren(this.root, pointer, own);
    if (children.some((child) => this.here.has(child.pointer))) return schema;
    const written = children.map((child) =>
      this.failure === null ? this.write({ $ref: `#${encodeURI(child.pointer)}` }, depth) : {},
    );
    const values = this.options.texts ? children.map(({ value }) => value) : [];
    return takeChildren(schema, own, { fields: written.map((child) => this.fieldsOf(child)), values });
  }

  private fieldsOf(written: JsonSchema): Fields {
    const { properties, allOf } = this.resolve(written);
    const parts = Array.isArray(allOf) ? (allOf as JsonSchema[]) : [];
    return [
      ...Object.entries(isJsonObject(properties) ? properties : {}),
      ...parts.filter((part) => part["$ref"] === undefined).flatMap((part) => this.fieldsOf(part)),
    ];
  }

  /** The name of a definition: the last part of its place, which is the name that the document's author gave it. */
  private nameOf(pointer: string): string {
    const last = pointer.slice(pointer.lastIndexOf("/") + 1).replaceAll(/[^A-Za-z0-9_-]/g, "_");
    let name = last.slice(0, 64);
    for (let n = 2; this.taken.has(name); n += 1) name = `${last.slice(0, 56)}_${n}`;
    this.taken.add(name);
    this.names.set(pointer, name);
    return name;
  }

  private writeOwn(own: JsonObject, depth: number): JsonSchema {
    const schema = withExclusiveBounds(own);
    const types = typesOf(schema) ?? impliedTypes(schema);
    if (depth >= this.options.depth) return shallow(types);
    const out: Record<string, unknown> = { ...this.noted(schema) };
    if (types !== undefined) out["type"] = writeTypes(types);
    for (const [keyword, rule] of Object.entries(PLAIN_KEYWORDS))
      if (schema[keyword] !== undefined && rule(schema[keyword])) out[keyword] = schema[keyword];
    this.writeValues(schema, out);
    this.writePattern(schema, out);
    if (types === undefined || types.includes("object")) this.writeObject(schema, out, depth);
    if (types === undefined || types.includes("array")) this.writeArray(schema, types, out, depth);
    const whole = this.writeChoices(schema, out, depth);
    return schema["nullable"] === true ? withNull(whole) : whole;
  }

  /** Description and default, where texts are kept. */
  private noted({ description, default: standard }: JsonObject): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    if (!this.options.texts) return out;
    const text = typeof description === "string" ? plainText(description, DESCRIPTION_CHARACTERS) : "";
    this.spend(text.length);
    if (text !== "") out["description"] = text;
    if (standard !== undefined && this.isAffordable(standard, VALUE_LEVELS)) out["default"] = standard;
    return out;
  }

  private writeValues({ enum: values, const: only }: JsonObject, out: Record<string, unknown>): void {
    if (only !== undefined && this.isAffordable(only, VALUE_LEVELS)) out["const"] = only;
    if (Array.isArray(values) && values.length > 0 && this.isAffordable(values, VALUE_LEVELS))
      out["enum"] = [...new Set(values)];
  }

  private writePattern({ pattern }: JsonObject, out: Record<string, unknown>): void {
    if (typeof pattern !== "string" || !this.options.patterns) return;
    this.spend(pattern.length);
    out["pattern"] = pattern;
  }

  private writeObject(schema: JsonObject, out: Record<string, unknown>, depth: number): void {
    const { properties, additionalProperties: others, required } = schema;
    const unsent = new Set<string>();
    this.inside(() => {
      if (isJsonObject(properties)) {
        const fields: [string, JsonSchema][] = [];
        const names = this.keysOf(properties);
        for (const name of names) {
          const inner = properties[name];
          this.spend(COST_OF_SCHEMA + name.length);
          if (this.failure !== null) return;
          if (this.isReadOnly(inner) || RESERVED.has(name)) unsent.add(name);
          else fields.push([name, this.write(inner, depth + 1)]);
        }
        out["properties"] = Object.fromEntries(fields);
      }
      if (others === false) out["additionalProperties"] = false;
      else if (isJsonObject(others)) {
        const written = this.write(others, depth + 1);
        out["additionalProperties"] = Object.keys(written).length === 0 ? true : written;
      } else if (others === true) out["additionalProperties"] = true;
    });
    const needed = (Array.isArray(required) ? required : []).filter(
      (name): name is string => typeof name === "string" && !unsent.has(name) && !RESERVED.has(name),
    );
    if (needed.length > 0 && this.isAffordable(needed, 1)) out["required"] = [...new Set(needed)];
  }

  private writeArray(
    { items, prefixItems }: JsonObject,
    types: readonly string[] | undefined,
    out: Record<string, unknown>,
    depth: number,
  ): void {
    // Before 2020-12 `items` was also the list of what stands at each place.
    const places = Array.isArray(items) ? items : prefixItems;
    this.inside(() => {
      if (Array.isArray(places)) out["prefixItems"] = this.writeEach(places, depth);
      if (isJsonObject(items)) out["items"] = this.write(items, depth + 1);
      else if (items === false) out["items"] = false;
      // Some providers refuse an array that does not say what is in it.
      else if (types !== undefined) out["items"] = {};
    });
  }

  private writeChoices(schema: JsonObject, out: Record<string, unknown>, depth: number): JsonSchema {
    const { allOf, anyOf, oneOf } = schema;
    const choices = [anyOf, oneOf]
      .filter((list): list is unknown[] => Array.isArray(list) && list.length > 0)
      .map((list) => this.writeEach(list, depth));
    const [only] = choices;
    if (choices.length === 1 && only!.length === 1)
      return this.merge([...this.each(allOf, depth), only![0]!, out]);
    if (choices.length === 1) out["anyOf"] = only;
    if (choices.length > 1) out["allOf"] = choices.map((list) => ({ anyOf: list }));
    const parts = this.each(allOf, depth);
    return parts.length === 0 ? out : this.merge([...parts, out]);
  }

  private each(list: unknown, depth: number): JsonSchema[] {
    return Array.isArray(list) ? this.writeEach(list, depth) : [];
  }

  private writeEach(list: readonly unknown[], depth: number): JsonSchema[] {
    const written: JsonSchema[] = [];
    for (const inner of list) {
      if (this.failure !== null) break;
      written.push(this.write(inner, depth + 1));
    }
    return written;
  }

  /** Merge several schemas into one where that is plain; the last one's words are the best. */
  private merge(all: readonly JsonSchema[]): JsonSchema {
    const parts = all.filter((part) => Object.keys(part).length > 0);
    if (parts.length <= 1) return parts[0] ?? {};
    const described = parts.at(-1)!;
    const onlyWords = Object.keys(described).every((keyword) => WORDS.has(keyword));
    if (onlyWords) return { ...this.merge(parts.slice(0, -1)), ...described };
    const objects = parts.map((part) => this.resolve(part));
    if (objects.every(isPlainObject)) return mergeObjects(objects);
    return { allOf: parts };
  }

  /** The schemas written inside describe other values than the one around them. */
  private inside(write: () => void): void {
    const outer = this.here;
    this.here = new Set();
    write();
    this.here = outer;
  }

  private isReadOnly(schema: unknown): boolean {
    if (!isJsonObject(schema)) return false;
    if (schema["readOnly"] === true) return true;
    const { $ref: reference } = schema;
    return typeof reference === "string" && this.find(reference)?.value["readOnly"] === true;
  }

  private find(reference: string): Target | null {
    const target = findTarget(this.root, reference);
    if (target.ok) return target.value;
    this.failure ??= { reason: target.error };
    return null;
  }

  private isAffordable(value: unknown, levels: number): boolean {
    if (typeof value === "number") return Number.isFinite(value);
    this.spend(typeof value === "string" ? value.length : 4);
    if (this.failure !== null) return false;
    if (typeof value !== "object" || value === null) return true;
    if (levels === 0) return false;
    return this.keysOf(value).every((key) => {
      this.spend(key.length);
      return !RESERVED.has(key) && this.isAffordable((value as JsonObject)[key], levels - 1);
    });
  }

  /** The keys of an object, at their price: listing those of a large one costs more than all else that is done with it. */
  private keysOf(value: object): string[] {
    if (this.failure !== null) return [];
    const keys = Object.keys(value);
    this.spend(keys.length * COST_OF_KEY);
    return keys;
  }

  private spend(cost: number): void {
    this.budget.left -= cost;
    if (this.budget.left < 0) this.failure ??= "too large";
  }
}

/** Keys that reach a prototype: no argument may hold them. */
const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

/** Keywords that do not limit the values. */
const WORDS = new Set(["description", "default", "deprecated"]);
