import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import type { KeptTool } from "../../../src/core/contract/gate/kept-tool.ts";
import type { ToolsPage } from "../../../src/features/added-tools/stored-tools.ts";
import { toHeadJson } from "../../../src/core/catalog/tool-head.ts";
import { ToolRegistry } from "../../../src/features/added-tools/tool-registry.ts";
import { contractOf } from "../../support/fake-actions.ts";

const CALLER = {
  name: "key",
  tenant: "acme",
  tools: ["*"],
  quota: { limit: 100, windowS: 60 },
  flags: [],
};
const mail = contractOf("mail", { isWrite: true, actions: ["send"] });
const shipped = createCatalog([mail, contractOf("echo")]);

function keptAs(name: string, version: number): KeptTool {
  const head = {
    summary: "The tenant's own",
    description: "The tenant's own.",
    category: "own",
    actions: ["read"],
    is_write: false,
  };
  return { name, version, fingerprint: `own ${name}`, headJson: toHeadJson(head), json: "{}" };
}

function catalogWith(...names: readonly string[]) {
  return catalogOf(names.map((name, index) => keptAs(name, index + 1)));
}

function catalogOf(tools: readonly KeptTool[], { hasFlows = true } = {}) {
  const registry = new ToolRegistry({ shipped, compile: () => contractOf("compiled"), hasFlows });
  const names = tools.map(({ name }) => name);
  const page: ToolsPage = { version: tools.length, complete: true, names, tools: [...tools] };
  registry.take("acme", page);
  return registry.catalogOf(CALLER)!;
}

describe("A tool of a tenant that has the name of a shipped one", () => {
  test("T36 never takes its place: calls, lists, categories and discovery have the shipped one, once", () => {
    const catalog = catalogWith("mail", "other");
    expect(catalog.get("mail")).toBe(mail);
    expect(catalog.callable("mail")).toBe(mail);
    expect(catalog.tools.filter(({ name }) => name === "mail")).toEqual([mail]);
    expect(catalog.byCategory.get("own")?.map(({ name }) => name)).toEqual(["other"]);
    expect(catalog.search("mail")).toEqual([mail]);
  });

  test("T36 takes the place of no meta-tool either", () => {
    const catalog = catalogWith("discover_tools");
    expect(catalog.tools.map(({ name }) => name)).not.toContain("discover_tools");
    expect(catalog.callable("discover_tools")).toBe(catalog.metaTools.get("discover_tools"));
  });

  test("is the tenant's own again where the deployment has none of that name", () => {
    expect(catalogWith("other").get("other")).toMatchObject({ category: "own", isWrite: false });
  });
});

test("A flow that was kept is no tool of a Worker that does not list flows", () => {
  const tools = [keptAs("other", 1), { ...keptAs("nightly", 2), json: '{"name":"nightly","flow":{}}' }];
  const namesWith = (hasFlows: boolean) => {
    const own = catalogOf(tools, { hasFlows }).byCategory.get("own");
    return own?.map(({ name }) => name);
  };
  expect(namesWith(true)).toEqual(["other", "nightly"]);
  expect(namesWith(false)).toEqual(["other"]);
});
