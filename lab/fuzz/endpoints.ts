import { readFileSync } from "node:fs";

import fc from "fast-check";

import { type DocumentedOperation, isManaged, readOperations } from "../../test/support/api-document.ts";
import { HostileUpstream } from "../../test/support/hostile-upstream.ts";
import { requestArbitrary } from "../../test/support/request-arbitrary.ts";
import { startRawSandbox } from "../../test/support/sandbox.ts";
import { type RawAnswer, type RawRequest, TestCaller } from "../../test/support/test-caller.ts";
import type { Fuzz, FuzzRun } from "./fuzz.ts";

/** Connections at once. */
const WIDTH = 8;
/** Nothing that is asked here waits so long for anybody: an answer that takes longer does not come. */
const PATIENCE_MS = 90_000;

/** Every documented path, with requests that are right and requests that are wrong somewhere: no bug, no hang, no growth. */
export const ENDPOINTS: Fuzz = {
  title: "endpoints",
  runs: 20_000,
  async look(how) {
    await using upstream = await HostileUpstream.start();
    await using sandbox = await startRawSandbox({ vars: { PROBE_ORIGIN: upstream.url } });
    const callers = {
      plain: new TestCaller(sandbox.url),
      managed: new TestCaller(sandbox.url, "sandbox-admin-key"),
    };
    const operations = readOperations((await callers.plain.get("/openapi.json")).text);
    const samples = interleave(operations, how);
    const found: string[] = [];
    const statuses = new Map<number, number>();
    const resident: number[] = [];
    const queue = samples.entries();
    const worker = async (): Promise<void> => {
      for (const [index, { operation, request }] of queue) {
        const caller = isManaged(operation) ? callers.managed : callers.plain;
        const answer = await answerOf(caller, request);
        if (index % Math.ceil(samples.length / 20) === 0) resident.push(readResidentMib(sandbox.pid));
        if (answer === null) {
          found.push(`no answer within ${PATIENCE_MS / 1_000} s: ${show(request)}`);
          continue;
        }
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        // A refusal of the model's server is 502 by contract: the fault of neither side of this request.
        if (answer.status >= 500 && !answer.text.includes('"MODEL_UNAVAILABLE"'))
          found.push(`${answer.status} ${answer.text.slice(0, 300)}: ${show(request)}`);
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, worker));
    how.tell(
      [...statuses]
        .toSorted(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`)
        .join(", "),
    );
    how.tell(`resident ${resident.map((mib) => mib.toFixed(0)).join(" ")} MiB`);
    const bugs = sandbox
      .output()
      .split("\n")
      .filter((line) => line.includes('"level":"error"') || line.includes("uncaught"))
      .filter((line) => !line.includes('"code":"MODEL_UNAVAILABLE"'));
    for (const line of bugs.slice(0, 5)) found.push(`logged: ${line.slice(0, 300)}`);
    return found;
  },
};

interface Sample {
  readonly operation: DocumentedOperation;
  readonly request: RawRequest;
}

/** Every operation's share, in turns, so that what one leaves behind meets the others. */
function interleave(operations: readonly DocumentedOperation[], { seed, runs }: FuzzRun): readonly Sample[] {
  const share = Math.ceil(runs / operations.length);
  const each = operations.map((operation, index) => ({
    operation,
    requests: fc.sample(requestArbitrary(operation, ["fuzzed_a", "fuzzed_b"]), {
      numRuns: share,
      seed: seed + index,
    }),
  }));
  return Array.from({ length: share }, (_, turn) =>
    each.map(({ operation, requests }) => ({ operation, request: requests[turn]! })),
  ).flat();
}

async function answerOf(caller: TestCaller, request: RawRequest): Promise<RawAnswer | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), PATIENCE_MS);
  const answer = await Promise.race([caller.send(request), late.promise]);
  clearTimeout(timer);
  return answer;
}

function show({ method, path, body }: RawRequest): string {
  return `${method} ${path} ${String(body).slice(0, 400)}`;
}

/** The memory that the process holds now; NaN where /proc does not tell. */
function readResidentMib(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
