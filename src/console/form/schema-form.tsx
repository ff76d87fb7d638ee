import { useState } from "../kit/jsx-hooks.ts";
import { Prose } from "../parts/problem-note.tsx";

import { toPointer } from "../../core/kit/json/json-pointer.ts";
import type { JsonSchema } from "../kit/wire.ts";
import { FormInput } from "./form-input.tsx";
import { setAt, type Step } from "./form-value.ts";
import { type FieldSchema, kindOf, resolveSchema, sayAbout, sayVariant, variantsOf } from "./read-schema.ts";

/** The API's issues, by the pointer of the value. */
export type FormIssues = readonly {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}[];

interface FormProps {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly issues: FormIssues;
}

/** A form made of a JSON Schema. It checks nothing itself: the API does, and its words stand at their field. */
export function SchemaForm({ schema, value, onChange, issues }: FormProps) {
  const set: World["set"] = (steps, next) => onChange(setAt(value, steps, next) ?? {});
  const world: World = { root: schema, issues, set };
  const root = resolveSchema(schema, schema);
  if (Object.keys(root.properties ?? {}).length === 0 && root.type === "object")
    return <p class="muted">It takes no arguments.</p>;
  return (
    <div class="form">
      <Fields schema={root} value={value} steps={[]} depth={0} world={world} />
    </div>
  );
}

interface World {
  readonly root: JsonSchema;
  readonly issues: FormIssues;
  readonly set: (steps: readonly Step[], next: unknown) => void;
}

interface PartProps {
  readonly schema: FieldSchema;
  readonly value: unknown;
  readonly steps: readonly Step[];
  readonly depth: number;
  readonly world: World;
}

function Fields(props: PartProps) {
  const { schema, value, steps, depth, world } = props;
  if (schema.properties === undefined) return <Field {...props} label="Arguments" isRequired />;
  const own = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  return Object.entries(schema.properties).map(([name, field]) => (
    <Field
      key={name}
      label={name}
      schema={resolveSchema(field, world.root)}
      value={Object.hasOwn(own, name) ? own[name] : undefined}
      steps={[...steps, name]}
      depth={depth + 1}
      world={world}
      isRequired={schema.required?.includes(name) ?? false}
    />
  ));
}

interface FieldProps extends PartProps {
  readonly label: string;
  readonly isRequired: boolean;
}

function Field(props: FieldProps) {
  const { schema, value, steps, depth, world, label, isRequired } = props;
  const kind = kindOf(schema, depth);
  const id = toId(steps);
  const isWhole = kind === "object" || kind === "list" || kind === "either";
  const place = toPointer(steps);
  // A part of a value that is written as JSON has no field of its own.
  const mine = world.issues.filter(
    ({ path }) => path === place || (!isWhole && path.startsWith(`${place}/`)),
  );
  const help = sayAbout(schema);
  const about = (
    <p key="help" class="help" id={`${id}-help`} dir="auto">
      <Prose text={help} />
    </p>
  );
  const wrong = mine.map(({ path, expected, received }) => (
    <p key={`wrong ${path} ${expected}`} class="wrong" id={`${id}-wrong`}>
      {path !== place && <code>{path.slice(place.length + 1)} </code>}
      Expected <bdi>{expected}</bdi>, received <bdi>{received}</bdi>.
    </p>
  ));
  const name = (
    <span class="row">
      <bdi>{label}</bdi>
      {!isRequired && <span class="muted small">optional</span>}
    </span>
  );
  if (isWhole)
    return (
      <fieldset key={kind} id={id}>
        <legend>{name}</legend>
        {help !== "" && about}
        {kind !== "either" && wrong}
        {kind === "object" && <Fields {...props} />}
        {kind === "list" && <List {...props} />}
        {kind === "either" && <Either {...props} />}
      </fieldset>
    );
  return (
    <div class="field" key={kind}>
      <label for={id}>{name}</label>
      <FormInput
        kind={kind}
        schema={schema}
        value={value}
        isRequired={isRequired}
        onChange={(next) => world.set(steps, next)}
        attributes={{
          id,
          "aria-invalid": mine.length > 0 ? "true" : undefined,
          "aria-describedby":
            [help !== "" && `${id}-help`, mine.length > 0 && `${id}-wrong`].filter(Boolean).join(" ") ||
            undefined,
        }}
      />
      {wrong}
      {help !== "" && about}
    </div>
  );
}

function List({ schema, value, steps, depth, world, label }: FieldProps) {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const item = resolveSchema(schema.items ?? {}, world.root);
  const isWide = ["object", "either", "list"].includes(kindOf(item, depth + 1));
  return (
    <div class="stack tight">
      {list.slice(0, 100).map((element, index) => (
        <div key={index} class={isWide ? "item wide" : "item"}>
          <Field
            label={`${label} ${index + 1}`}
            schema={item}
            value={element}
            steps={[...steps, index]}
            depth={depth + 1}
            world={world}
            isRequired
          />
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => world.set(steps, list.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <div class="row">
        <button
          type="button"
          onClick={() => {
            world.set(steps, [...list, firstOf(item)]);
            const id = toId([...steps, list.length]);
            setTimeout(() => {
              const added = document.getElementById(id);
              (added?.querySelector<HTMLElement>("input,select,textarea") ?? added)?.focus();
            });
          }}
        >
          Add to “{label}”
        </button>
      </div>
    </div>
  );
}

/** The first value of an element: one that its field can show. */
function firstOf(schema: FieldSchema): unknown {
  if (schema.type === "object") return {};
  return schema.type === "array" ? [] : "";
}

function Either(props: FieldProps) {
  const { schema, value, steps, depth, world, label } = props;
  const variants = variantsOf(schema);
  const fitting = variants.findIndex((one) => fits(one, value));
  const [at, setAtVariant] = useState(Math.max(0, fitting));
  const chosen = resolveSchema(variants[at] ?? {}, world.root);
  return (
    <div class="stack tight">
      <select
        aria-label={`Kind of ${label}`}
        onChange={(event: Event) => {
          setAtVariant(Number((event.currentTarget as HTMLSelectElement).value));
          world.set(steps, undefined);
        }}
      >
        {variants.map((one, index) => (
          <option key={index} value={String(index)} selected={index === at}>
            {sayVariant(one, world.root)}
          </option>
        ))}
      </select>
      <Field key={`variant ${at}`} {...props} schema={chosen} depth={depth + 1} isRequired />
    </div>
  );
}

function fits({ type }: FieldSchema, value: unknown): boolean {
  return value === undefined || type === (Array.isArray(value) ? "array" : typeof value);
}

/** An id that other attributes may name: without spaces, whatever a field is called. */
function toId(steps: readonly Step[]): string {
  return `f${encodeURIComponent(toPointer(steps))}`;
}
