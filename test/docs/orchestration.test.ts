import { readdir, readFile } from "node:fs/promises";

import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";

import { parseBatch } from "../../src/core/contract/batch.ts";
import { execute } from "../../src/core/run/execute/executor.ts";
import { executePlan } from "../../src/core/run/execute/execute-plan.ts";
import { toBatchJson, toPartitionJson } from "../../src/features/orchestration/orchestration-answer.ts";
import {
  parseBatchRequest,
  parsePartitionRequest,
} from "../../src/features/orchestration/orchestration-api.ts";
import { estimateTokens } from "../../src/core/answer/estimate-tokens.ts";
import { makeSerialPlan } from "../../src/features/orchestration/make-serial-plan.ts";
import { makePartition } from "../../src/features/orchestration/partition.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { createProbeTools } from "../sandbox/probe-tools.ts";
import { routeUpstream } from "../sandbox/upstreams/route-upstream.ts";
import { TestWorld } from "../support/execute-batch.ts";
import { valueOf } from "../support/unwrap.ts";
import { trial } from "../support/trial.ts";

const page = await readPage("docs/orchestration.md");
const examples = findExamples("docs/orchestration.md", page);

/** Measured on another machine and another day. */
const TIME_TOLERANCE_MS = 50;
const HANDLE = /^r-[0-9a-f-]{36}$/;

/** Examples share a world, as they would share a sandbox: a later one may refer to what an earlier one kept. */
const world = createSandboxWorld();
const tools = [...SHIPPED_TOOLS, ...createProbeTools("https://probe.sandbox.test")];
/** The printed handles, and what they are today. */
const handles = new Map<string, string>();

