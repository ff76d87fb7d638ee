import { describe, expect, test } from "vitest";

import { createCatalog } from "../../support/create-catalog.ts";
import { parseBatch } from "../../../src/core/contract/batch.ts";
import type { Execution } from "../../../src/core/gate/execution.ts";
import { mayRead } from "../../../src/core/gate/kept-answer.ts";
import { RequestKey } from "../../../src/features/agent/request-key.ts";
import { makePlan } from "../../../src/core/plan/make-plan.ts";
import { KeyedWorld } from "../../support/keyed-world.ts";
import { errorOf, valueOf } from "../../support/unwrap.ts";

/** A world of two tools of one category and one of another, and a key of them whose rights may change. */
function createWorld() {
  const world = new KeyedWorld();
  const tools = [
    world.tool("read", { category: "files" }),
    world.tool("write", { category: "files", isWrite: true }),
    world.tool("mail", { category: "post", isWrite: true }),
  ];
  const catalog = createCatalog(tools);
  /** The execution of a request by the key while it may call these. */
  const as = (...grants: string[]): Partial<Execution> => {
    const { caller } = world.execution(tools);
    const part = catalog.restrictTo(grants);
    return {
      caller: { ...caller, tools: grants },
      catalog: part,
      currentCatalog: () => Promise.resolve(part),
    };
  };
  const body = (...names: string[]) => ({ actions: names.map((tool) => ({ id: tool, tool })) });
  const send = (content: object, rights: Partial<Execution>) =>
    world.execute(tools, content, { ...rights, batchKey: { key: "k", content } });
  return { world, tools, as, body, send };
}

describe("T49 An answer under a key", () => {
  test.each([["read"], ["post", "read"], ["post"]])(
    "is not given to the key when it may call only %s, and nothing runs again",
    async (...grants) => {
      const { world, as, body, send } = createWorld();
      valueOf(await send(body("read", "write"), as("files", "post")));
      world.calls.length = 0;
      const narrowed = errorOf(await send(body("read", "write"), as(...grants)));
      expect(narrowed.refusal.code).toBe("IDEMPOTENCY_CONFLICT");
      // Word for word as for another body.
      const { mayHaveBegun = false, ...other } = errorOf(await send(body("read"), as(...grants)));
      expect([other, mayHaveBegun]).toEqual([narrowed, false]);
      expect(world.calls).toEqual([]);
      // With its rights back it has its answer, too.
      expect(await send(body("read", "write"), as("files"))).toMatchObject({ value: { replayed: true } });
    },
  );

  test.each([["files"], ["*"], ["read", "write"]])(
    "is given to the key when it may call %s: all that the answer tells of",
    async (...grants) => {
      const { as, body, send } = createWorld();
      const first = valueOf(await send(body("read", "write", "no-tool"), as("files", "post")));
      const again = valueOf(await send(body("read", "write", "no-tool"), as(...grants)));
      expect(again).toEqual({ ...first, quota: null, replayed: true });
    },
  );

  test("tells of a tool that was called wrongly as well", async () => {
    const { as, send } = createWorld();
    const body = { actions: [{ tool: "read" }, { tool: "mail", timeout_ms: -1 }] };
    valueOf(await send(body, as("*")));
    expect(await send(body, as("files"))).toMatchObject({ ok: false });
  });

  test("that an earlier version kept is for keys that may call every tool", () => {
    const { world, tools, as } = createWorld();
    const { catalog } = world.execution(tools);
    expect(mayRead({}, { ...world.execution(tools), ...as("files"), catalog })).toBe(false);
    expect(mayRead({}, world.execution(tools))).toBe(true);
  });
});

describe("T49 The answer to a request to a model", () => {
  const name = { key: "k", fingerprint: "f", hasKey: true, isFirst: false };

  /** Answer a request, and ask for the answer with other rights. */
  async function answerAndAsk(
    { world, tools, as }: ReturnType<typeof createWorld>,
    answering: (requestKey: RequestKey) => unknown,
    later: readonly string[],
  ) {
    const execution = { ...world.execution(tools), ...as("files", "post") };
    const first = new RequestKey(name, execution);
    first.begin();
    await answering(first);
    await first.end('"answer"');
    const again = new RequestKey(name, { ...world.execution(tools), ...as(...later) });
    return again.take(world.gate.claim(again.asked));
  }

  test("is for who may call the tools of its rounds", async () => {
    const writes = (world: ReturnType<typeof createWorld>) => (requestKey: RequestKey) => {
      const catalog = createCatalog(world.tools);
      const batch = valueOf(parseBatch(world.body("write"), 100));
      return requestKey.keyWrites(valueOf(makePlan(batch, catalog)), catalog);
    };
    const [may, mayNot] = [createWorld(), createWorld()];
    expect(await answerAndAsk(may, writes(may), ["write"])).toMatchObject({ value: '"answer"' });
    expect(await answerAndAsk(mayNot, writes(mayNot), ["read", "post"])).toMatchObject({
      error: { code: "IDEMPOTENCY_CONFLICT" },
    });
  });

  test("with turns that were put back is for who may call all that the key could", async () => {
    const turns = (requestKey: RequestKey) => requestKey.tellsOfTurns();
    expect(await answerAndAsk(createWorld(), turns, ["files", "post"])).toMatchObject({ ok: true });
    expect(await answerAndAsk(createWorld(), turns, ["files"])).toMatchObject({ ok: false });
  });
});
