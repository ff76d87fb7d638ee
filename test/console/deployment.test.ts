import { describe, expect, test } from "vitest";

import { BATCH_FIELDS } from "../../src/console/kit/batch-fields.ts";
import { mayUse, toDeployment } from "../../src/console/kit/deployment.ts";
import type { Section } from "../../src/console/kit/section.ts";

const core: Section = {};
const flows: Section = { feature: "flows" };
const ALL = [core, flows];

describe("toDeployment()", () => {
  test("has the sections of core only, until the Worker has answered", () => {
    expect(toDeployment(ALL, { data: null, problem: null })).toEqual({
      isKnown: false,
      sections: [core],
      batchFields: null,
      flags: null,
      who: null,
    });
  });

  test("has the sections of the features that the Worker lists, the flags of the key, and who looks where", () => {
    const who = { key: "assistant", tenant: "acme", environment: "production" };
    const data = { features: ["flows", "mcp"], flags: ["approve"], ...who };
    expect(toDeployment(ALL, { data, problem: null })).toEqual({
      isKnown: true,
      sections: ALL,
      batchFields: BATCH_FIELDS,
      flags: ["approve"],
      who,
    });
    const without = { ...data, features: ["mcp"] };
    expect(toDeployment(ALL, { data: without, problem: null }).sections).toEqual([core]);
  });

  test("has a section of a flag for keys that have it, and before that is known for none", () => {
    const operator: Section = { feature: "operator", flag: "operator" };
    const of = (flags: readonly string[]) =>
      toDeployment([core, operator], {
        data: { features: ["operator"], flags, key: "ops", tenant: "operator" },
        problem: null,
      }).sections;
    expect(of(["operator"])).toEqual([core, operator]);
    expect(of(["manage_keys"])).toEqual([core]);
    const problem = { code: "UNREADABLE" };
    expect(toDeployment([core, operator], { data: null, problem }).sections).toEqual([core]);
  });

  test("has all sections where the Worker does not say what it lists", () => {
    const problem = { code: "UNREADABLE" };
    const all = { isKnown: true, sections: ALL, batchFields: BATCH_FIELDS, flags: null, who: null };
    expect(toDeployment(ALL, { data: null, problem })).toEqual(all);
  });

  test("goes by the last answer when a later one fails", () => {
    const data = { features: ["mcp"], flags: [], key: "assistant", tenant: "acme" };
    expect(toDeployment(ALL, { data, problem: { code: "OFFLINE" } }).sections).toEqual([core]);
  });
});

test("mayUse() asks for the flag where one is needed, and leaves what is not known to the API", () => {
  const of = (flags: readonly string[] | null, flag?: string): boolean => mayUse({ flags }, flag);
  expect([of([]), of(["approve"], "approve"), of(null, "approve")]).toEqual([true, true, true]);
  expect(of(["manage_keys"], "approve")).toBe(false);
});
