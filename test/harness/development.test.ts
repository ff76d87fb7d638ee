import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { buildBundle } from "../support/build-bundle.ts";
import { eventually } from "../support/eventually.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { problemOf, TestCaller } from "../support/test-caller.ts";
import type { Workerd } from "../support/workerd.ts";

const DEPLOYED = "test/development/own.wrangler.toml";
const DEVELOPED = "test/development/dev.wrangler.toml";

let upstream: HostileUpstream;
beforeAll(async () => {
  upstream = await HostileUpstream.start();
  upstream.script("/own", (_, response) => void response.end('{"reached":true}'));
});
afterAll(() => upstream[Symbol.asyncDispose]());

type Vars = Readonly<Record<string, string>>;
const start = (config: string, vars: Vars): Promise<Workerd> =>
  startRawSandbox({ config, vars: { OWN_SECRET: "of the test", ...vars } });

async function run(volley: Workerd, action: object) {
  const answer = await new TestCaller(volley.url).send({ body: JSON.stringify({ actions: [action] }) });
  return (JSON.parse(answer.text) as WireEnvelope).results[0]!;
}

/** The printed text is read over a pipe. */
const said = (volley: Workerd, text: string): Promise<string> =>
  eventually(`the log to say '${text}'`, async () =>
    volley.output().includes(text) ? volley.output() : undefined,
  );

describe("A declaration that is wrong", () => {
  const MISTAKES: [string, object, string][] = [
    ["of the wrong shape", { summary: 5, runn: 1 }, "Cannot define tool 'own-read':"],
    [
      "with a host of this machine",
      { hosts: ["http://127.0.0.1:9"] },
      "tool 'own-read' can never reach its host 'http://127.0.0.1:9'",
    ],
    ["with a name that is used twice", { name: "own-job" }, "two tools are named 'own-job'"],
  ];

  test.each(MISTAKES)(
    "%s answers 503 on a development server, whatever is asked, and is said there once",
    async (_, mistake, problem) => {
      await using volley = await start(DEVELOPED, { OWN_MISTAKE: JSON.stringify(mistake) });
      const caller = new TestCaller(volley.url);
      for (const request of [
        { body: "{}" },
        { method: "GET", path: "/healthz" },
        { method: "GET", path: "/nothing" },
      ]) {
        const answer = await caller.send(request);
        expect(answer.headers["content-type"]).toBe("application/problem+json");
        expect(answer.headers["x-request-id"]).toMatch(/./);
        expect(problemOf(answer)).toMatchObject({
          status: 503,
          code: "UNAVAILABLE",
          detail: expect.stringContaining(problem),
        });
      }
      const output = await said(volley, problem);
      expect(output.split(problem)).toHaveLength(2);
    },
  );

  test.each(MISTAKES)("%s does not start where it is deployed", async (_, mistake, problem) => {
    await expect(start(DEPLOYED, { OWN_MISTAKE: JSON.stringify(mistake) })).rejects.toThrow(problem);
  });
});

test("An input that is made late is looked at when a development server starts", async () => {
  await using volley = await start(DEVELOPED, { OWN_LATE_INPUT: "on" });
  const answer = await new TestCaller(volley.url).send({ method: "GET", path: "/healthz" });
  expect(problemOf(answer)).toMatchObject({
    status: 503,
    detail: expect.stringContaining("Cannot write the schema of 'own-read'"),
  });
});

