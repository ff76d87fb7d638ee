import { expect, test } from "vitest";

import { API } from "../features/connections/http/connection-world.ts";
import { openPairs } from "./pair-world.ts";
import { trial } from "../support/trial.ts";

test("A refresh that hangs holds no batch beyond its deadline: the read goes on as a job of that account", async () => {
  const { run, connect, provider, send, volley } = await openPairs();
  await connect("ada", "ada@acme.dev");
  await volley.advance(3_700_000);
  const gate = Promise.withResolvers<void>();
  provider.beforeToken = () => gate.promise;
  const begun = volley.now();
  const [result] = (await run([{ tool: "mailbox" }], { subject: "ada", deadline_ms: 2_000 })).results;
  expect([result.status, volley.now() - begun]).toEqual(["initiated", 2_000]);
  expect(volley.requests.filter(({ url }) => url.endsWith("/mailbox"))).toEqual([]);
  gate.resolve();
  await volley.advance(60_000);
  const { body: job } = await send("GET", `/v1/jobs/${result.job_id}`);
  expect(job).toMatchObject({ status: "succeeded", data: { mailbox: "ada@acme.dev" } });
});

trial(
  "A write that is under way at the deadline is unknown in its run, and a rerun asks about it",
  async () => {
    let heard = 0;
    const { run, send, volley } = await openPairs({
      [`POST ${API}/put/*`]: async (_, { sleep }) => {
        heard += 1;
        await sleep(5_000);
        return { ok: true };
      },
    });
    const put = [{ id: "put", tool: "put", args: { to: "ada" } }];
    const { batch_id: id, results } = await run(put, { deadline_ms: 1_000 });
    expect(results[0].status).toBe("unknown");
    await volley.advance(10_000);
    const { body: kept } = await send("GET", `/v1/runs/${id}`);
    expect(kept).toMatchObject({ status: "unknown", actions: [{ status: "unknown" }] });
    const { body: again } = await send("POST", `/v1/runs/${id}/rerun`, {});
    expect(again.results[0].status).toBe("pending_confirmation");
    expect(heard).toBe(1);
  },
);
