import { expect, test } from "vitest";

import { callStandIn } from "./call-stand-in.ts";

const URL = "https://api.nhtsa.gov/recalls/recallsByVehicle";
const CAMRY = `${URL}?make=toyota&model=camry&modelYear=2020`;

test("NHTSA's stand-in answers in the service's own shape", async () => {
  const { status, body } = await callStandIn(CAMRY);
  expect(status).toBe(200);
  const { Count, results } = body as { Count: number; results: object[] };
  expect(Count).toBe(results.length);
  expect(results[0]).toMatchObject({
    NHTSACampaignNumber: expect.any(String),
    ReportReceivedDate: expect.stringMatching(/^\d\d\/\d\d\/\d{4}$/),
    parkIt: false,
    ModelYear: "2020",
    Make: "TOYOTA",
    Model: "CAMRY",
  });
});

test("NHTSA's stand-in gives another vehicle other recalls", async () => {
  const camry = await callStandIn(CAMRY);
  expect(await callStandIn(CAMRY)).toEqual(camry);
  expect(await callStandIn(CAMRY.replace("2020", "2021"))).not.toEqual(camry);
});

test("NHTSA's stand-in answers 400 with an empty list when it has nothing, as the service does", async () => {
  expect(await callStandIn(CAMRY.replace("toyota", "wartburg"))).toEqual({
    status: 400,
    body: { Count: 0, Message: "Results returned successfully", results: [] },
  });
});

test.each(["", "?make=toyota&model=camry", "?make=toyota&modelYear=2020", "?make=a&model=b&modelYear=20"])(
  "NHTSA's stand-in refuses the query '%s'",
  async (query) => {
    expect((await callStandIn(URL + query)).status).toBe(400);
  },
);

test("NHTSA's stand-in knows no other method or path", async () => {
  expect((await callStandIn(CAMRY, { method: "POST" })).status).toBe(405);
  expect((await callStandIn("https://api.nhtsa.gov/recalls")).status).toBe(404);
});
