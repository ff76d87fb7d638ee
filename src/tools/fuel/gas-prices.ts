import * as z from "zod/mini";

import { fanOut } from "../kit/arguments.ts";
import { defineTool } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { toMisfit } from "../../core/contract/issues.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { visibleText } from "../../core/kit/visible-text.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { findPlace, NATION, nearestStates, type PriceArea, type PricePlace } from "./price-areas.ts";

/** The EIA's codes of what is sold, all formulations together. */
const CODES = { regular: "EPMR", midgrade: "EPMM", premium: "EPMP", diesel: "EPD2D" } as const;
type Product = keyof typeof CODES;
const PRODUCTS = Object.keys(CODES) as [Product, ...Product[]];
/** This week's price and the one before; one more week, because areas are not all there at the same hour. */
const WEEKS = 3;

const answerSchema = looseSchema(() => ({
  response: z.looseObject({
    data: z.array(
      z.looseObject({
        /** The Monday that the price is of. */
        period: z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/)),
        duoarea: z.string(),
        product: z.string(),
        /** Dollars per gallon, as text or as a number; null in a week without a survey. */
        value: z.nullable(z.union([z.string().check(z.regex(/^\d{1,3}(?:\.\d+)?$/)), z.number()])),
      }),
    ),
  }),
}));

type Row = z.output<ReturnType<typeof answerSchema>>["response"]["data"][number];

interface Price {
  readonly product: Product;
  readonly price: number;
  readonly week_of: string;
  readonly change_from_week_before?: number;
  readonly area: string;
}

/**
 * Tell what gasoline and diesel cost at the pump, with the weekly survey of the US Energy Information Administration.
 *
 * Source: https://www.eia.gov/opendata/browser/petroleum/pri/gnd
 */
export const gasPrices = defineTool({
  name: "gas-prices",
  summary: "Weekly US gasoline and diesel prices, by state",
  description:
    "Average US retail prices of gasoline and diesel in dollars per gallon, of the latest weekly survey (Mondays): of a state, " +
    "or of the country without one. Nine states have prices of their own; for the others, and for diesel outside California, " +
    "it gives those of their region and says so. No single stations. Size: about 40 tokens per product, 4 products at most.",
  category: "fuel",
  isWrite: false,
  input: () =>
    z.strictObject({
      state: z
        .optional(z.string().check(z.trim(), z.minLength(2), z.maxLength(40)))
        .check(z.describe("US state, by name or postal code.")),
      product: z.optional(z.enum(PRODUCTS)).check(z.describe("Which fuel; all of them without it.")),
    }),
  hosts: ["api.eia.gov"],
  secrets: ["EIA_API_KEY"],
  typicalTokens: 160,
  // It suspends keys that send many requests in a short while, and asks for no more than a few a second.
  orchestration: fanOut(3, 1_000),
  run: async ({ state, product }, ctx) => {
    const place = state === undefined ? NATION : findPlace(state);
    if (place === undefined) throw unknownState(state!);
    const products = product === undefined ? PRODUCTS : [product];
    const url = makeUrl(place, products, ctx.secret("EIA_API_KEY"));
    const rows = parseUpstream(answerSchema(), await ctx.fetch(url)).response.data;
    const prices = products.flatMap((one) => readPrice(one, areaOf(place, one), rows));
    if (prices.length === 0)
      throw new ToolFailure("NOT_FOUND", {
        hint: "The EIA has no such prices at the moment; leave 'product' out, or ask for the country.",
      });
    const isRegional = prices.some(({ area }) => area !== place.name) && place !== NATION;
    return {
      place: place.name,
      unit: "USD per gallon",
      prices,
      ...(isRegional && { note: `Where 'area' is a region, there are no prices of ${place.name} alone.` }),
    };
  },
});

function areaOf({ gasoline, diesel }: PricePlace, product: Product): PriceArea {
  return product === "diesel" ? diesel : gasoline;
}

/** One request for all products and areas: the newest rows first. */
function makeUrl(place: PricePlace, products: readonly Product[], key: string): URL {
  const areas = new Set(products.map((product) => areaOf(place, product).code));
  const url = new URL("https://api.eia.gov/v2/petroleum/pri/gnd/data/");
  url.search = new URLSearchParams([
    ["api_key", key],
    ["frequency", "weekly"],
    ["data[0]", "value"],
    ["facets[process][]", "PTE"],
    ...products.map((product): [string, string] => ["facets[product][]", CODES[product]]),
    ...Array.from(areas, (area): [string, string] => ["facets[duoarea][]", area]),
    ["sort[0][column]", "period"],
    ["sort[0][direction]", "desc"],
    ["offset", "0"],
    ["length", String(WEEKS * products.length * areas.size)],
  ]).toString();
  return url;
}

/** The newest price of a product in an area, and how it changed; nothing when there is none. */
function readPrice(product: Product, area: PriceArea, rows: readonly Row[]): Price[] {
  const series = rows
    .filter((row) => row.duoarea === area.code && row.product === CODES[product] && row.value !== null)
    .map(({ period, value }) => ({ period, price: Number(value) }))
    .toSorted((a, b) => (a.period < b.period ? 1 : -1));
  const [latest, before] = series;
  if (latest === undefined) return [];
  const change =
    before === undefined ? {} : { change_from_week_before: Number((latest.price - before.price).toFixed(3)) };
  return [{ product, price: latest.price, week_of: latest.period, ...change, area: area.name }];
}

function unknownState(state: string): ToolFailure {
  const near = nearestStates(state);
  const expected = "a US state by name or postal code";
  const { issues, hint } = toMisfit({ path: "/args/state", expected, received: `'${visibleText(state)}'` });
  const meant =
    near.length === 0 ? "Leave it out for the whole country." : `Did you mean '${near.join("' or '")}'?`;
  return new ToolFailure("INVALID_ARGS", { issues, hint: `${hint} ${meant}` });
}
