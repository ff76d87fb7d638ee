import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import type { PermitAnswer, PermitRequest } from "../../src/core/contract/gate/permit.ts";
import type { Remote } from "../../src/core/contract/gate/tenant-gate-methods.ts";
import type { ToolGateMethods } from "../../src/cloudflare/durable/tool-gate.ts";
import { createToolGates, type ToolGateNamespace } from "../../src/cloudflare/gate-client/gate-client.ts";
import { systemClock } from "../../src/cloudflare/platform/system-ports.ts";
import { trial } from "../support/trial.ts";

const REQUEST: PermitRequest = {
  id: "call",
  limits: { concurrency: 1, rate: null },
  waitMs: 20,
  holdMs: 60_000,
};
const GRANTED: PermitAnswer = { granted: true, waitedMs: 0 };

/** A namespace whose stubs answer from a list, the last answer repeating; an Error is thrown. */
class FakeNamespace implements ToolGateNamespace {
  readonly asked: string[] = [];
  stubs = 0;
  readonly #answers: unknown[];

  constructor(...answers: unknown[]) {
    this.#answers = answers;
  }

  idFromName(name: string): DurableObjectId {
    return { name } as DurableObjectId;
  }

  get(): Remote<ToolGateMethods> {
    this.stubs += 1;
    const answer = this.#answers[Math.min(this.stubs, this.#answers.length) - 1];
    const reply = async () => {
      if (answer instanceof Error) throw answer;
      return answer as never;
    };
    return {
      acquire: ({ id }) => {
        this.asked.push(id);
        return reply();
      },
      release: reply,
    };
  }
}

const brokenBy = (marks: object): Error => Object.assign(new Error("broken"), marks);
const deferred: Promise<unknown>[] = [];
const gatesOf = (namespace: ToolGateNamespace, timeoutMs = 50_000) =>
  createToolGates(namespace, {
    clock: systemClock,
    tenant: "acme",
    timeoutMs,
    defer: (work) => void deferred.push(work),
  });

describe("createToolGates()", () => {
  test("says whose call it is, whatever the question says", async () => {
    const asked: PermitRequest[] = [];
    const namespace: ToolGateNamespace = {
      idFromName: (name) => ({ name }),
      get: () => ({
        acquire: async (request) => {
          asked.push(request);
          return GRANTED;
        },
        release: async () => {},
      }),
    };
    await gatesOf(namespace).acquire("tool", { ...REQUEST, tenant: "somebody else" });
    expect(asked).toEqual([{ ...REQUEST, tenant: "acme" }]);
  });

  trial("asks and gives back over the real binding, each tool at a gate of its own", async () => {
    // The first object of a run loads the whole Worker, which takes longer than any gate does.
    const gates = gatesOf(env.TOOL_GATE, 30_000);
    expect(await gates.acquire("client-one", REQUEST)).toMatchObject({ granted: true });
    expect(await gates.acquire("client-one", { ...REQUEST, id: "other" })).toMatchObject({ reason: "busy" });
    expect(await gates.acquire("client-two", { ...REQUEST, id: "other" })).toMatchObject({ granted: true });
    gates.release("client-one", "call", null);
    await Promise.all(deferred);
    expect(await gates.acquire("client-one", { ...REQUEST, id: "other" })).toMatchObject({ granted: true });
  });

  test("asks once more under the same id, through a fresh stub, when that may help", async () => {
    const namespace = new FakeNamespace(brokenBy({ retryable: true }), GRANTED);
    expect(await gatesOf(namespace).acquire("tool", REQUEST)).toEqual(GRANTED);
    expect([namespace.stubs, namespace.asked]).toEqual([2, ["call", "call"]]);
  });

  test.each([
    ["overloaded", { retryable: true, overloaded: true }, 1],
    ["not retryable", {}, 1],
    ["retryable twice over", { retryable: true }, 2],
  ])("gives up on a gate that is %s", async (_, marks, stubs) => {
    const namespace = new FakeNamespace(brokenBy(marks));
    await expect(gatesOf(namespace).acquire("tool", REQUEST)).rejects.toThrow("broken");
    expect(namespace.stubs).toBe(stubs);
  });

  trial("gives up on a gate that stays silent for longer than the wait and its bound", async () => {
    const namespace = new FakeNamespace(new Promise(() => {}));
    await expect(gatesOf(namespace, 30).acquire("tool", REQUEST)).rejects.toThrow("no answer within 50 ms");
  });

  test("does not mind when a permit cannot be given back: it ends by itself", async () => {
    gatesOf(new FakeNamespace(brokenBy({}))).release("tool", "call", null);
    await expect(Promise.all(deferred)).resolves.toBeDefined();
  });
});
