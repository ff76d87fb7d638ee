import { type Answer, type Pair, SUBJECT } from "./pair-world.ts";

/** A tool with a remembered yes is declared anew while it is called. */
export const rememberedAndChanged: Pair = {
  name: "remembered yes × declaration changed",
  async begin(world, n) {
    const name = `wipe-${n}`;
    const declare = (path: string) => ({
      ...world.provider.tool,
      actions: ["update"],
      is_write: true,
      input_schema: { type: "object", properties: { n: { type: "integer" } } },
      http: { method: "POST", url: world.provider.upstream.url + path },
      orchestration: { mode: "parallel-safe", confirm: "always" },
    });
    const change = ["PUT", `/v1/tools/${name}`, declare("/after")] as const;
    const call = [
      "POST",
      "/v1/execute_actions",
      { subject: SUBJECT, actions: [{ tool: name, args: { n } }] },
    ] as const;
    await world.must("PUT", `/v1/tools/${name}`, declare("/before"));
    const { batch_id: run, results } = await world.must(...call);
    const question: string = results[0].confirmation.id;
    await world.must("POST", `/v1/confirmations/${question}`, { decision: "approve", remember_s: 3_600 });
    const violations: string[] = [];
    const statusOf = (answer: Answer | null): string | undefined => answer?.body.results?.[0].status;
    let answered: string[] = ["success"];
    return {
      ids: [run, question],
      async work() {
        const calls = Array.from({ length: 4 }, () => world.soon(...call));
        const changed = await world.soon(...change);
        // Changed and acknowledged: the yes was for something else.
        if (changed !== null && statusOf(await world.ask(...call)) === "success")
          violations.push("a call after the change ran without a yes");
        answered = [...answered, ...(await Promise.all(calls)).flatMap((answer) => statusOf(answer) ?? [])];
      },
      async settle() {
        const { http } = await world.must("GET", `/v1/tools/${name}`);
        const isChanged = http.url.endsWith("/after");
        const status = statusOf(await world.ask(...call))!;
        answered.push(status);
        if (status !== (isChanged ? "pending_confirmation" : "success"))
          violations.push(`with ${isChanged ? "another" : "the same"} declaration the yes is ${status}`);
      },
      async judge() {
        const [before, after] = [world.sent("/before", n).length, world.sent("/after", n).length];
        if (after > 0) violations.push(`what nobody said yes to was sent ${after} times`);
        if (before < answered.filter((status) => status === "success").length)
          violations.push("a success was never sent");
        // A tool is for all subjects of its tenant.
        const seen = await world.ask("GET", `/v1/tools/${name}`, undefined, "neighbour");
        if (seen?.status !== 404) violations.push(`another tenant sees the tool: ${seen?.status}`);
        return violations;
      },
    };
  },
};
