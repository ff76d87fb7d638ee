import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { readStorage } from "../support/read-storage.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { encodingsOf, entitiesOf, escapesOf } from "../support/secret-encodings.ts";
import { TestCaller } from "../support/test-caller.ts";

const SECRET = "sandbox-probe-secret";

const ESCAPED = escapesOf(SECRET);

/** The secret as an upstream may repeat it; base64 behind what stood before it, too. */
const ENCODINGS = [
  SECRET,
  encodeURIComponent(`Bearer ${SECRET}`),
  Buffer.from(SECRET).toString("base64"),
  Buffer.from(`Bearer ${SECRET}`).toString("base64").slice(12, -4),
  ...encodingsOf(SECRET),
];

test("P7: T16 a secret that an upstream repeats reaches no result, event, error, job, kept result, row on disk or log", async () => {
  const storageDir = await mkdtemp(join(tmpdir(), "volley-secrets-"));
  onTestFinished(() => rm(storageDir, { recursive: true, force: true }));
  await using upstream = await HostileUpstream.start();
  upstream.script("/secret", (query, response) => {
    const sent = String(response.req.headers["authorization"]);
    const repeated = {
      raw: sent,
      [sent]: "as a key",
      url: encodeURIComponent(sent),
      base64: Buffer.from(sent).toString("base64"),
      bare: Buffer.from(sent.slice("Bearer ".length)).toString("base64"),
      escaped: ESCAPED,
      page: `<p>${entitiesOf(sent)}</p> ${JSON.stringify(JSON.stringify(sent))}`,
      lines: Buffer.from(`${"x".repeat(50)}${sent}`)
        .toString("base64")
        .replaceAll(/.{64}/g, "$&\r\n"),
      padding: Array.from({ length: 200 }, (_, n) => ({ n, sent })),
    };
    const status = query.get("n") === "500" ? 500 : 200;
    response.writeHead(status, { "x-sent": sent }).end(JSON.stringify(repeated));
  });
  await using volley = await startRawSandbox({ vars: { PROBE_ORIGIN: upstream.url }, storageDir });
  const caller = new TestCaller(volley.url);
  const call = (n: number): object => ({ id: `n${n}`, tool: "probe-secret", args: { n } });
  const seen: string[] = [];
  const send = async (batch: object, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await caller.send({ body: JSON.stringify(batch), headers });
    expect(answer.status).toBe(200);
    seen.push(answer.text, JSON.stringify(answer.headers));
    return answer.text;
  };

  await send({ actions: [call(1), call(500)] });
  await send({ actions: [call(2), call(500)] }, { accept: "text/event-stream" });
  const cut = await send({ actions: [call(3)], max_tokens: 400 });
  expect(cut).toContain('"handle"');
  const answer = upstream.hold("/secret", 4);
  const demoted = JSON.parse(await send({ actions: [call(4)], deadline_ms: 1_000 })) as {
    results: readonly { status: string; job_id: string }[];
  };
  answer();
  expect(demoted.results).toMatchObject([{ status: "initiated" }]);
  const job = await eventually("the demoted read's job to end", async () => {
    const { text } = await caller.get(`/v1/jobs/${demoted.results[0]!.job_id}`);
    return (JSON.parse(text) as { status: string }).status === "succeeded" ? text : undefined;
  });
  seen.push(job, volley.output());
  await volley.kill("SIGKILL");
  const rows = await readStorage(storageDir);

  // Proof that the secret was on its way, and that what was repeated is kept.
  expect(upstream.requestsTo("/secret").map(({ headers }) => headers["authorization"])).toContain(
    `Bearer ${SECRET}`,
  );
  expect(rows).toContain("[redacted]");
  expect(seen.filter((text) => text.includes("[redacted]"))).toHaveLength(4);
  for (const encoding of ENCODINGS)
    for (const text of [...seen, rows]) expect(text.includes(encoding), encoding).toBe(false);
});
