import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import type { Caller } from "../../../src/core/contract/gate/caller.ts";
import type { KeptTool } from "../../../src/core/contract/gate/kept-tool.ts";
import type { ToolsPage } from "../../../src/features/added-tools/stored-tools.ts";
import { toHeadJson } from "../../../src/core/catalog/tool-head.ts";
import { ToolRegistry } from "../../../src/features/added-tools/tool-registry.ts";
import { contractOf } from "../../support/fake-actions.ts";

const callerOf = (tenant: string, tools: readonly string[] = ["*"]): Caller => ({
  name: "agent",
  tenant,
  tools,
  quota: { limit: 1, windowS: 1 },
  flags: [],
});
const ACME = callerOf("acme");

function keptOf(name: string, { fingerprint = "f", json = "{}" } = {}): KeptTool {
  const head = {
    summary: name,
    description: `Of ${name}.`,
    category: "crm",
    actions: ["read"],
    is_write: false,
  };
  return { name, version: 1, fingerprint, headJson: toHeadJson(head), json };
}

const pageOf = (
  version: number,
  tools: readonly KeptTool[],
  names = tools.map(({ name }) => name),
): ToolsPage => ({
  version,
  complete: true,
  names,
  tools,
});

function createRegistry(atHand?: number) {
  const compiled: string[] = [];
  const registry = new ToolRegistry({
    shipped: createCatalog([contractOf("shipped")]),
    compile(json) {
      compiled.push(json);
      return contractOf("compiled", { domain: "made" });
    },
    hasFlows: true,
    ...(atHand !== undefined && { atHand }),
  });
  const namesOf = (caller = ACME) => registry.catalogOf(caller)?.tools.map(({ name }) => name) ?? null;
  return { registry, compiled, namesOf };
}

describe("ToolRegistry", () => {
  test("knows nothing of a tenant before it was told, and then its tools beside those of the deployment", () => {
    const { registry, namesOf } = createRegistry();
    expect([registry.catalogOf(ACME), registry.versionOf("acme")]).toEqual([null, 0]);
    registry.take("acme", pageOf(3, [keptOf("own")]));
    expect(registry.versionOf("acme")).toBe(3);
    expect(namesOf()).toEqual(expect.arrayContaining(["shipped", "own"]));
    expect(registry.catalogOf(ACME)!.version).toBe(3);
    expect(namesOf(callerOf("other"))).toBeNull();
  });

  test("never lets a tenant's tool take the place of one of the deployment", () => {
    const { registry } = createRegistry();
    registry.take("acme", pageOf(1, [keptOf("shipped"), keptOf("own")]));
    const catalog = registry.catalogOf(ACME)!;
    expect(catalog.get("shipped")!.added).toBeUndefined();
    expect(catalog.get("own")!.added).toBeDefined();
    expect(catalog.tools.filter(({ name }) => name === "shipped")).toHaveLength(1);
  });

  test("shows a key what it may call, and makes that once for a version", () => {
    const { registry, namesOf } = createRegistry();
    registry.take("acme", pageOf(1, [keptOf("own"), keptOf("theirs")]));
    const narrow = callerOf("acme", ["own"]);
    expect(registry.catalogOf(narrow)!.get("own")).toBeDefined();
    expect(registry.catalogOf(narrow)!.get("theirs")).toBeUndefined();
    expect(namesOf(narrow)).not.toContain("theirs");
    const before = registry.catalogOf(narrow);
    expect(registry.catalogOf(narrow)).toBe(before);
    registry.take("acme", pageOf(2, [], ["own", "theirs"]));
    expect(registry.catalogOf(narrow)).not.toBe(before);
  });

  test("forgets what is gone, keeps what was not told anew, and keeps as the same object what is as it was", () => {
    const { registry, namesOf } = createRegistry();
    registry.take(
      "acme",
      pageOf(
        1,
        ["a", "b", "c"].map((name) => keptOf(name)),
      ),
    );
    const [a, b] = ["a", "b"].map((name) => registry.catalogOf(ACME)!.get(name)!);
    registry.take("acme", pageOf(2, [keptOf("a"), keptOf("b", { fingerprint: "other" })], ["a", "b"]));
    expect(registry.catalogOf(ACME)!.get("a")).toBe(a);
    expect(registry.catalogOf(ACME)!.get("b")).not.toBe(b);
    expect(namesOf()).not.toContain("c");
  });

  test("takes the same version again for nothing new, and an earlier one for a reason to read everything anew", () => {
    const { registry, namesOf } = createRegistry();
    registry.take("acme", pageOf(5, [keptOf("own")]));
    const before = registry.catalogOf(ACME);
    registry.take("acme", pageOf(5, [], []));
    expect(registry.catalogOf(ACME)).toBe(before);
    registry.take("acme", pageOf(4, [keptOf("other")]));
    expect(registry.versionOf("acme")).toBe(0);
    expect(namesOf()).not.toContain("own");
    expect(namesOf()).not.toContain("other");
    registry.take("acme", pageOf(4, [keptOf("other")]));
    expect(namesOf()).toContain("other");
  });

  test("forgets the tenant that was not asked for longest, and never the one that it was just told of", () => {
    const { registry } = createRegistry(10);
    const put = (tenant: string, characters: number): void =>
      registry.take(tenant, pageOf(1, [keptOf("own", { json: "x".repeat(characters) })]));
    const knows = (...tenants: string[]) => tenants.map((tenant) => registry.versionOf(tenant) > 0);
    put("first", 4);
    put("second", 3);
    put("third", 3);
    expect(knows("first", "second", "third")).toEqual([true, true, true]);
    registry.catalogOf(callerOf("first"));
    put("fourth", 1);
    expect(knows("first", "second", "third", "fourth")).toEqual([true, false, true, true]);
    put("large", 99);
    expect(knows("first", "third", "fourth", "large")).toEqual([false, false, false, true]);
  });

  test("counts what a tenant has now, not what it once had", () => {
    const { registry } = createRegistry(10);
    registry.take("a", pageOf(1, [keptOf("one", { json: "x".repeat(9) })]));
    registry.take("a", pageOf(2, [keptOf("two", { json: "x" })]));
    registry.take("b", pageOf(1, [keptOf("own", { json: "x".repeat(9) })]));
    expect(registry.versionOf("a")).toBe(2);
  });
});

