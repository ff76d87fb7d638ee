import { describe, expect } from "vitest";

import { type ApprovalWorld, openApprovals } from "./approval-world.ts";
import { trial } from "../../../support/trial.ts";

const YES = { decision: "approve" };
const NO = { decision: "reject" };
const CALL = { amount: 5, to: "Ada" };

/** A question that wants two people, and who has said yes to it. */
async function openWire(more: Parameters<typeof openApprovals>[0] = {}) {
  const world = await openApprovals(more);
  const question = await world.ask("wire", CALL);
  const yes = (by?: string, body: object = YES, key?: string) => world.decide(question, body, by, key);
  const makeKey = async (name: string): Promise<string> =>
    (await world.send("POST", "/v1/keys", { name, tools: ["*"], flags: ["approve"] }, "admin")).body.key;
  return { ...world, question, yes, makeKey };
}
const waiting = (approved: number) => ({ status: 200, body: { status: "waiting", approved, needs: 2 } });
const ran = { status: 200, body: { results: [{ status: "success" }] } };
const named = async ({ show }: Pick<ApprovalWorld, "show">, question: string) => (await show(question)).body;

describe("A tool that wants two people", () => {
  trial("waits with the first yes, which runs nothing, and runs with that of another key", async () => {
    const { yes, show, question, send } = await openWire();
    expect(await yes("ann")).toMatchObject(waiting(1));
    const ann = { name: "ann", via: "key" };
    const open = { status: "pending", needs: 2, approved: 1, decided_by: [ann] };
    expect((await show(question)).body).toMatchObject(open);
    expect((await send("GET", "/v1/confirmations")).body.confirmations[0]).toMatchObject(open);
    expect(await yes("bob")).toMatchObject(ran);
    const done = (await show(question)).body;
    expect(done).toMatchObject({ status: "done", decided_by: [ann, { name: "bob", via: "key" }] });
    expect(done).not.toHaveProperty("approved");
  });

  trial("counts one person once, whatever is sent again and under which key", async () => {
    const { yes, question, show } = await openWire();
    for (const key of [undefined, "one", "one", "two"])
      expect(await yes("ann", YES, key)).toMatchObject(waiting(1));
    expect((await show(question)).body.approved).toBe(1);
    const last = await yes("bob", YES, "last");
    expect(last).toMatchObject(ran);
    expect((await yes("bob", YES, "last")).body).toEqual(last.body);
    expect((await yes("bob", YES, "other")).status).toBe(409);
  });

  trial(
    "counts the maker of a link and all its links as one person, and links of two keys as two",
    async () => {
      const { yes, link, sendForm, question, show } = await openWire();
      expect(await yes("ann")).toMatchObject(waiting(1));
      for (const name of ["Ada", "Eve"]) {
        const page = await sendForm(await link(question, "ann", name));
        expect([page.status, page.text.includes("1 of 2 people")]).toEqual([200, true]);
      }
      expect((await show(question)).body.decided_by).toHaveLength(1);
      const last = await link(question, "bob", "Bea");
      const { text } = await sendForm(last);
      expect(text).toContain("wire (a): done");
      expect((await show(question)).body.decided_by).toEqual([
        { name: "ann", via: "key" },
        { name: "Bea", via: "link", made_by: "bob" },
      ]);
    },
  );

  trial("shows on the page of a link how many there are", async () => {
    const { yes, link, send, question } = await openWire();
    await yes("ann");
    const { text } = await send("GET", await link(question, "bob"), undefined, null);
    expect(text).toContain(
      "2 people&#39;s yes: 1 so far".replace("&#39;", text.includes("&#39;") ? "&#39;" : "'"),
    );
  });

  trial("is ended by one no, also after a yes", async () => {
    const { yes, question, show } = await openWire();
    await yes("ann");
    expect((await yes("bob", { ...NO, reason: "Too much" })).body.results[0].error.code).toBe(
      "CONFIRMATION_REJECTED",
    );
    expect((await yes("admin")).status).toBe(409);
    expect((await show(question)).body).toMatchObject({
      status: "rejected",
      decided_by: [{ name: "bob", via: "key" }],
    });
  });

  trial("begins the count anew with a yes that has args, and what runs is what the others saw", async () => {
    const { yes, question, show, send } = await openWire();
    const before = (await show(question)).body.args_hash;
    await yes("ann");
    const other = { a: { amount: 4, to: "Bob" } };
    expect(await yes("bob", { ...YES, args: other })).toMatchObject(waiting(1));
    const open = (await show(question)).body;
    expect(open).toMatchObject({
      approved: 1,
      edited: true,
      decided_by: [{ name: "bob" }],
      actions: [{ says: "Wire 4 to Bob", args: CALL, edited_args: other.a }],
    });
    // Who looked before sees other arguments than those that would run.
    expect(open.args_hash).not.toBe(before);
    expect((await yes("ann", { ...YES, args_hash: before })).status).toBe(409);
    const last = await yes("ann", { ...YES, args_hash: open.args_hash });
    expect(last.body.results[0].data).toEqual({ wired: other.a });
    expect((await send("GET", `/v1/confirmations/${question}`)).body).toMatchObject({
      edited: true,
      actions: [{ args: CALL, edited_args: other.a }],
    });
  });

  trial("never runs by a yes with args alone, however many send them", async () => {
    const { yes } = await openWire();
    for (const by of ["ann", "bob", "admin", "ann"])
      expect(await yes(by, { ...YES, args: { a: { amount: 1 } } })).toMatchObject(waiting(1));
  });

  trial(
    "counts no yes whose key has ended before the last one, nor what was said to its arguments",
    async () => {
      const { yes, makeKey, send, question, ...world } = await openWire();
      const made = await makeKey("made");
      expect(await yes(made, { ...YES, args: { a: { amount: 9 } } })).toMatchObject(waiting(1));
      await send("DELETE", "/v1/keys/made", undefined, "admin");
      expect(await yes("ann")).toMatchObject(waiting(1));
      expect(await named(world, question)).not.toHaveProperty("edited");
      expect((await yes("bob")).body.results[0].data).toEqual({ wired: CALL });
    },
  );

  trial("counts no yes of a link that was ended, or whose maker has", async () => {
    const { yes, send, question, link, sendForm } = await openWire();
    await sendForm(await link(question, "ann"));
    await send("DELETE", `/v1/confirmations/${question}/links`);
    expect(await yes("bob")).toMatchObject(waiting(1));
    const other = await openWire();
    const key = await other.makeKey("made");
    await other.sendForm(await other.link(other.question, key));
    await other.send("DELETE", "/v1/keys/made", undefined, "admin");
    expect(await other.yes("bob")).toMatchObject(waiting(1));
    expect(await other.yes("ann")).toMatchObject(ran);
  });

  trial("runs once where the last yeses come at the same moment", async () => {
    const { yes } = await openWire();
    await yes("ann");
    const answers = await Promise.all([yes("bob"), yes("admin"), yes("bob")]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 409, 409,
    ]);
  });

  trial("remembers with the last yes, for all who said it", async () => {
    const { yes, run, send } = await openWire();
    const wish = { ...YES, remember_s: 60 };
    expect(await yes("ann", wish)).toMatchObject(waiting(1));
    expect((await send("GET", "/v1/remembered")).body.remembered).toEqual([]);
    expect(await yes("bob", wish)).toMatchObject(ran);
    const [{ decided_by: by }] = (await send("GET", "/v1/remembered")).body.remembered;
    expect(by.map(({ name }: { name: string }) => name)).toEqual(["ann", "bob"]);
    const [result] = await run({ actions: [{ tool: "wire", args: CALL }] });
    expect(result.meta.approved_by.name).toBe("bob");
  });

  trial("wants them too where it is called by a flow", async () => {
    const { send, ask, decide } = await openApprovals();
    const flow = {
      summary: "Wire",
      input_schema: { type: "object", properties: {} },
      actions: [{ id: "p", tool: "wire", args: CALL }],
    };
    expect((await send("PUT", "/v1/flows/wires", flow, "asker")).status).toBe(201);
    const question = await ask("wires");
    expect(await decide(question, YES)).toMatchObject(waiting(1));
    expect((await decide(question, YES, "bob")).body.results[0].status).toBe("success");
  });

  trial("waits through a restart of its object", async () => {
    const { yes, volley } = await openWire();
    await yes("ann");
    volley.evict();
    expect(await yes("ann")).toMatchObject(waiting(1));
    expect(await yes("bob")).toMatchObject(ran);
  });
});
