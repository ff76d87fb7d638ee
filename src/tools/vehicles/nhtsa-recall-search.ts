import * as z from "zod/mini";

import { defineTool, type ToolContext, type UpstreamResponse } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { lazySchema, looseSchema } from "../../core/contract/lazy-schema.ts";
import { attempt } from "../../core/kit/result.ts";
import { cutText } from "../kit/cut-text.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { textArgument, fanOut } from "../kit/arguments.ts";

const MAX_RECALLS = 20;

/** A flag comes as a boolean from the service itself and as `"True"` or `"Yes"` from its mirrors. */
const flagSchema = lazySchema(() => z.nullish(z.union([z.boolean(), z.string()])));

const recallSchema = looseSchema(() => ({
  NHTSACampaignNumber: z.string(),
  Component: z.nullish(z.string()),
  /** `dd/mm/yyyy`. */
  ReportReceivedDate: z.nullish(z.string()),
  Summary: z.nullish(z.string()),
  Consequence: z.nullish(z.string()),
  Remedy: z.nullish(z.string()),
  parkIt: flagSchema(),
  parkOutSide: flagSchema(),
}));

const answerSchema = looseSchema(() => ({
  Count: z.int().check(z.minimum(0)),
  results: z.array(recallSchema()),
}));

/**
 * Find a vehicle's safety recalls with the recalls API of the US road-safety authority; it needs no key.
 *
 * Source: https://www.nhtsa.gov/nhtsa-datasets-and-apis#recalls
 */
export const nhtsaRecallSearch = defineTool({
  name: "nhtsa-recall-search",
  summary: "Find US safety recalls of a vehicle by model year, make and model",
  description:
    "List the safety recalls NHTSA knows for a vehicle, newest first, each with campaign, component, date, and shortened " +
    "summary, consequence and remedy; `park_it` warns not to drive it, `park_outside` of fire. `count` is how many there " +
    "are in all. Size: about 200 tokens per recall, never over 300, at most 20 recalls.",
  category: "vehicles",
  actions: ["search"],
  isWrite: false,
  input: () =>
    z.strictObject({
      year: z.int().check(z.minimum(1949), z.maximum(2100), z.describe("Model year, e.g. 2020.")),
      make: textArgument(50, "Manufacturer, e.g. 'Toyota'."),
      model: textArgument(50, "Model without trim level, e.g. 'Camry'."),
    }),
  hosts: ["api.nhtsa.gov"],
  typicalTokens: 800,
  // A public service without keys or published limits: five at a time is polite.
  orchestration: fanOut(5, 500),
  run: async ({ year, make, model }, ctx) => {
    const url = new URL("https://api.nhtsa.gov/recalls/recallsByVehicle");
    url.search = new URLSearchParams({ make, model, modelYear: String(year) }).toString();
    const response = await fetchUnlessEmpty(url, ctx);
    if (response === null) return noRecalls();
    const { Count, results } = parseUpstream(answerSchema(), response);
    if (results.length === 0) return noRecalls();
    const recalls = results.map(toRecall).toSorted((a, b) => b.date.localeCompare(a.date));
    return { count: Count, recalls: recalls.slice(0, MAX_RECALLS) };
  },
});

/**
 * Fetch, or null when the service has nothing: it answers 400 with an empty list then. All three parameters are always
 * sent, so a 400 has no other meaning; a model that saw an upstream error would tell the user that the search failed.
 */
async function fetchUnlessEmpty(url: URL, ctx: ToolContext): Promise<UpstreamResponse | null> {
  const fetched = await attempt(() => ctx.fetch(url));
  if (fetched.ok) return fetched.value;
  const { error } = fetched;
  if (error instanceof ToolFailure && error.failure.upstreamStatus === 400) return null;
  throw error;
}

/** An unknown vehicle and one without recalls look the same to NHTSA; a safety answer must not hide that. */
function noRecalls(): object {
  return {
    count: 0,
    recalls: [],
    note: "NHTSA lists no recalls under exactly this year, make and model; a misspelt vehicle gives the same answer.",
  };
}

function toRecall(recall: z.output<ReturnType<typeof recallSchema>>) {
  return {
    campaign: recall.NHTSACampaignNumber,
    component: cutText(recall.Component ?? "", 100),
    date: toIsoDate(recall.ReportReceivedDate ?? ""),
    summary: cutText(recall.Summary ?? "", 400),
    consequence: cutText(recall.Consequence ?? "", 200),
    remedy: cutText(recall.Remedy ?? "", 250),
    ...(isSet(recall.parkIt) && { park_it: true }),
    ...(isSet(recall.parkOutSide) && { park_outside: true }),
  };
}

function toIsoDate(date: string): string {
  const [, day, month, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(date) ?? [];
  return year === undefined ? cutText(date, 30) : `${year}-${month}-${day}`;
}

function isSet(flag: z.output<ReturnType<typeof flagSchema>>): boolean {
  return flag === true || (typeof flag === "string" && /^(true|yes|y)$/i.test(flag));
}
