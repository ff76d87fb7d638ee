import { writeDeliveryTexts } from "./read-delivery-fields.ts";
import type { WireEndpoint } from "./wire.ts";

/** The fields about what is delivered, and how: folded away where an endpoint has none of them. */
export function DeliveryFieldset({ known }: { readonly known: WireEndpoint | null }) {
  const texts = writeDeliveryTexts(known);
  const isOpen = Object.values(texts).some((text) => text !== "");
  return (
    <details class="fold" open={isOpen}>
      <summary>Filter, rate and headers</summary>
      <div class="stack">
        <div class="field">
          <label for="endpoint-filter">Only where, as JSON</label>
          <textarea
            id="endpoint-filter"
            name="filter"
            class="mono"
            rows={3}
            spellcheck={false}
            placeholder='{"/total": {"gte": 100}}'
            value={texts.filter}
            aria-describedby="endpoint-filter-help"
          />
          <p class="help" id="endpoint-filter-help">
            Tests of the event's data by JSON pointer: eq, ne, in, gt, gte, lt, lte, exists. All are required.
          </p>
        </div>
        <div class="row">
          <div class="field">
            <label for="endpoint-limit">Deliveries at most</label>
            <input id="endpoint-limit" name="limit" type="number" min="1" max="100000" value={texts.limit} />
          </div>
          <div class="field">
            <label for="endpoint-window">in seconds</label>
            <input
              id="endpoint-window"
              name="window"
              type="number"
              min="1"
              max="3600"
              placeholder="1"
              value={texts.windowS}
            />
          </div>
        </div>
        <div class="field">
          <label for="endpoint-headers">Headers, one on a line</label>
          <textarea
            id="endpoint-headers"
            name="headers"
            class="mono"
            rows={3}
            spellcheck={false}
            placeholder="x-env: prod"
            value={texts.headers}
            aria-describedby="endpoint-headers-help"
          />
          <p class="help" id="endpoint-headers-help">
            They are sent with each delivery, besides those that sign it.
          </p>
        </div>
      </div>
    </details>
  );
}
