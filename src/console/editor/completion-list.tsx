import { useEffect, useRef } from "../kit/jsx-hooks.ts";
import type { Suggestion } from "./complete.ts";

/** Where the list stands in the editor, in pixels. */
export interface ListPlace {
  readonly left: number;
  readonly top: number;
  readonly isAbove: boolean;
}

interface CompletionListProps {
  readonly id: string;
  readonly items: readonly Suggestion[];
  readonly active: number;
  readonly place: ListPlace;
  readonly onChoose: (index: number) => void;
}

/** The suggestions for the cursor's place. The focus stays in the text: the active one is told to it by its id. */
export function CompletionList({ id, items, active, place, onChoose }: CompletionListProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active, items]);
  const help = items[active]?.help ?? "";
  const { left, top, isAbove } = place;
  return (
    <div
      class={`completion ${isAbove ? "above" : ""}`}
      style={{ left: `${left}px`, top: `${top}px` }}
      onMouseDown={(event: Event) => event.preventDefault()}
    >
      <ul id={id} role="listbox" aria-label="Suggestions" ref={list}>
        {items.map(({ label, detail }, index) => (
          <li
            key={`${index} ${label}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active ? "true" : "false"}
            onClick={() => onChoose(index)}
          >
            <bdi class="mono">{label}</bdi> <bdi class="muted small">{detail}</bdi>
          </li>
        ))}
      </ul>
      {help !== "" && (
        <p class="small muted" dir="auto">
          {help}
        </p>
      )}
    </div>
  );
}
