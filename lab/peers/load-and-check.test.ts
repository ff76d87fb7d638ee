import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

import { describe, expect, test } from "vitest";

import { Connections } from "../bench/connections.ts";
import { PLAIN } from "./contestant.ts";
import { type LoadReport, loadAndCheck } from "./load-and-check.ts";
import { trial } from "../../test/support/trial.ts";

type Answer = (numbers: readonly number[], response: ServerResponse) => void;

const answer = (response: ServerResponse, numbers: readonly number[], status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ results: numbers.map((n) => ({ n })) }));
};

describe("loadAndCheck()", () => {
  test("finds nothing wrong with a server that does its work", async () => {
    const report = await loadServer((numbers, response) => answer(response, numbers));
    expect(report).toMatchObject({ faults: {}, example: null });
    expect(report.latenciesMs.length).toBe(CONNECTIONS);
  });

  test.each<[string, Answer, LoadReport["faults"]]>([
    ["a wrong result", (numbers, response) => answer(response, numbers.with(1, 0)), { wrong: CONNECTIONS }],
    [
      "a result that is left out",
      (numbers, response) => answer(response, numbers.slice(1)),
      { missing: CONNECTIONS },
    ],
    ["another order", (numbers, response) => answer(response, numbers.toReversed()), { order: CONNECTIONS }],
    ["a status of failure", (numbers, response) => answer(response, numbers, 503), { status: CONNECTIONS }],
    ["a connection that is closed", (_, response) => void response.destroy(), { missing: CONNECTIONS }],
  ])("notices %s", async (_, how, faults) => {
    const report = await loadServer(how);
    expect(report.faults).toEqual(faults);
    expect(report.example).not.toBeNull();
  });

  trial.each<[string, Answer]>([
    ["never comes", () => {}],
    ["is cut", (_, response) => void response.write('{"results":[')],
  ])("notices an answer that %s", async (_, how) => {
    const report = await loadServer(how, 50);
    expect(report.faults).toEqual({ missing: CONNECTIONS });
  });

  test("sends as many batches as it is told", async () => {
    const report = await loadServer(
      (numbers, response) => answer(response, numbers),
      30_000,
      CONNECTIONS + 2,
    );
    expect(report.latenciesMs.length).toBe(CONNECTIONS + 2);
    expect(report.faults).toEqual({});
  });

  test("notices an answer that belongs to another batch", async () => {
    let last: readonly number[] = [0, 0, 0];
    const report = await loadServer((numbers, response) => {
      answer(response, last);
      last = numbers;
    });
    expect(report.faults).toEqual({ wrong: CONNECTIONS });
  });
});

const CONNECTIONS = 4;

/** One batch on each connection. */
async function loadServer(how: Answer, patienceMs = 30_000, batches = CONNECTIONS): Promise<LoadReport> {
  const server = createServer((request, response) => {
    void (async () => {
      const { actions } = (await json(request)) as {
        readonly actions: readonly { readonly args: { readonly n: number } }[];
      };
      how(
        actions.map(({ args }) => args.n),
        response,
      );
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    using connections = await Connections.open(`http://${host}`, CONNECTIONS);
    return await loadAndCheck({ ...PLAIN, host, connections, n: 3, batches, patienceMs });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
