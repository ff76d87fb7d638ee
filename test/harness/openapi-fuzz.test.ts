import fc from "fast-check";
import { expect, test } from "vitest";

import {
  type DocumentedOperation,
  findDeviation,
  findMisjudgement,
  isManaged,
  readOperations,
} from "../support/api-document.ts";
import { eventually } from "../support/eventually.ts";
import { requestArbitrary } from "../support/request-arbitrary.ts";
import { startSandbox } from "../support/sandbox.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";
import { type RawRequest, TestCaller } from "../support/test-caller.ts";

const { upstream, volley, caller } = await setUpSandbox({}, startSandbox);
const admin = new TestCaller(volley.url, "sandbox-admin-key");
const operator = new TestCaller(volley.url, "sandbox-operator-key");
const callerOf = (operation: DocumentedOperation): TestCaller =>
  operation.path.includes("/operator/") || operation.operationId.startsWith("reseal")
    ? operator
    : isManaged(operation)
      ? admin
      : caller;
upstream.script(
  "/write",
  (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"),
);

/** A stream of events is open for five minutes. */
const operations = readOperations((await caller.get("/openapi.json")).text).filter(
  ({ operationId }) => operationId !== "followEvents",
);

/** Jobs that will be dead after four backoffs; other operations have their turn meanwhile. */
const DOOMED = await initiate("probe-background", { n: 1, status: 500 }, 3);

/** How many requests are sent; each operation gets its share. */
const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 17_500);

