import { TextField } from "../../../console/parts/text-field.tsx";
import type { Faults } from "../../../console/kit/use-send.ts";
import { writeDeliveryTexts } from "./read-delivery-fields.ts";
import type { WireEndpoint } from "./wire-endpoints.ts";

interface DeliveryFieldsetProps {
  readonly known: WireEndpoint | null;
  readonly faults: Faults;
}

/** The fields about what is delivered, and how: folded away where an endpoint has none of them. */
export function DeliveryFieldset({ known, faults }: DeliveryFieldsetProps) {
  const texts = writeDeliveryTexts(known);
  const wrong = {
    filter: faults.of("filter"),
    limit: faults.of("rate_limit"),
    headers: faults.of("headers"),
  };
  const isOpen = [...Object.values(texts), ...Object.values(wrong)].some((text) => text);
  return (
    <details class="fold" open={isOpen}>
      <summary>Filter, rate and headers</summary>
      <div class="stack">
        <LongField
          name="filter"
          wrong={wrong.filter}
          label="Filter, as JSON"
          placeholder='{"/total": {"gte": 100}}'
          value={texts.filter}
          help="Tests of the event's data by JSON pointer: eq, ne, in, gt, gte, lt, lte, exists. All are required."
        />
        <div class="row">
          <TextField
            id="endpoint-limit"
            name="limit"
            label="Deliveries at most"
            wrong={wrong.limit}
            type="number"
            min="1"
            max="100000"
            value={texts.limit}
          />
          <TextField
            id="endpoint-window"
            name="window"
            label="in seconds"
            type="number"
            min="1"
            max="3600"
            placeholder="1"
            value={texts.windowS}
          />
        </div>
        <LongField
          name="headers"
          wrong={wrong.headers}
          label="Headers, one on a line"
          placeholder="x-env: prod"
          value={texts.headers}
          help="They are sent with each delivery, besides those that sign it."
        />
      </div>
    </details>
  );
}

interface LongFieldProps {
  readonly name: string;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly wrong: string | undefined;
  readonly help: string;
}

function LongField({ name, label, placeholder, value, wrong, help }: LongFieldProps) {
  const id = `endpoint-${name}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        class="mono"
        rows={3}
        spellcheck={false}
        placeholder={placeholder}
        value={value}
        aria-describedby={`${id}-help`}
        aria-invalid={wrong === undefined ? undefined : "true"}
      />
      {wrong !== undefined && (
        <p key="wrong" class="wrong" role="alert">
          {wrong}
        </p>
      )}
      <p class="help" id={`${id}-help`}>
        {help}
      </p>
    </div>
  );
}
