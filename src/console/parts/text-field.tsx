import type { JSX } from "hono/jsx";

/** The attributes are the input's: its name, placeholder, bounds, value. */
interface TextFieldProps extends Omit<JSX.IntrinsicElements["input"], "list"> {
  /** The form's name, a dash, and the name that the form reads: `key-tools`. */
  readonly id: string;
  readonly label: string;
  /** The height of a text of several lines. */
  readonly rows?: number;
  /** A sentence below it, which is read with it. */
  readonly help?: string;
  /** The fault of its value; it stands at the field. */
  readonly wrong?: string | undefined;
  /** Values to choose from; others may be written too. */
  readonly suggestions?: readonly string[];
}

/** A text or a number, under its label. Nothing is filled in or corrected: these are names, ids and figures. */
export function TextField({ id, label, help, wrong, suggestions, ...input }: TextFieldProps) {
  const Input = input.rows === undefined ? "input" : ("textarea" as "input");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Input
        autocomplete="off"
        spellcheck={false}
        name={id.slice(id.indexOf("-") + 1)}
        {...input}
        {...(suggestions !== undefined && { list: `${id}-list` })}
        {...(help !== undefined && { "aria-describedby": `${id}-help` })}
        {...(wrong !== undefined && { "aria-invalid": "true", "aria-errormessage": `${id}-wrong` })}
        id={id}
      />
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {wrong !== undefined && (
        <p key="wrong" class="wrong" id={`${id}-wrong`} role="alert">
          {wrong}
        </p>
      )}
      {help !== undefined && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}
