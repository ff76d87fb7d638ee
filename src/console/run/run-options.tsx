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
      <TextField
        id="deadline"
        label="deadline_ms"
        type="number"
        min="1"
        placeholder="15000"
        value={options.deadlineMs}
        onInput={set("deadlineMs")}
      />
      <TextField
        id="max-tokens"
        label="max_tokens"
        type="number"
        min="1"
        placeholder="no limit"
        value={options.maxTokens}
        onInput={set("maxTokens")}
      />
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
export function fieldsOf({ onError, deadlineMs, maxTokens }: Options): Readonly<Record<string, unknown>> {
  const numberOf = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null);
  const [deadline, tokens] = [numberOf(deadlineMs), numberOf(maxTokens)];
  return {
    ...(onError !== "" && { on_error: onError }),
    ...(deadline !== null && { deadline_ms: deadline }),
    ...(tokens !== null && { max_tokens: tokens }),
  };
}
