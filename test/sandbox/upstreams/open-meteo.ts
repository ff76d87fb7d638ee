import { findCities, nearestCity } from "./cities.ts";
import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 120;
/** The geocoder takes a minute over this city: longer than anyone waits. */
const SLOW_CITY = "Slowville";
const SLOW_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

const CURRENT = [
  "temperature_2m",
  "apparent_temperature",
  "relative_humidity_2m",
  "precipitation",
  "weather_code",
  "wind_speed_10m",
] as const;
const DAILY = [
  "weather_code",
  "temperature_2m_min",
  "temperature_2m_max",
  "precipitation_sum",
  "precipitation_probability_max",
] as const;

/** Answer as the geocoder: https://open-meteo.com/en/docs/geocoding-api */
export async function answerOpenMeteoGeocoding(request: Request, ports: StandInPorts): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  await ports.sleep(searchParams.get("name") === SLOW_CITY ? SLOW_MS : LATENCY_MS);
  if (pathname !== "/v1/search" || request.method !== "GET") return refuse(404, "Not Found");
  const name = searchParams.get("name") ?? "";
  if (name === "") return refuse(400, "Parameter 'name' missing or empty");
  const count = Number(searchParams.get("count") ?? "10");
  if (!Number.isInteger(count) || count < 1 || count > 100)
    return refuse(400, "Parameter count must be between 1 and 100.");

  const results = findCities(name)
    .slice(0, count)
    .map((city) => ({
      id: new Seeded(`${city.name} ${city.admin1}`).int(1_000_000, 9_999_999),
      name: city.name,
      latitude: city.latitude,
      longitude: city.longitude,
      feature_code: "PPL",
      country_code: city.countryCode,
      timezone: city.timezone,
      country: city.country,
      ...(city.admin1 !== "" && { admin1: city.admin1 }),
    }));
  return Response.json({ ...(results.length > 0 && { results }), generationtime_ms: 0.5 });
}

/** Answer as the forecast: https://open-meteo.com/en/docs */
export async function answerOpenMeteoForecast(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  const { pathname, searchParams } = new URL(request.url);
  if (pathname !== "/v1/forecast" || request.method !== "GET") return refuse(404, "Not Found");
  const latitude = toDegrees(searchParams.get("latitude"), 90);
  if (latitude === null) return refuse(400, "Latitude must be in range of -90 to 90°.");
  const longitude = toDegrees(searchParams.get("longitude"), 180);
  if (longitude === null) return refuse(400, "Longitude must be in range of -180 to 180°.");
  const days = Number(searchParams.get("forecast_days") ?? "7");
  if (!Number.isInteger(days) || days < 0 || days > 16)
    return refuse(400, "Forecast days is invalid. Allowed range 0 to 16.");
  const current = toVariables(searchParams.get("current"));
  const daily = toVariables(searchParams.get("daily"));
  const unknown = [
    ...current.filter((name) => !(CURRENT as readonly string[]).includes(name)),
    ...daily.filter((name) => !(DAILY as readonly string[]).includes(name)),
  ];
  if (unknown.length > 0)
    return refuse(
      400,
      `Data corrupted at path ''. Cannot initialize variable from invalid String value ${unknown[0]}.`,
    );
  const timezone = searchParams.get("timezone") ?? "GMT";
  if (daily.length > 0 && !searchParams.has("timezone")) return refuse(400, "Timezone is required");

  const weather = makeWeather({ latitude, longitude, days, startMs: ports.now() });
  return Response.json({
    latitude,
    longitude,
    generationtime_ms: 0.1,
    utc_offset_seconds: 0,
    timezone: timezone === "auto" ? nearestCity(latitude, longitude).timezone : timezone,
    elevation: 100,
    ...(current.length > 0 && {
      current: { time: weather.time, interval: 900, ...pick(weather.current, current) },
    }),
    ...(daily.length > 0 && { daily: { time: weather.dates, ...pick(weather.daily, daily) } }),
  });
}

/** Make weather up from the place: warmer towards the equator, wetter by luck. */
function makeWeather(options: { latitude: number; longitude: number; days: number; startMs: number }) {
  const { latitude, longitude, days, startMs } = options;
  const seeded = new Seeded(`${latitude.toFixed(2)},${longitude.toFixed(2)}`);
  const base = 30 - Math.abs(latitude) / 2.5;
  const round = (value: number): number => Math.round(value * 10) / 10;
  const made = Array.from({ length: days }, (_, day) => {
    const min = base + seeded.tenths(-8, -2);
    const wet = seeded.next() < 0.35;
    return {
      date: new Date(startMs + day * DAY_MS).toISOString().slice(0, 10),
      weather_code: wet ? seeded.pick([51, 61, 63, 80, 95]) : seeded.pick([0, 1, 2, 3]),
      temperature_2m_min: round(min),
      temperature_2m_max: round(min + seeded.tenths(4, 12)),
      precipitation_sum: wet ? seeded.tenths(1, 20) : 0,
      precipitation_probability_max: wet ? seeded.int(50, 100) : seeded.int(0, 20),
    };
  });
  return {
    time: new Date(startMs).toISOString().slice(0, 16),
    dates: made.map(({ date }) => date),
    current: {
      temperature_2m: round(base),
      apparent_temperature: round(base + seeded.tenths(-3, 2)),
      relative_humidity_2m: seeded.int(15, 95),
      precipitation: 0,
      weather_code: seeded.pick([0, 1, 2, 3]),
      wind_speed_10m: seeded.tenths(1, 35),
    },
    daily: Object.fromEntries(DAILY.map((name) => [name, made.map((day) => day[name])])),
  };
}

function pick(
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

function toVariables(list: string | null): readonly string[] {
  return (list ?? "").split(",").filter((name) => name !== "");
}

function toDegrees(text: string | null, limit: number): number | null {
  const degrees = Number(text === null || text === "" ? Number.NaN : text);
  return Math.abs(degrees) <= limit ? degrees : null;
}

function refuse(status: number, reason: string): Response {
  return Response.json({ error: true, reason }, { status });
}
