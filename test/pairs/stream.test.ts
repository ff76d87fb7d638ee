import { expect, test } from "vitest";

import { openPairs } from "./pair-world.ts";
import { trial } from "../support/trial.ts";

const PAY = [{ id: "pay", tool: "pay", args: { to: "ada" } }];

test("A stream says of a result whose yes was remembered, as the answer does", async () => {
  const { run, stream, approve } = await openPairs();
  const asked = await run(PAY);
  await approve(asked.results[0].confirmation.id as string, { remember_s: 60 });
  const events = await stream(PAY);
  const [told, ...others] = events.filter(({ event }) => event === "result");
  expect(others).toEqual([]);
  expect(told!.data.meta.approved_by).toEqual({ remembered: expect.any(String), name: "test" });
  expect(events.at(-1)!.data.results[0].meta.approved_by).toEqual(told!.data.meta.approved_by);
});

trial("A streamed batch tells once what waits for an account, with where it is connected", async () => {
  const { stream } = await openPairs();
  const parks = { subject: "ada", on_connection: "park" };
  const events = await stream([{ id: "mail", tool: "mailbox" }, ...PAY], parks);
  const told = events.filter(({ event, data }) => event === "result" && data.id === "mail");
  expect(told).toHaveLength(1);
  expect(told[0]!.data).toMatchObject({ status: "pending_confirmation", connect_url: expect.any(String) });
  expect(events.at(-1)!.data.results[0].connect_url).toBe(told[0]!.data.connect_url);
});

trial("A background action that waits for an account becomes one job when that is connected", async () => {
  const { run, connect, send, volley } = await openPairs();
  const parks = { subject: "ada", on_connection: "park" };
  const [result] = (await run([{ id: "later", tool: "later" }], parks)).results;
  expect(result.status).toBe("pending_confirmation");
  expect((await send("GET", "/v1/jobs")).body.jobs).toEqual([]);
  await connect("grace", "grace@acme.dev");
  await connect("ada", "ada@acme.dev");
  await volley.advance(5_000);
  const { jobs } = (await send("GET", "/v1/jobs")).body;
  expect(jobs).toHaveLength(1);
  const { body: job } = await send("GET", `/v1/jobs/${jobs[0].job_id}`);
  expect(job).toMatchObject({ status: "succeeded", data: { mailbox: "ada@acme.dev" } });
});