describe("docs/orchestration.md", () => {
  test("has an answer under every request", () => {
    const requests = [...page.matchAll(/^```json runnable/gm)];

    expect(requests).not.toEqual([]);
    expect(examples).toHaveLength(requests.length);
  });

  trial.each(examples)("prints what the request in $name is answered", async ({ path, request, printed }) => {
    let body = request;
    for (const [old, current] of handles) body = body.replaceAll(old, current);

    expect(differences(printed, await answer(path, JSON.parse(body)))).toEqual([]);
  });

  trial("prints how far the token estimate is off", async () => {
    const errors = await measureTokenErrors();
    const percent = (error: number): string => `${(100 * error).toFixed(1)} %`;
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;

    const text = page.replaceAll(/\s+/g, " ");
    expect(text).toContain(`on the ${errors.length} fixtures`);
    expect(text).toContain(
      `the largest error is ${percent(Math.max(...errors))} and the mean ${percent(mean)}`,
    );
  });
});

describe("a printed answer", () => {
  test.each([
    ["another value", { a: 1 }, { a: 2 }],
    ["a field that is not there", { a: 1 }, {}],
    ["fewer elements", [1], [1, 2]],
    ["another end", ["…", 3], [1, 2]],
    ["another text", "a…c", "abd"],
    ["another time", { duration_ms: 100 }, { duration_ms: 200 }],
  ])("does not fit %s", (_, printed, real) => {
    expect(differences(printed, real)).not.toEqual([]);
  });

  test.each([
    ["fields left out", { a: 1 }, { a: 1, b: 2 }],
    ["elements left out", ["…", 3, "…"], [1, 2, 3, 4]],
    ["text left out", "a…c", "abc"],
    ["about the same time", { duration_ms: 100 }, { duration_ms: 104 }],
  ])("fits with %s", (_, printed, real) => {
    expect(differences(printed, real)).toEqual([]);
  });
});

async function answer(path: string, body: unknown): Promise<unknown> {
  const execution = world.execution(tools, {
    ports: { ...world.ports, newId: () => crypto.randomUUID() },
  });
  switch (path) {
    case "/v1/execute_actions": {
      const batch = valueOf(parseBatch(body, 1_000));
      return JSON.parse(valueOf(await world.clock.runUntil(execute(batch, execution))).json);
    }
    case "/api/orchestration/partition": {
      const calls = valueOf(parsePartitionRequest(body, 1_000));
      return JSON.parse(toPartitionJson(makePartition(calls, execution.catalog)));
    }
    case "/api/orchestration/batch": {
      const partition = makePartition(valueOf(parseBatchRequest(body, 1_000)), execution.catalog);
      const plan = makeSerialPlan(partition, execution.catalog);
      const { outcomes, durationMs } = valueOf(await world.clock.runUntil(executePlan(plan, execution)));
      return JSON.parse(toBatchJson(partition, { outcomes, totalDurationMs: durationMs }));
    }
    default:
      throw new Error(`Cannot send a request to '${path}'`);
  }
}

/** The sandbox's tools and stand-ins, in virtual time. */
function createSandboxWorld(): TestWorld {
  const made = new TestWorld();
  for (const [name, value] of Object.entries({
    GOOGLE_MAPS_API_KEY: "sandbox-google-maps-api-key",
    BRAVE_SEARCH_API_KEY: "sandbox-brave-search-api-key",
    RESEND_API_KEY: "re_sandbox_resend_api_key",
    EMAIL_FROM: "Volley <volley@example.com>",
  }))
    made.secrets.set(name, value);
  const ports = { sleep: (ms: number) => made.clock.sleep(ms), now: () => made.clock.now() };
  made.fetch = (url, init) => routeUpstream(new Request(url, init), ports)!;
  return made;
}

/**
 * Where a printed answer is not the real one, as JSON Pointers. Printed ones are shortened: fields may be left out, "…"
 * stands for any elements of an array, for any value and for any part of a text.
 */
function differences(printed: unknown, real: unknown, at = ""): string[] {
  if (Array.isArray(printed)) {
    return Array.isArray(real) && elementsFit(printed, real)
      ? []
      : [`${at}: ${JSON.stringify(printed)} is not ${JSON.stringify(real)}`];
  }
  if (typeof printed === "object" && printed !== null) {
    return Object.entries(printed).flatMap(([key, value]) =>
      differences(value, (real as Readonly<Record<string, unknown>> | undefined)?.[key], `${at}/${key}`),
    );
  }
  return valueFits(printed, real, at)
    ? []
    : [`${at}: ${JSON.stringify(printed)} is not ${JSON.stringify(real)}`];
}

function elementsFit(printed: readonly unknown[], real: readonly unknown[]): boolean {
  const [first, ...rest] = printed;
  if (printed.length === 0) return real.length === 0;
  if (first === "…") return real.some((_, skip) => elementsFit(rest, real.slice(skip))) || rest.length === 0;
  return real.length > 0 && differences(first, real[0]).length === 0 && elementsFit(rest, real.slice(1));
}

function valueFits(printed: unknown, real: unknown, at: string): boolean {
  if (printed === "…") return real !== undefined;
  if (typeof printed === "number" && typeof real === "number" && /(?:_ms|Ms)$/.test(at))
    return Math.abs(printed - real) <= TIME_TOLERANCE_MS;
  if (typeof printed !== "string" || typeof real !== "string") return printed === real;
  if (HANDLE.test(printed) && HANDLE.test(real)) handles.set(printed, real);
  const [head = "", tail] = printed.split("…");
  if (tail === undefined) return printed === real || handles.get(printed) === real;
  return real.startsWith(head) && real.slice(head.length).endsWith(tail);
}

async function measureTokenErrors(): Promise<number[]> {
  const folder = new URL("../fixtures/token-estimates/", import.meta.url);
  const files = await readdir(folder);
  return Promise.all(
    files.map(async (file) => {
      const json = JSON.stringify(JSON.parse(await readFile(new URL(file, folder), "utf8")));
      return Math.abs(estimateTokens(json) / encode(json).length - 1);
    }),
  );
}

function readPage(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), "utf8");
}

/** The requests of a page that can be sent, each with the answer printed under it. */
function findExamples(name: string, text: string) {
  const blocks = /^```json runnable *(\S*)\n(.*?)^```\n+```json answer\n(.*?)^```/gms;
  return Array.from(text.matchAll(blocks), ({ 1: path, 2: request, 3: printed, index }) => ({
    name: `${name}, line ${text.slice(0, index).split("\n").length}`,
    path: path || "/v1/execute_actions",
    request: request!,
    printed: JSON.parse(printed!) as unknown,
  }));
}
