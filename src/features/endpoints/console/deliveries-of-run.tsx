import { useLoad } from "../../../console/kit/use-load.ts";
import { DeliveryList } from "./delivery-list.tsx";
import type { WireDelivery } from "./wire.ts";

/** The tool that publishes events. */
const PUBLISHES = "publish_event";

interface DeliveriesOfRunProps {
  readonly id: string;
  readonly tools: readonly string[];
}

/** The deliveries of the events that a run published; nothing where it published none. */
export function DeliveriesOfRun({ id, tools }: DeliveriesOfRunProps) {
  const path = `/v1/deliveries?limit=1&run=${encodeURIComponent(id)}`;
  const { data } = useLoad<{ readonly deliveries: readonly WireDelivery[] }>(
    tools.includes(PUBLISHES) ? path : null,
  );
  if (data === null || data.deliveries.length === 0) return null;
  return (
    <section class="stack tight" aria-label="Deliveries of its events">
      <h2>Deliveries of its events</h2>
      <DeliveryList of={{ run: id }} />
    </section>
  );
}
