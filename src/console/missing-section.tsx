import { hrefTo } from "./kit/route.ts";
import type { Section, SectionPage } from "./kit/section.ts";
import { Title } from "./parts/title.tsx";

interface MissingSectionProps {
  readonly section: Section;
  /** Where one starts. */
  readonly start: SectionPage;
}

/** An address of a section that this Worker does not have. */
export function MissingSection({ section: { page, feature }, start }: MissingSectionProps) {
  return (
    <div class="stack">
      <Title text={page!.title} />
      <p class="note tone-idle" role="status">
        This Worker has no section {page!.title}, because it does not list the feature <code>{feature}</code>.{" "}
        <a href={hrefTo(start.name)}>Go to {start.title}</a>
      </p>
    </div>
  );
}
