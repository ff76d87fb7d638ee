import type { IndexPart } from "./read-index.ts";
import { addressOf } from "./site-pages.ts";

const ABOUT =
  "Volley runs a language model's tool calls as one batch: one call in, and exactly one result for every action, in the order asked. " +
  "It is a Cloudflare Worker with one Durable Object per tenant.";

/**
 * Make `/llms.txt`: every page in a line.
 *
 * Source: https://llmstxt.org
 */
export function makeLlmsIndex(parts: readonly IndexPart[]): string {
  const sections = parts.map(({ title, groups }) => {
    const lines = groups.flatMap(({ pages }) =>
      pages.map(
        ({ title: name, file, about }) =>
          `- [${name}](/docs/${addressOf(file)})${about === "" ? "" : `: ${about}`}`,
      ),
    );
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  return `# Volley\n\n> ${ABOUT}\n\nAll pages as one text: [llms-full.txt](/llms-full.txt). The API: \`GET /openapi.json\` with a key.\n\n${sections.join("\n\n")}\n`;
}

/** Make `/llms-full.txt`: the pages themselves, one after the other, each under the address that it has in the site. */
export function makeLlmsFull(files: readonly string[], texts: ReadonlyMap<string, string>): string {
  return files.map((file) => `<!-- /docs/${addressOf(file)} -->\n\n${texts.get(file)!.trim()}\n`).join("\n");
}
