import { useDeployment } from "../kit/deployment.ts";
import { makeKey } from "../kit/make-idempotency-key.ts";
import { TextField } from "../parts/text-field.tsx";

/** The options that are sent beside the batch's own text. Empty is: as the text says. */
export interface Options {
  readonly onError: string;
  readonly deadlineMs: string;
  readonly maxTokens: string;
  /** Null where it is sent without a key. */
  readonly idempotencyKey: string | null;
}

export const NO_OPTIONS: Options = { onError: "", deadlineMs: "", maxTokens: "", idempotencyKey: null };

const NUMBERS = [
  ["deadlineMs", "deadline_ms", "15000"],
  ["maxTokens", "max_tokens", "no limit"],
] as const;

interface RunOptionsProps {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}

/** How a batch is run, in a quiet row. */
export function RunOptions({ options, onChange }: RunOptionsProps) {
  const set = (name: keyof Options) => (event: Event) =>
    onChange({ ...options, [name]: (event.currentTarget as HTMLInputElement).value });
  const { values: modes = [] } = useDeployment().batchFields?.find(({ name }) => name === "on_error") ?? {};
  return (
    <div class="options">
      <div class="field">
        <label for="on-error">on_error</label>
        <select id="on-error" value={options.onError} onChange={set("onError")}>
          <option value="">from the batch</option>
          {modes.map((mode) => (
            <option key={mode}>{JSON.parse(mode)}</option>
          ))}
        </select>
      </div>
      {NUMBERS.map(([name, field, placeholder]) => (
        <TextField
          key={name}
          id={field}
          label={field}
          type="number"
          min="1"
          placeholder={placeholder}
          value={options[name]}
          onInput={set(name)}
        />
      ))}
      <div class="field key">
        <label class="switch">
          <input
            type="checkbox"
            checked={options.idempotencyKey !== null}
            onChange={(event: Event) =>
              onChange({
                ...options,
                idempotencyKey: (event.currentTarget as HTMLInputElement).checked ? makeKey() : null,
              })
            }
          />
          Own Idempotency-Key
        </label>
        {options.idempotencyKey !== null && (
          <div key="key" class="joined">
            <input
              class="mono"
              aria-label="The Idempotency-Key"
              maxlength={255}
              spellcheck={false}
              value={options.idempotencyKey}
              onInput={set("idempotencyKey")}
            />
            <button type="button" onClick={() => onChange({ ...options, idempotencyKey: makeKey() })}>
              New
            </button>
          </div>
        )}
      </div>
    </div>
  );
}

/** The fields that the options put into a batch. Text that is no number is left out: the API would refuse the batch for it. */
export function fieldsOf(options: Options): Readonly<Record<string, unknown>> {
  const { onError } = options;
  const numbers = NUMBERS.filter(([name]) => /^\d{1,9}$/.test(options[name]));
  return {
    ...(onError !== "" && { on_error: onError }),
    ...Object.fromEntries(numbers.map(([name, field]) => [field, Number(options[name])])),
  };
}