describe("VOLLEY_DEV_ORIGINS", () => {
  const callback = (): object => ({ tool: "own-job", callback_url: `${upstream.url}/hook` });

  test("lets tools and callbacks of a development server reach this machine", async () => {
    const vars = { OWN_HOST: upstream.url, VOLLEY_DEV_ORIGINS: ` https://else.example, ${upstream.url}/ ` };
    await using volley = await start(DEVELOPED, vars);
    expect(await run(volley, { tool: "own-read" })).toMatchObject({
      status: "success",
      data: { reached: true },
    });
    expect(await run(volley, callback())).toMatchObject({ status: "initiated" });
    await eventually("the callback", async () => upstream.requestsTo("/hook").length > 0 || undefined);
    await said(volley, `may reach https://else.example, ${upstream.url}.`);
  });

  test("opens nothing where it is deployed, and the log says that it is ignored", async () => {
    const vars = { VOLLEY_DEV_ORIGINS: upstream.url };
    await expect(start(DEPLOYED, { ...vars, OWN_HOST: upstream.url })).rejects.toThrow(
      "can never reach its host",
    );
    await using volley = await start(DEPLOYED, vars);
    expect(await run(volley, callback())).toMatchObject({
      status: "error",
      error: { code: "EGRESS_DENIED" },
    });
    await said(volley, "VOLLEY_DEV_ORIGINS is set, and ignored");
  });

  test("opens nothing where an entry of development is deployed: that does not start, so its upload is refused", async () => {
    await using bundle = await buildBundle({ config: DEVELOPED, isDeployed: true });
    const vars = { VOLLEY_DEV_ORIGINS: upstream.url };
    await expect(startRawSandbox({ config: DEVELOPED, script: bundle.path, vars })).rejects.toThrow(
      "Cannot deploy an entry of development",
    );
  });

  test("opens on a development server only what it names", async () => {
    await using volley = await start(DEVELOPED, { VOLLEY_DEV_ORIGINS: "http://127.0.0.1:9" });
    expect(await run(volley, callback())).toMatchObject({
      status: "error",
      error: { code: "EGRESS_DENIED" },
    });
  });

  test.each([
    "127.0.0.1:9000",
    "http://127.0.0.1:9000/path",
    "http://user@127.0.0.1:9000",
    "ftp://127.0.0.1",
    "*",
  ])("that is '%s' is no origin, and the development server says so", async (text) => {
    await using volley = await start(DEVELOPED, { VOLLEY_DEV_ORIGINS: text });
    const answer = await new TestCaller(volley.url).send({ method: "GET", path: "/healthz" });
    expect(problemOf(answer).detail).toContain(`Cannot read VOLLEY_DEV_ORIGINS: '${text}' must be an origin`);
  });
});

describe("A development server says at its start", () => {
  test("how many tools and keys there are, and which secrets are missing", async () => {
    await using volley = await start(DEVELOPED, { OWN_SECRET: "" });
    const output = await said(volley, "Volley has");
    expect(output).toContain("Volley has 2 tools and 6 keys: ");
    expect(output).toContain("Missing secret OWN_SECRET: own-read will answer MISCONFIGURED.");
  });

  test("how to make a key where there is none", async () => {
    await using volley = await start(DEVELOPED, { VOLLEY_KEYS: "[]" });
    expect(await said(volley, "Volley has 2 tools and 0 keys.")).toContain("npx volley key --name me");
  });

  test("that the secret of callbacks cannot be read, and so does its health", async () => {
    await using volley = await start(DEVELOPED, { VOLLEY_WEBHOOK_SECRET: "secret" });
    await said(volley, "No request can be answered: Cannot read VOLLEY_WEBHOOK_SECRET");
    const answer = await new TestCaller(volley.url).send({ method: "GET", path: "/healthz" });
    expect(problemOf(answer)).toMatchObject({
      status: 503,
      detail: expect.stringContaining("VOLLEY_WEBHOOK_SECRET"),
    });
  });

  test("what is wrong with the keys", async () => {
    await using volley = await start(DEVELOPED, { VOLLEY_KEYS: "[" });
    await said(volley, "No request can be answered: Cannot read VOLLEY_KEYS: it is not JSON");
  });
});

test("the sandbox serves the tools of src/worker.ts, and its own", async () => {
  await using volley = await startRawSandbox();
  const { text } = await new TestCaller(volley.url).send({
    method: "GET",
    path: "/v1/tools?format=openai&surface=flat",
  });
  for (const name of ["get_weather", "probe-echo", "search_documents"]) expect(text).toContain(`"${name}"`);
});
