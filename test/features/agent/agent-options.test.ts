import { describe, expect, test } from "vitest";

import { parseAgentOptions, refuseUnknownTools } from "../../../src/features/agent/agent-options.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import * as AGENT_LIMITS from "../../../src/features/agent/limits.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

const DEFAULTS = {
  strategy: "act",
  surface: "auto",
  tools: null,
  maxRounds: AGENT_LIMITS.agentRounds,
  deadlineMs: AGENT_LIMITS.agentDeadlineMs,
  maxTokens: AGENT_LIMITS.agentRoundTokens,
  onError: "partial-success",
  skipApproval: false,
  tags: [],
};

describe("parseAgentOptions()", () => {
  test.each([
    ["nothing", undefined, {}],
    ["null, as serialisers write it", null, {}],
    [
      "null in a field, likewise",
      { strategy: null, surface: null, tools: null, max_rounds: null, deadline_ms: null, max_tokens: null },
      {},
    ],
    ["null beside what is said", { surface: "meta", tags: null, skip_approval: null }, { surface: "meta" }],
    ["a strategy", { strategy: "think-act" }, { strategy: "think-act" }],
    ["text, which is easier to write flat", { strategy: "react" }, { strategy: "react", surface: "flat" }],
    ["text and batches", { strategy: "react", surface: "batch" }, { strategy: "react", surface: "batch" }],
    ["a surface", { surface: "meta" }, { surface: "meta" }],
    ["tools", { tools: ["*"] }, { tools: ["*"] }],
    ["a person's yes beforehand", { skip_approval: true }, { skipApproval: true }],
    [
      "more tokens than a round has",
      { max_tokens: LIMITS.maxTokens },
      { maxTokens: AGENT_LIMITS.agentRoundMaxTokens },
    ],
    [
      "more rounds than usual, which have no more tokens together",
      { max_rounds: 20, max_tokens: LIMITS.maxTokens },
      { maxRounds: 20, maxTokens: 62_500 },
    ],
    ["as many rounds as may be, with the usual tokens", { max_rounds: 20 }, { maxRounds: 20 }],
  ])("reads %s", (_, value, changes) => {
    expect(valueOf(parseAgentOptions(value))).toEqual({ ...DEFAULTS, ...changes });
  });

  const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `tool_${n}`);

  test.each([
    ["tools", ["x"], names(AGENT_LIMITS.agentTools), [], names(AGENT_LIMITS.agentTools + 1)],
    ["max_rounds", 1, AGENT_LIMITS.agentMaxRounds, 0, AGENT_LIMITS.agentMaxRounds + 1],
    [
      "deadline_ms",
      AGENT_LIMITS.agentLeastDeadlineMs,
      AGENT_LIMITS.agentMaxDeadlineMs,
      AGENT_LIMITS.agentLeastDeadlineMs - 1,
      AGENT_LIMITS.agentMaxDeadlineMs + 1,
    ],
    ["max_tokens", 1, LIMITS.maxTokens, 0, LIMITS.maxTokens + 1],
  ])("has bounds for %s, and names the field beyond them", (field, least, most, less, more) => {
    for (const fine of [least, most]) expect(parseAgentOptions({ [field]: fine }).ok).toBe(true);
    for (const wrong of [less, more, "1"])
      expect(errorOf(parseAgentOptions({ [field]: wrong }))).toMatchObject({
        code: "INVALID_REQUEST",
        issue: { path: `/volley/${field}` },
      });
  });

  test.each([
    ["a field that is not there", { strategie: "act" }, "/volley/strategie"],
    ["a strategy that is none", { strategy: "guess" }, "/volley/strategy"],
    ["a name of nothing", { tools: [""] }, "/volley/tools/0"],
    ["what is no object", "act", "/volley"],
  ])("refuses %s and says where", (_, value, path) => {
    expect(errorOf(parseAgentOptions(value))).toMatchObject({ code: "INVALID_REQUEST", issue: { path } });
  });
});

describe("refuseUnknownTools()", () => {
  const catalog = createCatalog([
    contractOf("search_web", { category: "web" }),
    contractOf("send_mail", { category: "mail" }),
  ]);

  test.each([
    ["all of them", null],
    ["all by their sign", ["*"]],
    ["a tool, a category and all", ["send_mail", "web", "*"]],
  ])("lets %s pass", (_, tools) => {
    expect(refuseUnknownTools(tools, catalog)).toBeNull();
  });

  test("refuses null in a field that there is not, as any value there", () => {
    expect(errorOf(parseAgentOptions({ tols: null }))).toMatchObject({ code: "INVALID_REQUEST" });
  });

  test("refuses the first name that is neither a tool nor a category, and says which may be meant", () => {
    expect(refuseUnknownTools(["web", "send_mial", "nothing"], catalog)).toMatchObject({
      code: "INVALID_REQUEST",
      issue: { path: "/volley/tools/1", received: 'the string "send_mial"' },
      hint: expect.stringMatching(/'send_mial'.*'send_mail'/),
    });
    expect(refuseUnknownTools(["malil"], catalog)?.hint).toContain("'mail'");
    expect(refuseUnknownTools(["zzzzzzzzzzzz"], catalog)?.hint).toMatch(/'zzzzzzzzzzzz'\.$/);
  });
});
