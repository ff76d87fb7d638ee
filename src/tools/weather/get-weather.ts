import * as z from "zod/mini";
import { defineTool, type ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import { looseSchema } from "../../core/contract/lazy-schema.ts";
import { quotedText } from "../../core/kit/visible-text.ts";
import { cutText } from "../kit/cut-text.ts";
import { parseUpstream } from "../kit/parse-upstream.ts";
import { weatherCondition } from "./weather-condition.ts";
import { countArgument } from "../kit/arguments.ts";

const MAX_DAYS = 7;

const placeSchema = looseSchema(() => ({
  name: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  country: z.nullish(z.string()),
  country_code: z.nullish(z.string()),
  admin1: z.nullish(z.string()),
  admin2: z.nullish(z.string()),
}));

/** The geocoder leaves `results` out when it knows no such place. */
const placesSchema = looseSchema(() => ({ results: z._default(z.array(placeSchema()), []) }));

const forecastSchema = looseSchema(() => {
  const numbers = z.array(z.nullable(z.number()));
  return {
    timezone: z.string(),
    current: z.looseObject({
      time: z.string(),
      temperature_2m: z.nullable(z.number()),
      apparent_temperature: z.nullable(z.number()),
      relative_humidity_2m: z.nullable(z.number()),
      precipitation: z.nullable(z.number()),
      weather_code: z.nullable(z.number()),
      wind_speed_10m: z.nullable(z.number()),
    }),
    daily: z.looseObject({
      time: z.array(z.string()),
      weather_code: numbers,
      temperature_2m_min: numbers,
      temperature_2m_max: numbers,
      precipitation_sum: numbers,
      precipitation_probability_max: numbers,
    }),
  };
});

type Place = z.output<ReturnType<typeof placeSchema>>;
type Forecast = z.output<ReturnType<typeof forecastSchema>>;

/**
 * Tell a city's weather with Open-Meteo, which needs no key: first where the city is, then its forecast.
 *
 * Sources: https://open-meteo.com/en/docs/geocoding-api and https://open-meteo.com/en/docs
 */
export const getWeather = defineTool({
  name: "get_weather",
  summary: "Get a city's current weather and forecast for up to a week",
  description:
    "Current weather and daily forecast of a city, in Celsius, km/h and mm, in the city's own time. `place` says which " +
    "city was meant. Size: about 100 tokens and 50 more per day, never over 600.",
  category: "weather",
  isWrite: false,
  input: () =>
    z.strictObject({
      city: z
        .string()
        .check(
          z.trim(),
          z.minLength(2),
          z.maxLength(100),
          z.describe("City, with its region or country if several share the name, e.g. 'Portland, Maine'."),
        ),
      days: countArgument(MAX_DAYS, 1, "Days of forecast, today included."),
    }),
  hosts: ["geocoding-api.open-meteo.com", "api.open-meteo.com"],
  timeoutMs: 8_000,
  typicalTokens: 250,
  maxResponseBytes: 256 * 1024,
  orchestration: {
    mode: "fan-out-bounded",
    max_concurrency: 10,
    on_error: "partial-success",
    backoff: { strategy: "exponential", initial_ms: 300 },
  },
  run: async ({ city, days }, ctx) => {
    const place = await findPlace(city, ctx);
    return toWeather(place, await fetchForecast(place, days, ctx));
  },
});

/**
 * Find the one place a text means. The geocoder knows bare names only, so `Paris, Texas` asks for every Paris and keeps the first
 * in Texas; guessing another Paris would answer a question that was not asked.
 */
async function findPlace(city: string, ctx: ToolContext): Promise<Place> {
  const [name, ...qualifiers] = city
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (name === undefined) throw unknownCity(city);
  const url = new URL("https://geocoding-api.open-meteo.com/v1/search");
  url.search = new URLSearchParams({
    name,
    count: qualifiers.length === 0 ? "1" : "20",
    language: "en",
    format: "json",
  }).toString();
  const { results } = parseUpstream(placesSchema(), await ctx.fetch(url));
  const place = results.find((candidate) => matchPlace(candidate, qualifiers));
  if (place === undefined) throw unknownCity(city);
  return place;
}

function unknownCity(city: string): ToolFailure {
  return new ToolFailure("NOT_FOUND", {
    hint:
      `No city is known as ${quotedText(city)}; check the spelling, or send the city's name alone or with its ` +
      "region or country written out.",
  });
}

async function fetchForecast(place: Place, days: number, ctx: ToolContext): Promise<Forecast> {
  const url = new URL("https://api.open-meteo.com/v1/forecast");
  url.search = new URLSearchParams({
    latitude: String(place.latitude),
    longitude: String(place.longitude),
    current:
      "temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code,wind_speed_10m",
    daily:
      "weather_code,temperature_2m_min,temperature_2m_max,precipitation_sum,precipitation_probability_max",
    // Without it days begin at midnight GMT, and a forecast for Tokyo would be for the wrong ones.
    timezone: "auto",
    forecast_days: String(days),
  }).toString();
  return parseUpstream(forecastSchema(), await ctx.fetch(url));
}

function toWeather(place: Place, { timezone, current, daily }: Forecast): object {
  return {
    place: {
      name: cutText(place.name, 80),
      ...(typeof place.admin1 === "string" && { region: cutText(place.admin1, 80) }),
      ...(typeof place.country === "string" && { country: cutText(place.country, 80) }),
      timezone: cutText(timezone, 50),
    },
    current: {
      time: cutText(current.time, 30),
      condition: weatherCondition(current.weather_code),
      temperature_c: current.temperature_2m,
      feels_like_c: current.apparent_temperature,
      humidity_pct: current.relative_humidity_2m,
      precipitation_mm: current.precipitation,
      wind_kmh: current.wind_speed_10m,
    },
    daily: daily.time.slice(0, MAX_DAYS).map((date, day) => ({
      date: cutText(date, 10),
      condition: weatherCondition(daily.weather_code[day]),
      min_c: daily.temperature_2m_min[day] ?? null,
      max_c: daily.temperature_2m_max[day] ?? null,
      precipitation_mm: daily.precipitation_sum[day] ?? null,
      precipitation_probability_pct: daily.precipitation_probability_max[day] ?? null,
    })),
  };
}

/** A place as a geocoder gives it: its own name is not looked at here. */
export interface QualifiedPlace {
  readonly country?: string | null | undefined;
  readonly country_code?: string | null | undefined;
  readonly admin1?: string | null | undefined;
  readonly admin2?: string | null | undefined;
}

/** Codes that people write and geocoders do not store. */
const ALIASES: Readonly<Record<string, string>> = { usa: "us", "u.s.": "us", "u.s.a.": "us", uk: "gb" };

const US_STATES = new Map(
  (
    "al Alabama|ak Alaska|az Arizona|ar Arkansas|ca California|co Colorado|ct Connecticut|de Delaware|fl Florida|" +
    "ga Georgia|hi Hawaii|id Idaho|il Illinois|in Indiana|ia Iowa|ks Kansas|ky Kentucky|la Louisiana|me Maine|" +
    "md Maryland|ma Massachusetts|mi Michigan|mn Minnesota|ms Mississippi|mo Missouri|mt Montana|ne Nebraska|" +
    "nv Nevada|nh New Hampshire|nj New Jersey|nm New Mexico|ny New York|nc North Carolina|nd North Dakota|oh Ohio|" +
    "ok Oklahoma|or Oregon|pa Pennsylvania|ri Rhode ParkedGroup|sc South Carolina|sd South Dakota|tn Tennessee|tx Texas|" +
    "ut Utah|vt Vermont|va Virginia|wa Washington|wv West Virginia|wi Wisconsin|wy Wyoming|dc District of Columbia"
  )
    .split("|")
    .map((entry) => [entry.slice(0, 2), toKey(entry.slice(3))] as const),
);

/**
 * Tell whether a place fits every qualifier of a request such as `Portland, ME` or `Paris, Texas, USA`: each must be its
 * country (name or code), its region, its district, or the postal code of its US state.
 *
 * @example
 * matchPlace({ country_code: "US", admin1: "Maine" }, ["ME", "USA"]); // true
 */
export function matchPlace(place: QualifiedPlace, qualifiers: readonly string[]): boolean {
  const names = [place.country, place.country_code, place.admin1, place.admin2]
    .filter((name) => typeof name === "string")
    .map(toKey);
  const isInUs = place.country_code?.toUpperCase() === "US";
  return qualifiers.map(toKey).every((qualifier) => {
    const state = isInUs ? US_STATES.get(qualifier) : undefined;
    return names.includes(ALIASES[qualifier] ?? qualifier) || (state !== undefined && names.includes(state));
  });
}

/** Fold case and accents: `Québec` and `quebec` are one place. */
function toKey(name: string): string {
  return name.normalize("NFD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}
