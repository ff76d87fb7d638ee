/** Date the section of a version in a changelog. Throws where there is none that waits to be released. */
export function dateChangelog(text: string, version: string, date: string): string {
  const heading = `## ${version} (unreleased)`;
  if (!text.includes(`\n${heading}\n`))
    throw new Error(`CHANGELOG.md has no section '${heading}': write what changed, and an upgrade note.`);
  return text.replace(heading, `## ${version} (${date})`);
}

/** The section of a version, without its heading. */
export function readSection(text: string, version: string): string {
  const [, after = ""] = text.split(new RegExp(`^## ${version.replaceAll(".", "\\.")} \\(.*\\)\\n`, "m"));
  const [section = ""] = after.split(/^## /m);
  return section.trim();
}
