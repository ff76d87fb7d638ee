import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { samples } from "../../../support/samples.ts";
import { DECLARATION, sendIt, store } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

const gated = defineTool({ ...DECLARATION, name: "drop_it", actions: ["delete"], run: sendIt });
const once = { execution: "fire-and-forget", delivery: "at-most-once" } as const;
const later = defineTool({ ...DECLARATION, ...once, name: "store_later", run: sendIt });

type Treatment = "done" | "refused" | "broke" | "held";

interface Result {
  readonly id: string;
  readonly status: string;
  readonly because?: string;
  readonly confirmation?: { readonly id: string; readonly message: string };
}
interface Envelope {
  readonly batch_id: string;
  readonly results: readonly Result[];
  readonly answer?: unknown;
  readonly parent?: string;
}

/** A store that treats the requests of each thing one after the other; one that broke did it, and answers 504. */
async function start(treatments: Readonly<Record<string, Treatment[]>> = {}) {
  const sent: string[] = [];
  const volley = await createTestVolley({
    tools: [store, gated, later],
    features: [discovery(), addedTools(), confirmations(), flows(), keys(), runs()],
    key: { flags: ["approve", "manage_tools", "manage_keys"], quota: { limit: 100_000, window_s: 60 } },
    routes: {
      "POST https://api.example.com/*": ({ url }) => {
        const of = url.split("/").at(-1)!;
        sent.push(of);
        const treatment = treatments[of]?.shift() ?? "done";
        if (treatment === "held") return new Promise<Response>(() => {});
        return Response.json({ of }, { status: { done: 200, refused: 400, broke: 504 }[treatment] });
      },
    },
  });
  const ask = async (
    path: string,
    body: object,
    { method = "POST", ...headers }: Record<string, string> = {},
  ) => {
    const answer = await volley.fetch(path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Envelope;
  };
  const post = async (...args: Parameters<typeof ask>) => {
    const answer = await ask(...args);
    await volley.advance(3_000);
    return answer;
  };
  const decide = (id: string, more: object = {}) =>
    ask(`/v1/confirmations/${id}`, { decision: "approve", ...more });
  return {
    volley,
    sent,
    post,
    run: (...actions: readonly object[]) => post("/v1/execute_actions", { actions }),
    rerun: (id: string, headers: Record<string, string> = {}) =>
      post(`/v1/runs/${id}/rerun`, { only: "failed" }, headers),
    decide,
    say: async (id: string, more: object = {}) => {
      const answer = await decide(id, more);
      await volley.advance(3_000);
      return answer;
    },
  };
}

const drop = { id: "a", tool: "drop_it", args: { of: "a" } };
const write = (of: string, more: object = {}) => ({ id: of, tool: "store_it", args: { of }, ...more });
const after = (of: string, ...before: string[]) => write(of, { depends_on: before });
const questionOf = ({ results }: Envelope) =>
  results.find(({ confirmation }) => confirmation)!.confirmation!.id;
const ends = ({ results }: Envelope) => results.map(({ status }) => status);

describe("T56 A write of a batch that a yes has run", () => {
  test.each(["the batch first", "the yes first", "in bulk"])(
    "is sent once by reruns of both: %s",
    async (order) => {
      const { run, say, rerun, post, sent } = await start({ b: ["refused"] });
      const batch = await run(drop, after("b", "a"));
      const yes = await say(questionOf(batch));
      expect(ends(yes)).toEqual(["success", "error"]);
      const both = [batch, yes].map(({ batch_id: id }) => id);
      if (order === "in bulk") await post("/v1/runs/rerun", { tool: "store_it", only: "failed" });
      else for (const id of order === "the yes first" ? both.toReversed() : both) await rerun(id);
      for (const id of both) expect(ends(await rerun(id))).toEqual(["success", "success"]);
      expect(sent).toEqual(["a", "b", "b"]);
    },
  );

  trial(
    "that a rerun asked for again is the first batch's, and so is what follows from its yes",
    async () => {
      const { run, say, rerun, sent } = await start({ b: ["broke", "refused"] });
      const batch = await run(drop, after("b", "a"));
      await say(questionOf(batch));
      const again = await rerun(batch.batch_id);
      expect(ends(again)).toEqual(["success", "pending_confirmation"]);
      const second = await say(questionOf(again));
      expect(ends(second)).toEqual(["error"]);
      // The refusal of the second request proves nothing of the first.
      const third = await rerun(second.batch_id);
      expect(ends(third)).toEqual(["pending_confirmation"]);
      expect(ends(await say(questionOf(third)))).toEqual(["success"]);
      for (const id of [batch.batch_id, again.batch_id])
        expect(ends(await rerun(id))).toEqual(["success", "success"]);
      expect(sent).toEqual(["a", "b", "b", "b"]);
    },
  );
});

test("T56 A rerun beside one that hangs asks, also where the objects have lost their memory meanwhile", async () => {
  const { run, say, rerun, volley, sent } = await start({ b: ["refused", "held"] });
  const batch = await run(drop, after("b", "a"));
  const yes = await say(questionOf(batch));
  const [, again] = await Promise.all([
    rerun(batch.batch_id),
    volley
      .advance(400)
      .then(() => volley.evict())
      .then(() => rerun(yes.batch_id)),
  ]);
  expect(ends(again)).toEqual(["success", "pending_confirmation"]);
  expect(sent).toEqual(["a", "b", "b"]);
});

describe("T57 What a person edited", () => {
  test("is what a rerun sends, of the batch and of the yes", async () => {
    const { run, say, rerun, sent } = await start({ ten: ["refused", "refused"] });
    const batch = await run(drop, { ...after("b", "a"), args: { of: "thousand" } });
    const yes = await say(questionOf(batch), { args: { b: { of: "ten" } } });
    expect(ends(await rerun(batch.batch_id))).toEqual(["success", "error"]);
    expect(ends(await rerun(yes.batch_id))).toEqual(["success", "success"]);
    expect(sent).toEqual(["a", "ten", "ten", "ten"]);
  });

  trial("is what a rerun asks about again, where it may have happened", async () => {
    const { run, say, rerun, volley } = await start({ ten: ["broke"] });
    const batch = await run({ ...drop, args: { of: "thousand" } });
    await say(questionOf(batch), { args: { a: { of: "ten" } } });
    const again = await rerun(batch.batch_id);
    const shown = await (await volley.fetch(`/v1/confirmations/${questionOf(again)}`)).text();
    expect(shown).toContain('"of":"ten"');
    expect(shown).not.toContain("thousand");
  });

  trial(
    "of a loop that waited for a yes is the loop as it was sent, when that run is run again",
    async () => {
      const { run, say, rerun, sent } = await start({ x: ["refused"] });
      const loop = { ...drop, for_each: ["x", "y"], args: { of: { $ref: "item#" } } };
      const batch = await run(loop);
      const yes = await say(questionOf(batch));
      expect(ends(await say(questionOf(await rerun(yes.batch_id))))).toEqual(["success"]);
      expect(sent).toEqual(["x", "x", "y"]);
    },
  );
});

describe("T56 A rerun while a yes is carried out, or after it was lost in the middle", () => {
  const DOUBTED = "It may have taken effect in an earlier run: look before you say yes.";

  test("asks, and says that it may have happened", async () => {
    const { run, decide, rerun, volley, sent } = await start({ a: ["held"] });
    const batch = await run(drop);
    void decide(questionOf(batch));
    await volley.advance(1_000);
    expect(sent).toEqual(["a"]);
    const again = await rerun(batch.batch_id);
    expect(ends(again)).toEqual(["pending_confirmation"]);
    expect(questionOf(again)).not.toBe(questionOf(batch));
    expect(again.results[0]!.confirmation!.message).toContain(DOUBTED);
    expect(sent).toEqual(["a"]);
  });

  trial("knows what it came to before its run is recorded", async () => {
    const { run, decide, rerun, sent } = await start({ b: ["refused"] });
    const batch = await run(drop, after("b", "a"));
    await decide(questionOf(batch));
    expect(ends(await rerun(batch.batch_id))).toEqual(["success", "success"]);
    expect(sent).toEqual(["a", "b", "b"]);
  });
});

trial(
  "T56 A dependency that the key cannot see counts as it ended: what waited for one that failed is not sent",
  async () => {
    const { run, rerun, post, sent } = await start({ b: ["refused"], c: ["refused"] });
    const made = (await post("/v1/keys", {
      name: "narrower",
      tools: ["drop_it"],
      flags: ["approve"],
    })) as unknown as {
      key: string;
    };
    const skipping = { id: "w", tool: "drop_it", args: { of: "w" }, depends_on: ["b"] };
    const batch = await post("/v1/execute_actions", { actions: [write("b"), skipping], skip_approval: true });
    expect(ends(batch)).toEqual(["error", "skipped"]);
    const again = await rerun(batch.batch_id, { authorization: `Bearer ${made.key}` });
    expect(again.results).toMatchObject([{ id: "w", status: "skipped" }]);
    expect(sent).toEqual(["b"]);
    expect(ends(await rerun(batch.batch_id)).at(0)).toBe("success");
    await run(write("other"));
  },
);

trial("T56 A rerun of a flow keeps its source, its name and its answer, and sees the input", async () => {
  const { post, rerun, volley, sent } = await start({ b: ["refused"] });
  await post(
    "/v1/flows/keep",
    {
      summary: "Keep",
      input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      actions: [write("b"), write("c", { args: { of: { $ref: "input#/city" } }, depends_on: ["b"] })],
      answer: { $template: "{{c#/of}} in {{input#/city}}" },
    },
    { method: "PUT" },
  );
  const ran = await post("/v1/flows/keep/run", { input: { city: "rome" } });
  expect(ends(ran)).toEqual(["error", "skipped"]);
  const again = await rerun(ran.batch_id);
  expect(again).toMatchObject({ answer: "rome in rome", parent: ran.batch_id });
  const kept = (await (await volley.fetch(`/v1/runs/${again.batch_id}`)).json()) as object;
  expect(kept).toMatchObject({ source: "flow", flow: "keep", parent: ran.batch_id });
  expect(await rerun(again.batch_id)).toMatchObject({ answer: "rome in rome" });
  expect(sent).toEqual(["b", "b", "rome"]);
});

const treatment = fc.constantFrom<Treatment>("done", "refused", "refused", "broke", "held");
const step = fc.oneof(
  fc.record({ kind: fc.constant("yes" as const), of: fc.nat(5), edit: fc.boolean() }),
  fc.record({ kind: fc.constant("rerun" as const), of: fc.nat(5) }),
  fc.record({ kind: fc.constant("two" as const), of: fc.nat(5), and: fc.nat(5) }),
  fc.record({ kind: fc.constant("bulk" as const) }),
);
/** When the objects lose what they hold in memory: while a step goes on, after it, or not. */
const loss = fc.constantFrom("in the middle", "afterwards", "never");

trial(
  "T56 However yeses, reruns and bulk follow each other, and the objects lose their memory, no write is sent twice unasked",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(treatment, { maxLength: 8 }),
        fc.array(treatment, { maxLength: 8 }),
        fc.array(treatment, { maxLength: 8 }),
        fc.array(fc.tuple(step, loss), { minLength: 1, maxLength: 6 }),
        async (ofA, ofB, ofC, steps) => {
          const plans = { a: [...ofA], b: [...ofB], c: [...ofC], edited: [...ofA] };
          const { run, rerun, say, post, sent, volley } = await start(plans);
          const batch = await run(drop, after("b", "a"), { id: "c", tool: "store_later", args: { of: "c" } });
          const known = [batch.batch_id];
          const questions = new Set([questionOf(batch)]);
          let yeses = 0;
          const note = (answer: Envelope | undefined): void => {
            if (answer?.results === undefined) return;
            known.push(answer.batch_id);
            for (const { confirmation } of answer.results) if (confirmation) questions.add(confirmation.id);
          };
          for (const [one, lost] of steps) {
            const losing = lost === "in the middle" ? volley.advance(200).then(() => volley.evict()) : null;
            if (one.kind === "yes") {
              const [id] = [...questions].slice(one.of % questions.size);
              const answer = await say(id!, one.edit ? { args: { a: { of: "edited" } } } : {});
              if (answer.results !== undefined) yeses += 1;
              note(answer);
            } else if (one.kind === "bulk") await post("/v1/runs/rerun", { source: "http", only: "failed" });
            else {
              const ids = one.kind === "two" ? [one.of, one.and] : [one.of];
              const answers = await Promise.all(
                ids.map(async (at, place) => {
                  // The second comes when the memory of the first is lost, if it is.
                  await volley.advance(400 * place);
                  return rerun(known[at % known.length]!);
                }),
              );
              for (const answer of answers) note(answer);
            }
            await losing;
            await volley.advance(3_000);
            if (lost === "afterwards") volley.evict();
          }
          for (const name of ["a", "b", "c", "edited"] as const) {
            const count = sent.filter((of) => of === name).length;
            const used = { a: ofA, b: ofB, c: ofC, edited: ofA }[name].slice(0, count);
            const effects = used.filter((one) => one !== "refused").length + Math.max(0, count - used.length);
            // Each effect beyond the first has a yes of its own.
            expect(effects).toBeLessThanOrEqual(Math.max(1, yeses));
          }
          expect(sent.filter((of) => of === "a" || of === "edited").length === 0 || yeses > 0).toBe(true);
        },
      ),
      { numRuns: samples(60) },
    );
  },
  120_000,
);
