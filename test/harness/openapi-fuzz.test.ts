import fc from "fast-check";
import { expect, test } from "vitest";

import { findDeviation, findMisjudgement, readOperations } from "../support/api-document.ts";
import { requestArbitrary } from "../support/request-arbitrary.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { upstream, caller } = await setUpSandbox();
upstream.script(
  "/write",
  (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"),
);

const operations = await readOperations((await caller.get("/openapi.json")).text);

/** Jobs that ended well, that are dead, and that are still tried again and again. */
const { results } = await caller.execute(
  [200, 200, 422, 422, 503, 503, 503, 503, 503].map((status, n) => ({
    tool: "probe-background",
    args: { n, status },
  })),
);
const JOBS = results.map(({ job_id }) => job_id!);

/** Confirmations that wait, more of them than are decided. */
const parked = await caller.execute(
  Array.from({ length: 40 }, (_, id) => ({ tool: "probe-delete", args: { id } })),
);
const CONFIRMATIONS = parked.results.map(({ confirmation }) => confirmation!.id);

/** How many requests are sent; each operation gets its share. */
const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 5_000);

test(
  `the document says the truth about ${REQUESTS} valid and mutated requests`,
  { timeout: 180_000 },
  async () => {
    const share = Math.ceil(REQUESTS / operations.length);
    const deviations: string[] = [];
    const reached = new Set<string>();
    let sent = 0;
    for (const operation of operations) {
      const ids = operation.path.startsWith("/v1/confirmations") ? CONFIRMATIONS : JOBS;
      const samples = fc.sample(requestArbitrary(operation, ids), { numRuns: share, seed: 20_261_121 });
      const queue = samples.values();
      const worker = async (): Promise<void> => {
        for (const request of queue) {
          const answer = await caller.send(request);
          sent += 1;
          reached.add(`${operation.operationId} ${answer.status}`);
          for (const [, status] of answer.text.matchAll(/"status":"([a-z_]+)"/g))
            reached.add(`a result ${status}`);
          const deviation =
            findDeviation(operation, answer) ??
            (request.method === operation.method ? findMisjudgement(operation, request, answer) : null);
          if (deviation !== null)
            deviations.push(
              `${request.method} ${request.path} ${String(request.body).slice(0, 300)} ${deviation}`,
            );
        }
      };
      await Promise.all(Array.from({ length: 8 }, worker));
    }
    expect(deviations.slice(0, 5)).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
    expectReached(reached);
  },
);

/** Make sure that the requests got past the first checks, and into every refusal that a request can cause by itself. */
function expectReached(reached: ReadonlySet<string>): void {
  const results = ["success", "error", "initiated", "skipped", "pending_confirmation"].map(
    (status) => `a result ${status}`,
  );
  // Most of what /mcp answers depends on more than one thing being wrong at once.
  const ours = operations.filter(({ path }) => path !== "/mcp");
  const statuses = ours.flatMap(({ operationId, responses }) =>
    Object.keys(responses)
      .filter((status) => ["200", "400", "401", "403", "404", "405", "415", "422"].includes(status))
      .map((status) => `${operationId} ${status}`),
  );
  expect([...results, ...statuses].filter((one) => !reached.has(one))).toEqual([]);
}
