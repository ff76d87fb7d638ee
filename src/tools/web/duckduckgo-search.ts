import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { cutText } from "../kit/cut-text.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { plainText } from "../kit/html-entities.ts";
import { textArgument, fanOut } from "../kit/arguments.ts";

const MAX_RESULTS = 8;
/** Longer links are trackers; cutting one would break it, so its result is left out. */
const MAX_URL_LENGTH = 400;
/** How it says that it was asked too often: with a success that has no answer. */
const ACCEPTED = 202;

const topicSchema = looseSchema(() => ({
  FirstURL: z.string(),
  Text: z.string(),
  Result: z.nullish(z.string()),
}));

/** An unknown field is an empty text. An answer that its page would calculate is an object, which says nothing here. */
const answerSchema = looseSchema(() => {
  const text = z.nullish(z.string());
  const topic = topicSchema();
  return {
    Heading: text,
    AbstractText: z.string(),
    AbstractURL: text,
    Answer: z.optional(z.unknown()),
    Definition: text,
    DefinitionURL: text,
    Results: z.nullish(z.array(topic)),
    /** Topics, and groups of them under a name. */
    RelatedTopics: z.array(z.union([topic, z.looseObject({ Topics: z.array(topic) })])),
  };
});

type Answer = z.output<ReturnType<typeof answerSchema>>;

interface Result {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/**
 * Look something up with DuckDuckGo's Instant Answers, which need no key: what a thing is, and pages about it. It is no list
 * of search results, and finds nothing for most questions.
 *
 * Source: https://duckduckgo.com/api
 */
export const duckduckgoSearch = defineTool({
  name: "duckduckgo-search",
  summary: "Look up a thing, person or term: a short answer and links",
  description:
    "DuckDuckGo Instant Answers: a short answer about a well-known thing, person, place or term, and pages about it as title, " +
    "url, snippet. Use a name ('Phoenix, Arizona'), not a question; results are empty where there is no such topic. No key is " +
    "needed. Size: about 60 tokens per result, at most 8, and 150 for the answer.",
  category: "web",
  actions: ["search"],
  isWrite: false,
  input: () => z.strictObject({ query: textArgument(400, "The term to look up, best a name.") }),
  hosts: ["api.duckduckgo.com"],
  timeoutMs: 8_000,
  typicalTokens: 350,
  // It names no limit, and answers 202 to a caller that asks much faster than this.
  orchestration: fanOut(3, 1_000),
  run: async ({ query }, ctx) => {
    const url = new URL("https://api.duckduckgo.com/");
    // Without `no_redirect` a query that begins with a bang is answered by another host.
    const options = { format: "json", no_html: "1", no_redirect: "1", skip_disambig: "1" };
    url.search = new URLSearchParams({ q: query, ...options }).toString();
    const response = await ctx.fetch(url);
    if (response.status === ACCEPTED)
      throw new ToolFailure("RATE_LIMITED", {
        upstreamStatus: ACCEPTED,
        hint: "DuckDuckGo answers no more for a while; wait before trying again, or use another search.",
      });
    const answer = parseUpstream(answerSchema(), response);
    const said = [answer.Answer, answer.AbstractText, answer.Definition].find(isWritten);
    return {
      ...(said !== undefined && { answer: cutText(plainText(said), 600) }),
      results: listResults(answer),
    };
  },
});

function isWritten(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The source of the answer comes first, then pages of the thing itself, then pages near it; no page twice. */
function listResults(answer: Answer): Result[] {
  const { Heading, AbstractText, AbstractURL, Definition, DefinitionURL } = answer;
  const related = answer.RelatedTopics.flatMap((topic) =>
    "Topics" in topic ? (topic.Topics as Topic[]) : [topic],
  );
  const found = [
    { title: Heading ?? "", url: AbstractURL ?? "", snippet: AbstractText },
    { title: Heading ?? "", url: DefinitionURL ?? "", snippet: Definition ?? "" },
    ...[...(answer.Results ?? []), ...related].map(toResult),
  ];
  const byUrl = new Map<string, Result>();
  for (const { title, url, snippet } of found) {
    if (byUrl.size === MAX_RESULTS) break;
    if (!/^https?:\/\//.test(url) || url.length > MAX_URL_LENGTH || byUrl.has(url)) continue;
    byUrl.set(url, { title: cutText(plainText(title), 120), url, snippet: cutText(plainText(snippet), 200) });
  }
  return [...byUrl.values()];
}

type Topic = z.output<ReturnType<typeof topicSchema>>;

/** A topic's name is the text of the link that its result begins with; its text begins with the name as well. */
function toResult({ FirstURL: url, Text, Result: html }: Topic): Result {
  const name = /^<a [^>]{0,1000}>([^<]{1,200})<\/a>/.exec(html ?? "")?.[1] ?? "";
  const text = Text.slice(0, 1_000);
  const rest =
    name !== "" && text.startsWith(name)
      ? text.slice(name.length).replace(/^\s*[-\u2013\u2014:]?\s*/, "")
      : text;
  return name === "" ? { title: cutText(text, 60), url, snippet: text } : { title: name, url, snippet: rest };
}
