import { JsonView } from "../../../console/parts/json-view.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { useEventTypes } from "./door.ts";

/** The described types of events, with an example each. */
export function TypeList() {
  const loaded = useEventTypes();
  const types = loaded.data ?? [];
  return (
    <div class="stack">
      <Pending of={loaded} what="the types of events" />
      {loaded.data !== null && types.length === 0 && (
        <Empty key="none" title="No type of event is described">
          Events are published all the same, under types that are agreed on elsewhere.
        </Empty>
      )}
      {types.map(({ type, description, example }) => (
        <section key={type} class="card" aria-label={type}>
          <h2>
            <bdi class="mono">{type}</bdi>
          </h2>
          <p dir="auto">{description}</p>
          {example !== undefined && <JsonView key="example" value={example} label={`Example of ${type}`} />}
        </section>
      ))}
    </div>
  );
}
