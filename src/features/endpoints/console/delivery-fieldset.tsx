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
        <TextField
          id="endpoint-filter"
          class="mono"
          rows={3}
          wrong={wrong.filter}
          label="Filter, as JSON"
          placeholder='{"/total": {"gte": 100}}'
          value={texts.filter}
          help="Tests of the event's data by JSON pointer: eq, ne, in, gt, gte, lt, lte, exists. All are required."
        />
        <div class="row">
          <TextField
            id="endpoint-limit"
            label="Deliveries at most"
            wrong={wrong.limit}
            type="number"
            min="1"
            max="100000"
            value={texts.limit}
          />
          <TextField
            id="endpoint-window"
            label="in seconds"
            type="number"
            min="1"
            max="3600"
            placeholder="1"
            value={texts.windowS}
          />
        </div>
        <TextField
          id="endpoint-headers"
          class="mono"
          rows={3}
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
