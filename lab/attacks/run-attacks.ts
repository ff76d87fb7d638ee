/**
 * Attack a sandbox in raw workerd with every known worst request, and print what each one cost.
 *
 *   npm run bench:worst [-- words of a title]
 *
 * Fails when an attack got what it must not get. CPU and memory are reported, and judged by the reader of the table: a budget in
 * seconds would fail on somebody's machine.
 */
import { readFileSync } from "node:fs";

import { readCpuMicros } from "../bench/cpu-time.ts";
import { HostileUpstream } from "../../test/support/hostile-upstream.ts";
import { startRawSandbox } from "../../test/support/sandbox.ts";
import type { Answered, Attack, Cost } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";

/** A request that takes longer has got through. */
const PATIENCE_MS = 60_000;

const words = process.argv.slice(2).join(" ").toLowerCase();
const chosen = ATTACKS.filter(({ title }) => title.toLowerCase().includes(words));
console.log("   CPU ms  peak MiB  answer KiB  attack");
for (const attack of chosen) {
  const { cost, broken } = await measure(attack);
  const { cpuMs, peakMib, answerBytes } = cost;
  const figures = [cpuMs.toFixed(0).padStart(9), peakMib.toFixed(0).padStart(8)];
  console.log(`${figures.join("  ")}  ${(answerBytes / 1024).toFixed(0).padStart(10)}  ${attack.title}`);
  if (broken === null) continue;
  process.exitCode = 1;
  console.log(`           BROKEN: ${broken}`);
}
console.log(`${chosen.length} attacks, ${process.exitCode === 1 ? "some got through" : "none got through"}`);

/** Run one attack against a process of its own, so that its peak is not mixed with another's. */
async function measure(attack: Attack): Promise<{ readonly cost: Cost; readonly broken: string | null }> {
  await using upstream = await HostileUpstream.start();
  await using sandbox = await startRawSandbox({
    vars: {
      PROBE_ORIGIN: upstream.url,
      LLM_BASE_URL: `${upstream.url}/v1`,
      ANTHROPIC_BASE_URL: upstream.url,
      ...attack.vars,
    },
    ...(attack.config !== undefined && { config: attack.config }),
  });
  let cpuMs = 0;
  let answerBytes = 0;
  const ask = async (path: string, init: RequestInit): Promise<Answered> => {
    const before = readCpuMicros(sandbox.pid);
    const response = await fetch(`${sandbox.url}${path}`, {
      ...init,
      headers: { authorization: "Bearer sandbox-key", ...(init.headers as Record<string, string>) },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    const bytes = Buffer.byteLength(text);
    cpuMs = Math.max(cpuMs, (readCpuMicros(sandbox.pid) - before) / 1_000);
    answerBytes = Math.max(answerBytes, bytes);
    return { status: response.status, headers: response.headers, text, bytes };
  };
  const get = (path: string): Promise<Answered> => ask(path, {});
  const send = (path: string, body: unknown, headers = {}): Promise<Answered> =>
    ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  // Code that compiles on first use is no part of an attack's cost.
  await send("/v1/execute_actions", { actions: [{ tool: "probe-echo", args: { n: 1 } }] });
  cpuMs = 0;
  answerBytes = 0;
  const execute = (batch: unknown, headers = {}): Promise<Answered> =>
    send("/v1/execute_actions", batch, headers);
  const broken = await attack.run({ url: sandbox.url, upstream, get, send, execute }).then(
    () => null,
    (error: unknown) => String(error),
  );
  return { cost: { cpuMs, peakMib: readPeakMib(sandbox.pid), answerBytes }, broken };
}

/** NaN where /proc does not tell. */
function readPeakMib(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
