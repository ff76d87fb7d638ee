import { isObject } from "./find-misfits.ts";
import { findObjects } from "./find-objects.ts";
import type { Call, Conversation, Seen } from "./model-conversation.ts";

/** The next act of the model: it calls something, or answers. */
export interface NextTurn {
  readonly text: string;
  readonly calls: readonly Call[];
}

interface Action {
  readonly tool: string;
  readonly args: object;
}

const BATCH = "execute_actions";

/** Say what comes next in a conversation: the first rule that fits its question has it. */
export function continueConversation(conversation: Conversation): NextTurn {
  return conversation.isPlanning ? planFor(conversation) : follow(conversation);
}

/** In words, what it would do if it might; it is asked before each round of `think-act`. */
function planFor(conversation: Conversation): NextTurn {
  const { text, calls } = follow({ ...conversation, offers: () => true });
  return answer(calls.length === 0 ? `I can answer now: ${text}` : `Next I call ${namesOf(calls)}.`);
}

function namesOf(calls: readonly Call[]): string {
  return calls.map(({ name }) => name).join(", ");
}

function follow(conversation: Conversation): NextTurn {
  const { question } = conversation;
  const batch = findObjects(question).find((text) => Array.isArray(parseActions(text)));
  if (batch !== undefined) return runBatch(batch, conversation);
  const calls = [...question.matchAll(/^\s*call\s+([^\s{]+)\s*(\{.*)$/gm)].map(
    ([, name = "", args = ""]) => ({
      name,
      args: args.trim(),
    }),
  );
  if (calls.length > 0) return runCalls(calls, conversation);
  if (/oil change|camry/i.test(question)) return planTrip(conversation);
  if (/in my outlook/i.test(question)) return tellMail(conversation);
  const place = findPlace(question);
  if (place !== undefined) return tellWeather(place, conversation);
  return answer(`You said: ${question}`);
}

function parseActions(text: string): unknown {
  return (JSON.parse(text) as { actions?: unknown }).actions;
}

/** Exactly the batch that was asked for, then what became of it. */
function runBatch(batch: string, { rounds, offers, seen }: Conversation): NextTurn {
  if (rounds === 0 && offers(BATCH)) return { text: "", calls: [{ name: BATCH, args: batch }] };
  const actions = (parseActions(batch) as unknown[]).filter(isObject);
  const calls = actions
    .map(({ tool, args = {} }) => ({ name: String(tool), args: JSON.stringify(args) }))
    .filter(({ name }) => offers(name));
  if (rounds === 0 && calls.length > 0) return { text: "", calls };
  return answer(summarise(seen));
}

/** Exactly these calls, offered or not, in one turn; then what became of them. */
function runCalls(calls: readonly Call[], { rounds, offers, isReact, seen }: Conversation): NextTurn {
  const mayCall = isReact || offers(BATCH) || calls.some(({ name }) => offers(name));
  return rounds === 0 && mayCall ? { text: "", calls } : answer(summarise(seen));
}

function summarise(seen: readonly Seen[]): string {
  if (seen.length === 0) return "I have called nothing.";
  const parts = seen.map(
    ({ tool, status, data }) => `${tool} ${SAID[status] ?? status}${quote(status, data)}`,
  );
  return `Of ${seen.length} ${seen.length === 1 ? "action" : "actions"}: ${parts.join("; ")}.`;
}

/** Nothing that has not happened is told as if it had. */
const SAID: Readonly<Record<string, string>> = {
  success: "succeeded",
  initiated: "is under way",
  pending_confirmation: "waits for a person's yes",
  skipped: "was skipped",
  error: "failed",
  unknown: "may or may not have happened",
};

const QUOTED = 120;

function quote(status: string, data: unknown): string {
  if (status !== "success" || data === undefined) return "";
  const json = JSON.stringify(data);
  return ` (${json.length <= QUOTED ? json : `${json.slice(0, QUOTED).toWellFormed()}…`})`;
}

/** The demo: look around, look closer at what was found, then act on it. */
function planTrip(conversation: Conversation): NextTurn {
  const steps = [lookAround, lookCloser, act];
  const step = steps[conversation.rounds];
  const next = step === undefined ? undefined : call(step(conversation), conversation);
  return next ?? answer(tellTrip(conversation));
}

function lookAround(): readonly Action[] {
  return [
    { tool: "google-maps-search", args: { query: "oil change near Phoenix, AZ", max_results: 2 } },
    { tool: "nhtsa-recall-search", args: { year: 2020, make: "Toyota", model: "Camry" } },
    { tool: "get_weather", args: { city: "Phoenix" } },
  ];
}

function lookCloser({ seen }: Conversation): readonly Action[] {
  const { shops, recalls } = readTrip(seen);
  const recall = recalls.recalls?.[0];
  const topics = [
    ...shops.map(({ name }) => `${name} reviews`),
    recall === undefined
      ? "2020 Toyota Camry recalls"
      : `2020 Toyota Camry recall ${recall.campaign ?? ""} ${recall.component ?? ""}`,
  ];
  return topics.map((query) => ({
    tool: "web-search",
    args: { query: query.trim().slice(0, 200), max_results: 2 },
  }));
}

function act({ question, seen }: Conversation): readonly Action[] {
  const { shop, where, count, weather } = readTrip(seen);
  const [to = "you@example.com"] = /[^\s@<>"',;]+@[^\s@<>"',;]+\.[a-z]{2,}/i.exec(question) ?? [];
  return [
    {
      tool: "send_email",
      args: {
        to: [to],
        subject: "Your Camry: oil change and recalls",
        body: `Oil change: ${shop}${where}\nSafety recalls of the 2020 Toyota Camry: ${count}\nWeather: ${weather}`,
      },
    },
    {
      tool: "add_calendar_event",
      args: {
        title: `Oil change at ${shop}`,
        start_time: "tomorrow at 9:00",
        duration: "1 hour",
        timezone: "America/Phoenix",
      },
    },
  ];
}

function tellTrip({ seen }: Conversation): string {
  if (seen.length === 0) return "I have not looked anything up yet.";
  const { shop, where, count, weather } = readTrip(seen);
  const told = [
    `For the oil change I suggest ${shop}${where}.`,
    `There are ${count} safety recalls of the 2020 Toyota Camry.`,
    `The weather in Phoenix: ${weather}.`,
  ];
  for (const { tool, status } of seen) {
    if (tool === "send_email")
      told.push(
        status === "initiated" || status === "success"
          ? "The mail with this summary is under way."
          : `The mail ${SAID[status] ?? status}.`,
      );
    if (tool === "add_calendar_event")
      told.push(
        status === "success"
          ? "The appointment is in your calendar, tomorrow at 9:00."
          : `The appointment ${SAID[status] ?? status}.`,
      );
  }
  return told.join(" ");
}

interface Shop {
  readonly name: string;
  readonly address?: string;
}

interface Recalls {
  readonly count?: number;
  readonly recalls?: readonly { readonly campaign?: string; readonly component?: string }[];
}

function readTrip(seen: readonly Seen[]) {
  const { places: shops = [] } = dataOf<{ places?: readonly Shop[] }>(seen, "google-maps-search");
  const recalls = dataOf<Recalls>(seen, "nhtsa-recall-search");
  const [first] = shops;
  return {
    shops,
    recalls,
    shop: first?.name ?? "a shop of your choice",
    where: first?.address === undefined ? "" : `, ${first.address}`,
    count: recalls.count ?? "an unknown number of",
    weather: sayWeather(seen),
  };
}

/** The last data that a tool gave; an empty object when it gave none. */
function dataOf<T extends object>(seen: readonly Seen[], name: string): Partial<T> {
  const data = seen.findLast(({ tool, status }) => tool === name && status === "success")?.data;
  return isObject(data) ? (data as Partial<T>) : {};
}

function sayWeather(seen: readonly Seen[]): string {
  const { current } = dataOf<{ current: { temperature_c?: number; condition?: string } }>(
    seen,
    "get_weather",
  );
  if (current?.temperature_c === undefined) return "not known";
  return `${current.temperature_c} °C${current.condition === undefined ? "" : `, ${current.condition}`}`;
}

const NO_PLACE =
  /^(?:weather|what|how|is|will|tell|give|show|the|i|please|and|celsius|fahrenheit)(?:['’]s)?(?: |$)/i;

/** Where the weather is asked for: what follows a preposition, or any other capitalised word. */
function findPlace(question: string): string | undefined {
  if (!/weather/i.test(question)) return undefined;
  const name = String.raw`\p{Lu}[\p{L}'’.-]*(?:,? \p{Lu}[\p{L}'’.-]*)*`;
  const [, after] = new RegExp(String.raw`\b(?:in|for|at|of|near)\s+(${name})`, "u").exec(question) ?? [];
  const others = question.match(new RegExp(name, "gu")) ?? [];
  const found = after ?? others.map((words) => words.replace(NO_PLACE, "")).find((word) => word !== "");
  return found?.replace(/[.'’-]+$/, "");
}

function tellWeather(city: string, conversation: Conversation): NextTurn {
  const { rounds, seen } = conversation;
  const next = rounds === 0 ? call([{ tool: "get_weather", args: { city } }], conversation) : undefined;
  return next ?? answer(`The weather in ${city}: ${sayWeather(seen)}.`);
}

/** Look for the mails that a question is about, in the mailbox of its person. */
function tellMail(conversation: Conversation): NextTurn {
  const { rounds, seen, question } = conversation;
  const [, query = "mail"] = /\bthe (\w+) in my outlook/i.exec(question) ?? [];
  const search = { tool: "search_outlook", args: { query } };
  const next = rounds === 0 ? call([search], conversation) : undefined;
  if (next !== undefined) return next;
  if (!seen.some(({ status }) => status === "success"))
    return answer("I cannot look: connect your Outlook first.");
  const { messages = [] } = dataOf<{ messages: readonly { readonly subject?: string }[] }>(
    seen,
    "search_outlook",
  );
  const [first] = messages;
  return answer(first === undefined ? "There is no such mail." : `Here it is: ${first.subject ?? ""}.`);
}

/** Call these in one batch, or each by itself where there is no tool for batches; nothing when there is none of them. */
function call(actions: readonly Action[], { offers }: Conversation): NextTurn | undefined {
  if (offers(BATCH)) return { text: "", calls: [{ name: BATCH, args: JSON.stringify({ actions }) }] };
  const calls = actions
    .filter(({ tool }) => offers(tool))
    .map(({ tool, args }) => ({ name: tool, args: JSON.stringify(args) }));
  return calls.length === 0 ? undefined : { text: "", calls };
}

function answer(text: string): NextTurn {
  return { text, calls: [] };
}
