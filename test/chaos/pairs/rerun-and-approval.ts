import { DOUBTED } from "../../../src/features/confirmations/describe-group.ts";
import { type Answer, isThere, type Pair, SUBJECT } from "./pair-world.ts";

/** A run with a write that was refused and one that waits for a person is run again while the person says yes. */
export const rerunAndApproval: Pair = {
  name: "rerun × approval",
  async begin(world, n) {
    world.refusing.add(n);
    const { batch_id: run, results } = await world.must("POST", "/v1/execute_actions", {
      subject: SUBJECT,
      actions: [
        { id: "write", tool: "probe-write", args: { n } },
        { id: "gone", tool: "probe-delete", args: { id: n } },
      ],
    });
    const question: string = results[1].confirmation.id;
    const rerun = `/v1/runs/${run}/rerun`;
    await world.until(isThere, "GET", `/v1/runs/${run}`);
    const violations: string[] = [];
    let [again, yes]: (Answer | null)[] = [];
    let last: Answer["body"];
    return {
      ids: [run, question],
      async work() {
        [again, yes] = await Promise.all([
          world.soon("POST", rerun, {}),
          world.soon("POST", `/v1/confirmations/${question}`, { decision: "approve" }),
        ]);
      },
      async settle() {
        const { status } = await world.must("GET", `/v1/confirmations/${question}`);
        if (yes?.status === 200 && status !== "done") violations.push(`an answered yes is ${status}`);
        if (status === "pending")
          yes = await world.ask("POST", `/v1/confirmations/${question}`, { decision: "approve" });
        last = await world.until(isThere, "POST", rerun, {});
      },
      async judge() {
        const [writes, deletes] = [world.sent("/write", n).length, world.sent("/item", n).length];
        // The first was refused.
        const done = [writes - 1, deletes];
        for (const [at, answer] of [again, yes].entries()) {
          const { id, status, confirmation } = last.results[at];
          const told = answer?.body.results?.find((result: { id: string }) => result.id === id)?.status;
          if (done[at]! > 1) violations.push(`'${id}' was sent ${done[at]} times`);
          if ([told, status].includes("success") && done[at] === 0) violations.push(`'${id}' was never sent`);
          if (!["success", "pending_confirmation"].includes(status))
            violations.push(`'${id}' ends as ${status}`);
          // A rerun that is not on record asks a person.
          if (status !== "success" && done[at]! > 0 && !confirmation.message.includes(DOUBTED))
            violations.push(`'${id}' was sent, and asks as if it was not`);
        }
        return violations;
      },
    };
  },
};
