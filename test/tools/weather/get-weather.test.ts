import * as z from "zod/mini";
import { expect, test } from "vitest";

import { getWeather } from "../../../src/tools/weather/get-weather.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";

test("get_weather asks the geocoder and then the forecast, as documented", async () => {
  const { output, requests } = runTool(getWeather, { city: "Tokyo", days: 2 });
  await output;
  const [geocode, forecast] = requests.map(({ url }) => url) as [URL, URL];
  expect(geocode.href).toBe(
    "https://geocoding-api.open-meteo.com/v1/search?name=Tokyo&count=1&language=en&format=json",
  );
  expect(forecast.origin + forecast.pathname).toBe("https://api.open-meteo.com/v1/forecast");
  expect(Object.fromEntries(forecast.searchParams)).toMatchObject({
    latitude: "35.6895",
    longitude: "139.69171",
    timezone: "auto",
    forecast_days: "2",
    current: expect.stringContaining("temperature_2m"),
    daily: expect.stringContaining("temperature_2m_max"),
  });
});

test("get_weather says which place was meant and what the weather is in words and units", async () => {
  const { output } = runTool(getWeather, { city: "Tokyo", days: 2 });
  expect(await output).toEqual({
    place: { name: "Tokyo", region: "Tokyo", country: "Japan", timezone: "Asia/Tokyo" },
    current: {
      time: "2026-11-02T15:00",
      condition: expect.stringMatching(/clear|cloud|overcast/),
      temperature_c: expect.any(Number),
      feels_like_c: expect.any(Number),
      humidity_pct: expect.any(Number),
      precipitation_mm: 0,
      wind_kmh: expect.any(Number),
    },
    daily: ["2026-11-02", "2026-11-03"].map((date) => ({
      date,
      condition: expect.any(String),
      min_c: expect.any(Number),
      max_c: expect.any(Number),
      precipitation_mm: expect.any(Number),
      precipitation_probability_pct: expect.any(Number),
    })),
  });
});

test("get_weather forecasts today alone unless asked for more", async () => {
  const { output } = runTool(getWeather, { city: "Oslo" });
  expect(await output).toMatchObject({ daily: { length: 1 } });
});

test.each([
  ["Paris", "Île-de-France"],
  ["Paris, France", "Île-de-France"],
  ["Paris, Texas", "Texas"],
  ["Portland, ME", "Maine"],
  ["Portland, OR, USA", "Oregon"],
  ["Phoenix, AZ", "Arizona"],
  ["London, UK", "England"],
  ["sao paulo , brazil", "São Paulo"],
])("get_weather finds %s in %s", async (city, region) => {
  const { output } = runTool(getWeather, { city });
  expect(await output).toMatchObject({ place: { region } });
});

test.each(["Atlantis", "Paris, Japan", ", ,"])(
  "get_weather does not know %s, says so, and asks for no forecast",
  async (city) => {
    const { output, requests } = runTool(getWeather, { city });
    await expect(output).rejects.toMatchObject({
      failure: {
        code: "NOT_FOUND",
        retryable: false,
        hint: expect.stringContaining(`"${city}"; check the spelling`),
      },
    });
    expect(requests.map(({ url }) => url.pathname)).not.toContain("/v1/forecast");
  },
);

test.each([
  [429, "RATE_LIMITED"],
  [502, "UPSTREAM_ERROR"],
])("get_weather passes on a %i of the geocoder", async (status, code) => {
  const { output } = runTool(getWeather, { city: "Oslo" }, { answer: () => new Response("", { status }) });
  await expect(output).rejects.toMatchObject({ failure: { code, upstreamStatus: status } });
});

test.each([{ results: [{ name: "Oslo" }] }, { results: "none" }])(
  "get_weather takes %j for unreadable",
  async (body) => {
    const { output } = runTool(getWeather, { city: "Oslo" }, { answer: () => Response.json(body) });
    await expect(output).rejects.toMatchObject({ failure: { code: "BAD_UPSTREAM_RESPONSE" } });
  },
);

test("get_weather takes a forecast without days for unreadable", async () => {
  const { output } = runTool(
    getWeather,
    { city: "Oslo" },
    {
      answer: ({ url }) =>
        url.includes("geocoding")
          ? Response.json({ results: [{ name: "Oslo", latitude: 59.9, longitude: 10.7 }] })
          : Response.json({ timezone: "GMT", current: {} }),
    },
  );
  await expect(output).rejects.toMatchObject({ failure: { code: "BAD_UPSTREAM_RESPONSE" } });
});

test("get_weather stays under 600 tokens, whatever Open-Meteo sends", async () => {
  const long = "word ".repeat(500);
  const numbers = Array.from({ length: 16 }, () => -99.99);
  const { output } = runTool(
    getWeather,
    { city: "Oslo", days: 7 },
    {
      answer: ({ url }) =>
        url.includes("geocoding")
          ? Response.json({
              results: [{ name: long, admin1: long, country: long, latitude: 1, longitude: 2 }],
            })
          : Response.json({
              timezone: long,
              current: {
                time: long,
                temperature_2m: -99.99,
                apparent_temperature: -99.99,
                relative_humidity_2m: 100,
                precipitation: 99.99,
                weather_code: 99,
                wind_speed_10m: 199.99,
              },
              daily: {
                time: Array.from({ length: 16 }, () => "2026-11-02"),
                weather_code: Array.from({ length: 16 }, () => 96),
                temperature_2m_min: numbers,
                temperature_2m_max: numbers,
                precipitation_sum: numbers,
                precipitation_probability_max: [100, null],
              },
            }),
    },
  );
  const read = await output;
  expect(read).toMatchObject({ daily: { length: 7 } });
  expect(countTokens(read)).toBeLessThan(600);
});

test.each([{}, { city: "X" }, { city: "Oslo", days: 8 }, { city: "Oslo", days: 1.5 }])(
  "get_weather does not accept %j",
  (args) => {
    expect(z.safeParse(getWeather.input, args).success).toBe(false);
  },
);
