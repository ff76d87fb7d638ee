import fc from "fast-check";
import { expect, test } from "vitest";

import {
  fromAnnotations,
  toAnnotations,
  type ToolAnnotations,
} from "../../../src/features/discovery/annotations.ts";
import { defineTool, type Tool } from "../../../src/core/catalog/define-tool.ts";
import { sendEmail } from "../../../src/tools/email/send-email.ts";
import { declareTool, deleteOrder, searchOrders, sendReceipt } from "../../support/sample-tools.ts";

/** A tool whose contract is what its annotations say. */
function toolUnder(annotations: Partial<ToolAnnotations>): Tool {
  const { isWrite, idempotent, ...orchestration } = fromAnnotations(annotations);
  return defineTool(declareTool({ isWrite, idempotent, orchestration, actions: ["call"] }));
}

test("toAnnotations() calls a read read-only, harmless and repeatable", () => {
  expect(toAnnotations(searchOrders)).toEqual({
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  });
});

test("toAnnotations() calls a write that needs a person's yes destructive", () => {
  expect(toAnnotations(deleteOrder)).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  const orchestration = { mode: "sequential-only", confirm: "always" } as const;
  const pay = defineTool(declareTool({ isWrite: true, actions: ["pay"], orchestration }));
  expect(toAnnotations(pay).destructiveHint).toBe(true);
});

test("toAnnotations() calls a deletion destructive even where its contract needs no yes", () => {
  const orchestration = { mode: "sequential-only", confirm: "never" } as const;
  const remove = defineTool(declareTool({ isWrite: true, actions: ["delete"], orchestration }));
  expect(toAnnotations(remove).destructiveHint).toBe(true);
});

test("toAnnotations() calls a confirmed read read-only: it destroys nothing", () => {
  const orchestration = { mode: "parallel-safe", confirm: "always" } as const;
  expect(toAnnotations(defineTool(declareTool({ orchestration })))).toMatchObject({
    readOnlyHint: true,
    destructiveHint: false,
  });
});

test("toAnnotations() says of any other write that it adds only, which is not the protocol's default", () => {
  expect(toAnnotations(sendReceipt)).toMatchObject({ readOnlyHint: false, destructiveHint: false });
});

test("toAnnotations() calls nothing idempotent that needs its key: a client that calls again sends another one", () => {
  expect(sendEmail.repeatable).toBe(true);
  expect(toAnnotations(sendEmail).idempotentHint).toBe(false);
});

test("toAnnotations() calls the world of a tool that reaches no host closed", () => {
  expect(toAnnotations(defineTool(declareTool({ hosts: [] }))).openWorldHint).toBe(false);
});

test("fromAnnotations() takes readOnlyHint for parallel-safe, whatever the other hints say", () => {
  const read = { mode: "parallel-safe", isWrite: false, idempotent: true, on_error: "partial-success" };
  expect(fromAnnotations({ readOnlyHint: true })).toEqual(read);
  expect(fromAnnotations({ readOnlyHint: true, destructiveHint: true, idempotentHint: false })).toEqual(read);
});

test("fromAnnotations() takes destructiveHint for sequential-only and confirmed", () => {
  expect(fromAnnotations({ readOnlyHint: false, destructiveHint: true })).toEqual({
    mode: "sequential-only",
    isWrite: true,
    idempotent: false,
    confirm: "always",
    on_error: "fail-fast",
  });
});

test("fromAnnotations() serialises a write that only adds, and asks no question", () => {
  expect(fromAnnotations({ destructiveHint: false, idempotentHint: true })).toEqual({
    mode: "sequential-only",
    isWrite: true,
    idempotent: true,
    on_error: "fail-fast",
  });
});

test("fromAnnotations() takes absent hints for the protocol's defaults: a destructive write", () => {
  expect(fromAnnotations({})).toEqual(
    fromAnnotations({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    }),
  );
});

test("fromAnnotations() leaves a deletion confirmed that calls itself harmless", () => {
  const { isWrite, idempotent, ...orchestration } = fromAnnotations({ destructiveHint: false });
  const tool = defineTool(declareTool({ isWrite, idempotent, orchestration, actions: ["delete"] }));
  expect(tool.confirm).toBe(true);
});

const hint = fc.boolean();
const annotations = fc.record(
  { readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint, openWorldHint: hint },
  { requiredKeys: [] },
);

test("a tool made of annotations says the same annotations, those that mean something", () => {
  fc.assert(
    fc.property(annotations, (given) => {
      const { readOnlyHint = false, destructiveHint = true, idempotentHint = false } = given;
      expect(toAnnotations(toolUnder(given))).toMatchObject({
        readOnlyHint,
        destructiveHint: !readOnlyHint && destructiveHint,
        idempotentHint: readOnlyHint || idempotentHint,
      });
    }),
  );
});

test("a contract that is made of a tool's annotations is never less careful than the tool's own", () => {
  const tools = fc
    .record({
      isWrite: fc.boolean(),
      idempotent: fc.constantFrom<(boolean | "with-key")[]>(true, false, "with-key"),
      actions: fc.subarray(["read", "create", "delete"], { minLength: 1 }),
      orchestration: fc.record(
        { mode: fc.constant("parallel-safe" as const), confirm: fc.constantFrom("always" as const) },
        { requiredKeys: ["mode"] },
      ),
    })
    .map((changes) => defineTool(declareTool(changes)));
  fc.assert(
    fc.property(tools, (tool) => {
      const contract = fromAnnotations(toAnnotations(tool));
      expect(contract).toMatchObject({
        isWrite: tool.isWrite,
        idempotent: tool.idempotent,
        on_error: tool.onError,
      });
      if (tool.isWrite && tool.confirm) expect(contract.confirm).toBe("always");
      expect(contract.mode === "parallel-safe").toBe(!tool.isWrite);
    }),
  );
});
