import { useLayoutEffect, useRef } from "../../../console/kit/jsx-hooks.ts";
import { hrefTo } from "../../../console/kit/route.ts";
import { JsonView } from "../../../console/parts/json-view.tsx";
import { Empty, Pending } from "../../../console/parts/notes.tsx";
import { Paragraph } from "../../../console/parts/problem-note.tsx";
import { useEventTypes } from "./access.ts";
import { VERIFY_CODE } from "./verify-code.ts";

/** The lists of a page, each with its name in the address; the first has none. */
export type Tabs = readonly (readonly [view: string, title: string])[];

/** Links to the lists that belong together. On a phone they are wider than the page, and the current one is brought into sight. */
export function SectionTabs({ tabs, current }: { readonly tabs: Tabs; readonly current: string }) {
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const place = row.current!;
    const link = place.querySelector<HTMLElement>('[aria-current="page"]');
    if (link !== null) place.scrollLeft = link.offsetLeft - (place.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return (
    <nav class="tabs" aria-label="Lists" ref={row}>
      {tabs.map(([view, title]) => (
        <a
          key={view}
          href={hrefTo("endpoints", null, { view })}
          aria-current={view === current ? "page" : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

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
          <Paragraph text={description} />
          {example !== undefined && <h3 key="title">Example</h3>}
          {example !== undefined && <JsonView key="example" value={example} label={`Example of ${type}`} />}
        </section>
      ))}
    </div>
  );
}

/** How a receiver knows that a delivery is genuine, in the languages that most are written in. */
export function VerifyList() {
  return (
    <section class="stack tight" aria-label="Receive">
      <p>
        Each delivery is signed with the secret that was shown once when its endpoint was made. Verify it with
        the bytes of the body, before you read them as JSON. Then answer 2xx within 15 seconds; a delivery may
        come twice, with the same <code>webhook-id</code>.
      </p>
      {VERIFY_CODE.map(([language, code], at) => (
        <details key={language} class="card" open={at === 0}>
          <summary>{language}</summary>
          <pre class="answer" tabindex={0} aria-label={`Verify in ${language}`}>
            {code}
          </pre>
        </details>
      ))}
    </section>
  );
}
