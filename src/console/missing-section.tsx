import { hrefTo } from "./kit/route.ts";
import type { Section, SectionPage } from "./kit/section.ts";
import { Title } from "./parts/title.tsx";

interface MissingSectionProps {
  readonly section: Section;
  /** The flags of the key, where they are known. */
  readonly flags: readonly string[] | null;
  /** Where one starts. */
  readonly start: SectionPage;
}

/** An address of a section that this Worker does not have. */
export function MissingSection({ section: { page, feature, flag }, flags, start }: MissingSectionProps) {
  return (
    <div class="stack">
      <Title text={page!.title} />
      <p class="note tone-idle" role="status">
        {flag === undefined || flags?.includes(flag) === true ? (
          <>
            This Worker has no section {page!.title}, because it does not list the feature{" "}
            <code>{feature}</code>.{" "}
          </>
        ) : (
          <>
            The section {page!.title} is for keys with the flag <code>{flag}</code>.{" "}
          </>
        )}
        <a href={hrefTo(start.name)}>Go to {start.title}</a>
      </p>
    </div>
  );
}
