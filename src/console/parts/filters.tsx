interface ChoiceProps {
  readonly label: string;
  /** The words of the choice of none. */
  readonly any?: string;
  /** The values, or their words by value. */
  readonly values: readonly string[] | Readonly<Record<string, string>>;
  readonly say?: (value: string) => string;
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
}

/** One of some values. */
export function Choice({ label, any, values, say = String, chosen, onChoose }: ChoiceProps) {
  const words = Array.isArray(values)
    ? values.map((value: string) => [value, say(value)] as const)
    : Object.entries(values as Readonly<Record<string, string>>);
  return (
    <label>
      <span class="hidden-text">{label}</span>
      <select onChange={(event: Event) => onChoose((event.currentTarget as HTMLSelectElement).value)}>
        {[...(any === undefined ? [] : [["", any] as const]), ...words].map(([value, text]) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface SearchProps {
  readonly label: string;
  readonly any: string;
  readonly value?: string;
  readonly onText: (text: string) => void;
}

/** A text to look for, told when it is written. */
export function Search({ label, any, value, onText }: SearchProps) {
  return (
    <label>
      <span class="hidden-text">{label}</span>
      <input
        type="search"
        placeholder={any}
        spellcheck={false}
        {...(value !== undefined && { value })}
        onChange={(event: Event) => onText((event.currentTarget as HTMLInputElement).value.trim())}
      />
    </label>
  );
}
