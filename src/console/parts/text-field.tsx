import type { JSX } from "hono/jsx";

/** The attributes are the input's: its name, placeholder, bounds, value. */
interface TextFieldProps extends Omit<JSX.IntrinsicElements["input"], "list"> {
  readonly id: string;
  readonly label: string;
  /** A sentence below it, which is read with it. */
  readonly help?: string;
  /** Values to choose from; others may be written too. */
  readonly suggestions?: readonly string[];
}

/** One line of text or one number, under its label. Nothing is filled in or corrected: these are names, ids and figures. */
export function TextField({ id, label, help, suggestions, ...input }: TextFieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        autocomplete="off"
        spellcheck={false}
        {...input}
        {...(suggestions !== undefined && { list: `${id}-list` })}
        {...(help !== undefined && { "aria-describedby": `${id}-help` })}
        id={id}
      />
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {help !== undefined && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}
