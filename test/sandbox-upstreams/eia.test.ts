import { expect, test } from "vitest";

import { callStandIn } from "./call-stand-in.ts";
import { trial } from "../support/trial.ts";

const DATA = "https://api.eia.gov/v2/petroleum/pri/gnd/data/";
const ask = (query: string, init: RequestInit = {}) => callStandIn(`${DATA}?api_key=key&${query}`, init);

test("the EIA's stand-in answers in the service's own shape, newest first when asked so", async () => {
  const { status, body } = await ask(
    "frequency=weekly&data[0]=value&facets[product][]=EPMR&facets[duoarea][]=SCA&sort[0][column]=period&sort[0][direction]=desc&length=2",
  );
  expect(status).toBe(200);
  const { response } = body as { response: { total: string; data: { period: string }[] } };
  expect(response).toMatchObject({
    total: "104",
    data: [
      {
        duoarea: "SCA",
        product: "EPMR",
        series: "EMM_EPMR_PTE_SCA_DPG",
        value: expect.stringMatching(/^\d\.\d{3}$/),
      },
      {},
    ],
  });
  expect(response.data[0]!.period > response.data[1]!.period).toBe(true);
});

trial("it has no values unless they are asked for, and nothing for an area that has none", async () => {
  const { body } = await ask("facets[duoarea][]=SCA&length=1");
  expect((body as { response: { data: object[] } }).response.data[0]).not.toHaveProperty("value");
  for (const facets of ["facets[duoarea][]=SAZ", "facets[duoarea][]=STX&facets[product][]=EPD2D"])
    expect((await ask(facets)).body).toMatchObject({ response: { total: "0", data: [] } });
});

test.each([
  ["", "API_KEY_MISSING"],
  ["?api_key=invalid-1", "API_KEY_INVALID"],
])("it refuses '%s' as %s", async (query, code) => {
  expect(await callStandIn(`${DATA}${query}`)).toMatchObject({ status: 403, body: { error: { code } } });
});

test.each([
  "frequency=hourly",
  "data[0]=price",
  "facets[state][]=CA",
  "unknown=1",
  "sort[0][column]=color",
  "sort[0][direction]=up",
  "length=5001",
  "offset=-1",
])("it refuses '%s'", async (query) => {
  expect((await ask(query)).status).toBe(400);
});

test("it knows no other path or method", async () => {
  expect((await callStandIn("https://api.eia.gov/v2/petroleum/?api_key=k")).status).toBe(404);
  expect((await ask("", { method: "POST" })).status).toBe(405);
});
