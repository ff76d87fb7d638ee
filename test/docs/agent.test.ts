import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { agentOptionsSchema, parseAgentOptions } from "../../src/features/agent/agent-options.ts";
import { CODES, REFUSALS } from "../../src/core/contract/failure-codes.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import * as AGENT_LIMITS from "../../src/features/agent/limits.ts";
import { SHIPPED_TOOLS } from "../../src/tools/shipped-tools.ts";
import { measureLoop } from "../../lab/bench/tokens/measure-loop.ts";
import {
  CHAIN_QUESTION,
  LOOKUP_QUESTION,
  WAYS_THROUGH_A_CHAIN,
  waysToLookUp,
} from "../../lab/bench/tokens/questions.ts";
import {
  measureAll,
  paid,
  reportByLookups,
  reportByTools,
  reportChain,
  reportLookups,
} from "../../lab/bench/tokens/report-loop.ts";
import { valueOf } from "../support/unwrap.ts";

const page = await readFile(new URL("../../docs/agent.md", import.meta.url), "utf8");
const costs = await readFile(new URL("../../lab/bench/tokens/report.md", import.meta.url), "utf8");
const say = (number: number): string => number.toLocaleString("en-US");

describe("docs/agent.md", () => {
  test("lists every field of volley, with its default and bounds", () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (.+?) \| (.+?) \| .+ \|$/gm)].map(
      ([, name, standard, bounds]) => [name!, standard!, bounds!] as const,
    );
    const defaults = valueOf(parseAgentOptions({}));
    const fields = rows.filter(([name]) => name in agentOptionsSchema().shape);
    expect(fields.map(([name]) => name)).toEqual(Object.keys(agentOptionsSchema().shape));
    expect(Object.fromEntries(fields.map(([name, ...row]) => [name, row]))).toMatchObject({
      strategy: [`\`${defaults.strategy}\``, expect.any(String)],
      max_rounds: [say(defaults.maxRounds), `1 to ${say(AGENT_LIMITS.agentMaxRounds)}`],
      deadline_ms: [
        say(defaults.deadlineMs),
        `${say(AGENT_LIMITS.agentLeastDeadlineMs)} to ${say(AGENT_LIMITS.agentMaxDeadlineMs)}`,
      ],
      max_tokens: [say(defaults.maxTokens), `1 to ${say(LIMITS.maxTokens)}`],
      tools: [expect.any(String), `1 to ${say(AGENT_LIMITS.agentTools)}`],
      skip_approval: [`\`${defaults.skipApproval}\``, expect.any(String)],
    });
  });

  test("shows a value of volley that is taken as it stands", () => {
    const [, value] = /"volley": (\{.*?\}) \}/s.exec(page)!;
    expect(parseAgentOptions(JSON.parse(value!)).ok).toBe(true);
  });

  test("names codes with the status that they have", () => {
    const named = [...page.matchAll(/(\d{3}) `([A-Z_]+)`/g)];
    expect(named.length).toBeGreaterThan(10);
    for (const [, status, code] of named)
      expect([code, { ...CODES, ...REFUSALS }[code as keyof typeof REFUSALS]]).toEqual([
        code,
        expect.objectContaining({ status: Number(status) }),
      ]);
  });

  test("says how long and how much is kept as the limits do", () => {
    expect(page).toContain(`for ${LIMITS.turnRetentionMs / 60_000} minutes`);
    expect(page).toContain(`at most ${AGENT_LIMITS.keptTurns} turns`);
    expect(page).toContain(`${say(AGENT_LIMITS.agentRoundTokens)} estimated tokens a round`);
    expect(page).toContain(`${AGENT_LIMITS.agentBodyBytes / 1024 / 1024} MiB`);
    expect(page).toContain(`The first ${LIMITS.actions} actions of a turn run`);
  });
});

describe("lab/bench/tokens/report.md prints what npm run bench:tokens measures", () => {
  test.each([
    ["of three lookups", reportLookups],
    ["of steps that need each other", reportChain],
    ["by lookups", reportByLookups],
    ["by tools", reportByTools],
  ])("%s", async (_, report) => {
    expect(costs, "run: npm run bench:tokens").toContain((await report()).join("\n"));
  });

  test("with the number of tools that ship", () => {
    expect(costs).toContain(`${SHIPPED_TOOLS.length} tools that ship`);
  });
});

describe("lab/bench/tokens/report.md says rightly", () => {
  const lookUp = (count: number) => measureAll(SHIPPED_TOOLS, LOOKUP_QUESTION, waysToLookUp(count));

  test("from how many lookups a batch costs less than one call at a time, and that it never does than parallel calls", async () => {
    const counts = [1, 2, 3, 4, 5];
    const measured = await Promise.all(counts.map(lookUp));
    const less = (cost: (of: (typeof measured)[0][0]) => number): number[] =>
      counts.filter((_, at) => cost(measured[at]![3]!) < cost(measured[at]![0]!));
    expect(less(({ sent }) => sent)).toEqual([2, 3, 4, 5]);
    expect(less(paid)).toEqual([3, 4, 5]);
    for (const [, parallel, , batch] of measured) expect(batch!.sent).toBeGreaterThan(parallel!.sent);
  });

  test("how much the contracts add to a block of tools", async () => {
    const [, own, flat] = await lookUp(3);
    expect(costs).toContain(`are ${Math.round(100 * (flat!.tools / own!.tools - 1))} % more of a block`);
  });

  test("that steps which need each other cost less as one batch", async () => {
    const [oneByOne, parallel, flat, batch] = await measureAll(
      SHIPPED_TOOLS,
      CHAIN_QUESTION,
      WAYS_THROUGH_A_CHAIN,
    );
    for (const other of [oneByOne!, parallel!, flat!]) {
      expect(batch!.sent).toBeLessThan(other.sent);
      expect(paid(batch!)).toBeLessThan(paid(other));
    }
  });
});

describe("The measured loops", () => {
  const ways = [
    ...[1, 2, 3, 4, 5].flatMap((count) => waysToLookUp(count).map((way) => [LOOKUP_QUESTION, way] as const)),
    ...WAYS_THROUGH_A_CHAIN.map((way) => [CHAIN_QUESTION, way] as const),
  ];

  test("have no call that failed", async () => {
    for (const [question, way] of ways) {
      const { conversation } = await measureLoop(SHIPPED_TOOLS, question, way);
      expect(conversation).not.toMatch(/\\"status\\":\\"(?:error|skipped|unknown)/);
    }
  });

  test("call under meta only what was found, with its parameters", async () => {
    for (const [question, way] of ways.filter(([, { surface }]) => surface === "meta")) {
      const { conversation } = await measureLoop(SHIPPED_TOOLS, question, way);
      const [, { content }] = (JSON.parse(conversation) as { role: string; content: string }[]).filter(
        ({ role }) => role !== "user",
      ) as [unknown, { content: string }];
      const { tools } = JSON.parse(content) as { tools: { name: string; parameters?: object }[] };
      const described = tools.flatMap(({ name, parameters }) => (parameters === undefined ? [] : [name]));
      const called = [...JSON.stringify(way.rounds[1]).matchAll(/"tool":"([\w-]+)"/g)].map(
        ([, name]) => name!,
      );
      expect(called.filter((name) => !described.includes(name))).toEqual([]);
    }
  });
});
