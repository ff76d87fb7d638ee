import type { JsonSchema } from "../kit/wire.ts";
import { type FormIssues, SchemaForm } from "./schema-form.tsx";

interface CallFormProps {
  readonly label: string;
  /** Undefined where it takes nothing. */
  readonly schema: JsonSchema | undefined;
  readonly value: unknown;
  readonly issues: FormIssues;
  readonly isBusy: boolean;
  readonly onChange: (value: unknown) => void;
  readonly onRun: (event: Event) => Promise<void>;
  readonly place?: { current: HTMLFormElement | null };
  readonly children?: unknown;
}

/** A form that runs what it is filled in for. */
export function CallForm({ schema, isBusy, onRun, ...props }: CallFormProps) {
  const { label, value, issues, onChange, place, children } = props;
  return (
    <form
      class="card"
      ref={place}
      aria-label={label}
      novalidate
      onSubmit={(event: Event) => void onRun(event)}
    >
      {schema === undefined ? (
        <p class="muted">It takes no input.</p>
      ) : (
        <SchemaForm schema={schema} value={value} onChange={onChange} issues={issues} />
      )}
      <div class="row">
        <button type="submit" class="primary" aria-disabled={isBusy}>
          Run
        </button>
        {isBusy && <span class="spin" aria-hidden="true" />}
        {children}
      </div>
    </form>
  );
}
