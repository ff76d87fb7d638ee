import { useState } from "../kit/jsx-hooks.ts";
import { readJsonText, readNumber } from "./form-value.ts";
import type { FieldSchema, kindOf } from "./read-schema.ts";

interface InputProps {
  readonly kind: ReturnType<typeof kindOf>;
  readonly schema: FieldSchema;
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly onChange: (value: unknown) => void;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

/** The control of one value. The typed text is kept as it was typed, whatever is read from it. */
export function FormInput({ kind, schema, value, isRequired, onChange, attributes }: InputProps) {
  const [text, setText] = useState(() =>
    value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value),
  );
  const type = (next: string, read: (text: string) => unknown): void => {
    setText(next);
    onChange(read(next));
  };
  const valueOf = (event: Event): string =>
    (event.currentTarget as HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement).value;
  const asText = (typed: string): unknown => (typed === "" && !isRequired ? undefined : typed);
  switch (kind) {
    case "boolean":
    case "choice": {
      const values = kind === "boolean" ? [true, false] : (schema.enum ?? [schema.const]);
      const chosen = values.indexOf(value);
      return (
        <select {...attributes} onChange={(event: Event) => onChange(values[Number(valueOf(event))])}>
          <option value="" selected={chosen < 0}>
            {isRequired ? "Choose" : "Not set"}
          </option>
          {values.map((one, index) => (
            <option key={index} value={String(index)} selected={chosen === index}>
              {typeof one === "boolean" ? (one ? "yes" : "no") : String(one)}
            </option>
          ))}
        </select>
      );
    }
    case "long":
      return (
        <textarea {...attributes} value={text} onInput={(event: Event) => type(valueOf(event), asText)} />
      );
    case "json": {
      const { isJson } = readJsonText(text);
      return (
        <div class="stack tight">
          <textarea
            {...attributes}
            class="mono"
            spellcheck={false}
            value={text}
            onInput={(event: Event) => type(valueOf(event), (typed) => readJsonText(typed).value)}
          />
          {!isJson && <p class="help">Not JSON yet: it is sent as a text.</p>}
        </div>
      );
    }
    case "datetime":
      return (
        <input
          {...attributes}
          type="datetime-local"
          value={toLocal(value)}
          onInput={(event: Event) => onChange(readLocal(valueOf(event)))}
        />
      );
    default: {
      const read = kind === "number" ? readNumber : asText;
      const look =
        kind === "number" ? { inputmode: "decimal" as const } : kind === "date" && { type: "date" };
      return (
        <input
          {...attributes}
          {...look}
          autocomplete="off"
          value={text}
          onInput={(event: Event) => type(valueOf(event), read)}
        />
      );
    }
  }
}

/** An instant as a field of this browser's clock has it; empty where there is none. */
function toLocal(value: unknown): string {
  const date = new Date(typeof value === "string" ? value : Number.NaN);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** A time as this browser's clock has it, as the instant that it is. */
function readLocal(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