test(
  `the document says the truth about ${REQUESTS} valid and mutated requests`,
  { timeout: 500_000 },
  async () => {
    const share = Math.ceil(REQUESTS / operations.length);
    const deviations: string[] = [];
    const reached = new Set<string>();
    let sent = 0;
    for (const operation of operations.toSorted(byDeath)) {
      const ids = await idsFor(operation);
      const samples = fc.sample(requestArbitrary(operation, ids), { numRuns: share, seed: 20_261_121 });
      const queue = samples.values();
      const worker = async (): Promise<void> => {
        for (const request of queue) {
          const answer = await callerOf(operation).send(request);
          sent += 1;
          reached.add(`${operation.operationId} ${answer.status}`);
          for (const [, status] of answer.text.matchAll(/"status":"([a-z_]+)"/g))
            reached.add(`a result ${status}`);
          // Any method of any path meets what is asked before a path is looked at.
          if (operationOf(request) === undefined && answer.text.includes('"code":"LOOP_DETECTED"')) continue;
          const deviation =
            findDeviation(operationOf(request) ?? operation, answer) ??
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

/** The operation that a request asks for: with another method, the path may have another. */
function operationOf({ method, path }: RawRequest): DocumentedOperation | undefined {
  const address = path?.replace(/\?.*$/, "");
  const fits = operations.filter(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replace("{id}", "[^/]+")}$`).test(address ?? ""),
  );
  return fits.find((operation) => operation.path === address) ?? fits[0];
}

/** Puts last what needs dead jobs. */
function byDeath(a: DocumentedOperation, b: DocumentedOperation): number {
  return Number(a.operationId === "redriveJob") - Number(b.operationId === "redriveJob");
}

/** The ids for a path: kept objects; confirmations that wait, more than are decided; jobs under way, or dead. */
async function idsFor({ path, operationId }: DocumentedOperation): Promise<readonly string[]> {
  if (!path.includes("{id}")) return [];
  if (path.startsWith("/v1/objects")) return [await keepReport()];
  if (path.startsWith("/v1/tools")) return keepAll("putTool", "fuzzed");
  if (path.startsWith("/v1/flows")) return keepAll("putFlow", "fuzzed_flow");
  if (path.startsWith("/v1/endpoints")) return keepAll("putEndpoint", "fuzzed");
  if (path.startsWith("/v1/event_types")) return keepAll("putEventType", "fuzzed");
  if (path.startsWith("/v1/events")) return [(await publish()).event];
  if (path.startsWith("/v1/deliveries")) return [(await publish()).delivery];
  if (path.endsWith("/results")) return [await runLater()];
  if (path.startsWith("/v1/keys")) return makeKeys();
  if (path.startsWith("/v1/connections")) return startConnections();
  if (path.startsWith("/v1/runs")) return leaveRuns();
  if (path.startsWith("/v1/confirmations")) return initiate("probe-delete", { id: 1 }, 40);
  if (operationId !== "redriveJob") return initiate("probe-background", { n: 1, d: 20_000 }, 6);
  // Where it was dead early, the request that redrives all has made it begin again.
  const withinMs = 300_000;
  await eventually("a job to be dead", async () => (await isDead(DOOMED[0]!)) || undefined, { withinMs });
  return DOOMED;
}

/** An event, and its delivery to an endpoint that takes what no other does. */
async function publish(): Promise<{ readonly event: string; readonly delivery: string }> {
  const endpoint = JSON.stringify({ url: "https://shop.example.com/hooks", events: ["fuzzed.event"] });
  await admin.send({ method: "PUT", path: "/v1/endpoints/delivered", body: endpoint });
  const body = JSON.stringify({ type: "fuzzed.event", data: {} });
  const { event_id: event } = JSON.parse((await admin.send({ path: "/v1/events", body })).text) as {
    readonly event_id: string;
  };
  const { deliveries } = JSON.parse((await admin.get(`/v1/deliveries?event=${event}`)).text) as {
    readonly deliveries: readonly { readonly delivery_id: string }[];
  };
  return { event, delivery: deliveries[0]!.delivery_id };
}

/** The job of a batch in the background. */
async function runLater(): Promise<string> {
  const body = JSON.stringify({ background: true, actions: [{ tool: "probe-echo", args: { n: 1 } }] });
  const { job_id: id } = JSON.parse((await caller.send({ body })).text) as { readonly job_id: string };
  return id;
}

/** Runs that can be seen. */
async function leaveRuns(): Promise<readonly string[]> {
  const tag = `fuzzed-${crypto.randomUUID()}`;
  for (let run = 0; run < 3; run += 1)
    await admin.send({
      body: JSON.stringify({ actions: [{ tool: "probe", args: { n: run } }], tags: [tag] }),
    });
  return eventually("the runs to be seen", async () => {
    const { runs } = JSON.parse((await admin.get(`/v1/runs?tag=${tag}`)).text) as {
      readonly runs: readonly { readonly run_id: string }[];
    };
    return runs.length === 3 ? runs.map(({ run_id }) => run_id) : undefined;
  });
}

/** Names that have keys. */
async function makeKeys(): Promise<readonly string[]> {
  const names = ["fuzzed-a", "fuzzed-b", "fuzzed-c"];
  for (const name of names)
    await admin.send({ path: "/v1/keys", body: JSON.stringify({ name, tools: ["probe"] }) });
  return names;
}

/** Names of tools, or flows, that are there when the operation's turn comes. */
async function keepAll(put: string, prefix: string): Promise<readonly string[]> {
  const { path, requestBody } = operations.find(({ operationId }) => operationId === put)!;
  const { example } = requestBody!.content!["application/json"]!;
  const names = ["a", "b", "c"].map((end) => `${prefix}_${end}`);
  for (const name of names)
    await admin.send({ method: "PUT", path: path.replace("{id}", name), body: JSON.stringify(example) });
  return names;
}

/** Connections with unopened links, of people of their own: one that is asked for again would be the same. */
async function startConnections(): Promise<readonly string[]> {
  const started = Array.from({ length: 20 }, async () => {
    const body = JSON.stringify({ connector: "google", subject: `u_${crypto.randomUUID()}` });
    const { text } = await admin.send({ path: "/v1/connections", body });
    return (JSON.parse(text) as { readonly connection_id: string }).connection_id;
  });
  return Promise.all(started);
}

async function initiate(tool: string, args: object, count: number): Promise<string[]> {
  const { results } = await caller.execute(Array.from({ length: count }, () => ({ tool, args })));
  return results.map(({ job_id, confirmation }) => job_id ?? confirmation!.id);
}

async function keepReport(): Promise<string> {
  const { results } = await caller.execute([{ tool: "csv_report", args: { source: "orders" } }]);
  return (results[0]!.data as { readonly object: string }).object;
}

async function isDead(jobId: string): Promise<boolean> {
  return (await caller.get(`/v1/jobs/${jobId}`)).text.includes('"status":"dead"');
}

/** Make sure that the requests got past the first checks, and into every refusal that a request can cause by itself. */
function expectReached(reached: ReadonlySet<string>): void {
  const results = ["success", "error", "initiated", "skipped", "pending_confirmation"].map(
    (status) => `a result ${status}`,
  );
  // Most of what /mcp answers depends on more than one thing being wrong at once, and a webhook's on a signature.
  const ours = operations.filter(({ path }) => path !== "/mcp" && !path.startsWith("/hooks/"));
  const statuses = ours.flatMap(({ operationId, responses }) =>
    Object.keys(responses)
      .filter((status) => ["200", "400", "403", "404", "422"].includes(status))
      .map((status) => `${operationId} ${status}`),
  );
  // The request that deletes everything of a tenant is not sent in its name: the others would have nothing left to be asked
  // about.
  // Only a delivery whose endpoint is gone or paused is not sent again.
  // A connection is confirmed with a code that a browser brings back.
  const unreached = [
    "deleteTenant 200",
    "resendDelivery 422",
    "confirmConnection 200",
    "confirmConnectionCode 200",
  ];
  // One code answers these for all paths.
  for (const status of ["401", "405", "415"])
    expect([...reached].filter((one) => one.endsWith(` ${status}`)).length).toBeGreaterThan(10);
  const wanted = [...results, ...statuses].filter((one) => !unreached.includes(one));
  expect(wanted.filter((one) => !reached.has(one))).toEqual([]);
}
