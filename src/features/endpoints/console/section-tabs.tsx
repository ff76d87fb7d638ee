import { hrefTo } from "../../../console/kit/route.ts";

/** The lists of a page, each with its name in the address; the first has none. */
export type Tabs = readonly (readonly [view: string, title: string])[];

interface SectionTabsProps {
  readonly tabs: Tabs;
  readonly current: string;
}

/** Links to the lists that belong together. */
export function SectionTabs({ tabs, current }: SectionTabsProps) {
  return (
    <nav class="tabs" aria-label="Lists">
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
