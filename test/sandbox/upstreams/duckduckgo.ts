import { SITES } from "./brave-search.ts";
import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 110;

const PARAMETERS: Readonly<Record<string, readonly string[] | null>> = {
  q: null,
  t: null,
  format: ["json", "xml"],
  pretty: ["0", "1"],
  no_redirect: ["0", "1"],
  no_html: ["0", "1"],
  skip_disambig: ["0", "1"],
};

/**
 * Answer as DuckDuckGo's Instant Answers: https://duckduckgo.com/api. JSON comes as a script's type, a query of arithmetic has an
 * answer, one with `nowhere` none, and one with `throttled` gets the empty 202 of a caller that asks too often.
 */
export async function answerDuckDuckGo(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  const { pathname, searchParams } = new URL(request.url);
  if (pathname !== "/") return refuse(404);
  if (request.method !== "GET") return refuse(405);
  for (const [name, value] of searchParams) {
    const values = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    if (values === undefined || (values !== null && !values.includes(value))) return refuse(400);
  }
  const query = (searchParams.get("q") ?? "").trim();
  if (query === "") return refuse(400);
  // It answers with a page unless it is asked for data.
  if (searchParams.get("format") !== "json")
    return new Response("<!DOCTYPE html><title>DuckDuckGo</title>", {
      headers: { "content-type": "text/html" },
    });
  const bang = /^!\w+\s+(.*)$/.exec(query)?.[1];
  if (bang !== undefined && searchParams.get("no_redirect") !== "1")
    return new Response(null, { status: 303, headers: { location: `https://${SITES[0]!.host}/` } });
  if (/\bthrottled\b/i.test(query)) return new Response("", { status: 202, headers: TYPE });
  return new Response(JSON.stringify(answer(query, searchParams.get("no_html") === "1")), { headers: TYPE });
}

const TYPE = { "content-type": "application/x-javascript" };

const NOTHING = {
  Abstract: "",
  AbstractSource: "",
  AbstractText: "",
  AbstractURL: "",
  Answer: "",
  AnswerType: "",
  Definition: "",
  DefinitionSource: "",
  DefinitionURL: "",
  Entity: "",
  Heading: "",
  Image: "",
  ImageHeight: 0,
  ImageIsLogo: 0,
  ImageWidth: 0,
  Infobox: "",
  Redirect: "",
  RelatedTopics: [] as readonly object[],
  Results: [] as readonly object[],
  Type: "",
  meta: null,
};

function answer(query: string, plain: boolean): object {
  if (/\bnowhere\b/i.test(query) || query.startsWith("!")) return NOTHING;
  const sum = /^(\d{1,6}) ?\+ ?(\d{1,6})$/.exec(query);
  if (sum !== null)
    return { ...NOTHING, Answer: String(Number(sum[1]) + Number(sum[2])), AnswerType: "calc", Type: "E" };
  // A value that its page would calculate by itself comes as an object.
  if (/^timer\b/i.test(query))
    return { ...NOTHING, Answer: { from: "timer", id: "timer", result: "" }, Type: "E" };
  const seeded = new Seeded(query.toLowerCase());
  const slug = query.replaceAll(/[^\p{L}\p{N}]+/gu, "_").slice(0, 60);
  const text = `${query} is what ${seeded.int(12, 900)} of our readers looked up${plain ? "" : " <b>this week</b>"}.`;
  const topic = (name: string, path: string): object => ({
    FirstURL: `https://duckduckgo.com/${encodeURIComponent(path)}`,
    Icon: { Height: "", URL: "", Width: "" },
    Result: `<a href="https://duckduckgo.com/${encodeURIComponent(path)}">${escapeHtml(name)}</a> What is near it &amp; known.`,
    Text: `${name} - What is near it & known.`,
  });
  return {
    ...NOTHING,
    Abstract: text,
    AbstractText: text,
    AbstractSource: "Encyclopedia",
    AbstractURL: `https://encyclopedia.example/wiki/${encodeURIComponent(slug)}`,
    Heading: query,
    Results: [
      {
        FirstURL: `https://www.reviews.example/${encodeURIComponent(slug)}`,
        Icon: { Height: 16, URL: "/i/reviews.example.ico", Width: 16 },
        Result: `<a href="https://www.reviews.example/"><b>Official site</b></a>`,
        Text: "Official site",
      },
    ],
    RelatedTopics: [
      topic(`${query} (history)`, `${slug}_history`),
      topic(`${query} (people)`, `${slug}_people`),
      {
        Name: "See also",
        Topics: [topic("Everything else", "c/Everything"), topic("List of lists", "List_of_lists")],
      },
    ],
    Type: "A",
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function refuse(status: number): Response {
  return new Response("<!DOCTYPE html><title>DuckDuckGo</title>", {
    status,
    headers: { "content-type": "text/html" },
  });
}
