import { expect, test } from "vitest";

import { routeUpstream } from "../sandbox/upstreams/route-upstream.ts";
import { INSTANT_PORTS } from "../support/instant-ports.ts";
import { callStandIn } from "./call-stand-in.ts";

const SEARCH = "https://geocoding-api.open-meteo.com/v1/search";
const FORECAST = "https://api.open-meteo.com/v1/forecast";
const OSLO = "latitude=59.91&longitude=10.75";

test("the geocoder's stand-in finds every city of a name, the largest first", async () => {
  const { body } = await callStandIn(`${SEARCH}?name=paris&count=10`);
  expect(body).toMatchObject({ results: [{ country_code: "FR" }, { country_code: "US", admin1: "Texas" }] });
  expect(await callStandIn(`${SEARCH}?name=paris&count=1`)).toMatchObject({
    body: { results: { length: 1 } },
  });
});

test("the geocoder's stand-in leaves the results out when it knows no such city", async () => {
  expect(await callStandIn(`${SEARCH}?name=Atlantis`)).toEqual({
    status: 200,
    body: { generationtime_ms: expect.any(Number) },
  });
});

test("the geocoder's stand-in takes a minute over Slowville, and over nothing else", async () => {
  const slept: number[] = [];
  const ports = { ...INSTANT_PORTS, sleep: async (ms: number) => void slept.push(ms) };
  for (const name of ["Slowville", "Oslo"]) await routeUpstream(new Request(`${SEARCH}?name=${name}`), ports);
  expect(slept).toEqual([60_000, 120]);
});

test.each(["", "?name=", "?name=Oslo&count=0", "?name=Oslo&count=101"])(
  "the geocoder's stand-in refuses the query '%s'",
  async (query) => {
    expect(await callStandIn(SEARCH + query)).toMatchObject({
      status: 400,
      body: { error: true, reason: expect.any(String) },
    });
  },
);

test("the forecast's stand-in gives the asked variables for the asked days", async () => {
  const { status, body } = await callStandIn(
    `${FORECAST}?${OSLO}&current=temperature_2m&daily=temperature_2m_max,weather_code&timezone=auto&forecast_days=2`,
  );
  expect(status).toBe(200);
  expect(body).toMatchObject({ timezone: "Europe/Oslo", latitude: 59.91 });
  const { current, daily } = body as { current: object; daily: object };
  expect(Object.keys(current)).toEqual(["time", "interval", "temperature_2m"]);
  expect(daily).toEqual({
    time: ["2026-11-02", "2026-11-03"],
    temperature_2m_max: [expect.any(Number), expect.any(Number)],
    weather_code: [expect.any(Number), expect.any(Number)],
  });
});

test("the forecast's stand-in gives another place other weather", async () => {
  const ask = (place: string) => callStandIn(`${FORECAST}?${place}&current=temperature_2m,wind_speed_10m`);
  expect(await ask(OSLO)).toEqual(await ask(OSLO));
  expect(await ask(OSLO)).not.toEqual(await ask("latitude=1.29&longitude=103.85"));
});

test.each([
  "?longitude=10",
  "?latitude=91&longitude=10",
  "?latitude=10&longitude=x",
  `?${OSLO}&forecast_days=17`,
  `?${OSLO}&current=mood`,
  `?${OSLO}&daily=weather_code`,
])("the forecast's stand-in refuses the query '%s'", async (query) => {
  expect(await callStandIn(FORECAST + query)).toMatchObject({ status: 400, body: { error: true } });
});