describe("A tool that a tenant added", () => {
  test("has its head at once, and is compiled once when somebody asks for more", () => {
    const { registry, compiled } = createRegistry();
    registry.take("acme", pageOf(1, [keptOf("own", { json: '{"n":1}' })]));
    const tool = registry.catalogOf(ACME)!.get("own")!;
    expect(tool).toMatchObject({
      name: "own",
      summary: "own",
      description: "Of own.",
      category: "crm",
      actions: ["read"],
      isWrite: false,
      hasLateInput: true,
      added: { json: '{"n":1}', fingerprint: "f" },
    });
    expect(compiled).toEqual([]);
    expect([tool.domain, tool.execution, tool.domain]).toEqual(["made", "sync", "made"]);
    expect(compiled).toEqual(['{"n":1}']);
  });

  test("is in everything else what its declaration was compiled to", async () => {
    const inner = { batch: {}, answer: undefined, tools: ["*"] } as unknown as NonNullable<Tool["inner"]>;
    const compiled = contractOf("compiled", {
      secrets: ["A"],
      bindings: ["B"],
      hosts: ["api.example.com"],
      timeoutMs: 7_000,
      run: async (args) => ({ got: args }),
    });
    const whole: Tool = { ...compiled, inner };
    const registry = new ToolRegistry({ shipped: createCatalog([]), compile: () => whole, hasFlows: true });
    registry.take("acme", pageOf(1, [keptOf("own")]));
    const tool = registry.catalogOf(ACME)!.get("own")!;
    for (const field of [
      "domain",
      "execution",
      "input",
      "hosts",
      "secrets",
      "bindings",
      "timeoutMs",
      "maxResponseBytes",
      "typicalTokens",
      "idempotent",
      "repeatable",
      "delivery",
      "retries",
      "whenLimiterDown",
      "orchestration",
      "onError",
      "concurrency",
      "globalLimits",
      "confirm",
      "inner",
    ] as const)
      expect([field, tool[field]]).toEqual([field, whole[field]]);
    expect(await tool.run({ n: 1 }, {} as never)).toEqual({ got: { n: 1 } });
  });
});
