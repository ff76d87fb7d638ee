import type { ModelCall } from "../../../test/sandbox/upstreams/model-reply.ts";
import type { Question, Way } from "./measure-loop.ts";

/** Lookups that need nothing of each other, and in which words each tool is looked for. */
const LOOKUPS = [
  {
    tool: "google-maps-search",
    args: { query: "oil change near Phoenix, AZ" },
    query: "find businesses on a map",
  },
  {
    tool: "nhtsa-recall-search",
    args: { year: 2020, make: "Toyota", model: "Camry" },
    query: "vehicle recalls",
  },
  { tool: "web-search", args: { query: "2020 Toyota Camry common issues" }, query: "search the web" },
  { tool: "gas-prices", args: { state: "AZ", product: "regular" }, query: "gasoline prices" },
  { tool: "get_weather", args: { city: "Phoenix" }, query: "weather" },
];

export const LOOKUP_QUESTION: Question = {
  asked:
    "I drive a 2020 Toyota Camry. Find me an oil change near Phoenix, AZ, tell me of its recalls, and which issues are common.",
  answer:
    "Northside Oil Change Express (9736 W 7th St) is open now. There are four recalls of the 2020 Camry; have the brakes " +
    "(23V466000) looked at first. Owners write most of its brakes and its fuel pump.",
};

/** The ways to make so many of those lookups. */
export function waysToLookUp(count: number): readonly Way[] {
  const lookups = LOOKUPS.slice(0, count);
  const calls = lookups.map(({ tool, args }): ModelCall => ({ name: tool, args }));
  const inBatch = batch(lookups.map(({ tool, args }) => ({ tool, args })));
  return [
    {
      name: "your loop, one call at a time",
      surface: "flat",
      isOwnLoop: true,
      rounds: calls.map((call) => [call]),
    },
    { name: "your loop, calls in parallel", surface: "flat", isOwnLoop: true, rounds: [calls] },
    { name: "Volley, `flat`", surface: "flat", isOwnLoop: false, rounds: [calls] },
    { name: "Volley, `batch`", surface: "batch", isOwnLoop: false, rounds: [[inBatch]] },
    {
      name: "Volley, `meta`",
      surface: "meta",
      isOwnLoop: false,
      rounds: [[find(lookups.map(({ query }) => query))], [inBatch]],
    },
  ];
}

export const CHAIN_QUESTION: Question = {
  asked:
    "Find two places for an oil change near Phoenix, AZ, read what people say of each, and mail me the first one's address.",
  answer:
    "I found Northside and Union Oil Change Express, and the mail with the first one's address is under way.",
};

/** The README's example: places are found, looked up and mailed. */
const SHOPS = { query: "oil change near Phoenix, AZ", max_results: 2 };
const REVIEWS = ["Northside Oil Change Express", "Union Oil Change Express"].map((shop): ModelCall => ({
  name: "web-search",
  args: { query: `${shop} reviews`, max_results: 1 },
}));
const MAIL: ModelCall = {
  name: "send_email",
  args: {
    to: ["you@example.com"],
    subject: "Northside Oil Change Express",
    body: "9736 W 7th St, Phoenix, AZ 85067, USA: Northside Oil Change Express reviews: problems people report and how they fixed them",
  },
};
const CHAIN = batch([
  { id: "shops", tool: "google-maps-search", args: SHOPS },
  {
    id: "reviews",
    tool: "web-search",
    for_each: { $ref: "shops#/places" },
    args: { query: { $template: "{{item#/name}} reviews" }, max_results: 1 },
  },
  {
    id: "mail",
    tool: "send_email",
    args: {
      to: ["you@example.com"],
      subject: { $ref: "shops#/places/0/name" },
      body: { $template: "{{shops#/places/0/address}}: {{reviews#/0/data/results/0/title}}" },
    },
  },
]);

/** The ways to take steps that need each other's results. */
export const WAYS_THROUGH_A_CHAIN: readonly Way[] = [
  {
    name: "your loop, one call at a time",
    surface: "flat",
    isOwnLoop: true,
    rounds: [[{ name: "google-maps-search", args: SHOPS }], ...REVIEWS.map((call) => [call]), [MAIL]],
  },
  {
    name: "your loop, calls in parallel",
    surface: "flat",
    isOwnLoop: true,
    rounds: [[{ name: "google-maps-search", args: SHOPS }], REVIEWS, [MAIL]],
  },
  {
    name: "Volley, `flat`",
    surface: "flat",
    isOwnLoop: false,
    rounds: [[{ name: "google-maps-search", args: SHOPS }], REVIEWS, [MAIL]],
  },
  { name: "Volley, `batch`", surface: "batch", isOwnLoop: false, rounds: [[CHAIN]] },
  {
    name: "Volley, `meta`",
    surface: "meta",
    isOwnLoop: false,
    rounds: [[find(["find businesses on a map", "search the web", "send an email"])], [CHAIN]],
  },
];

function batch(actions: readonly object[]): ModelCall {
  return { name: "execute_actions", args: { actions } };
}

/** The first question of a model that has been told of no tool. */
function find(queries: readonly string[]): ModelCall {
  return { name: "discover_tools", args: { queries, detail: "schema" } };
}
