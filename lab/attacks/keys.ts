import assert from "node:assert/strict";

import type { Attack, Target } from "./attack.ts";

/** A key that may call tools of the category `probe` only. */
const SMALL = { authorization: "Bearer sandbox-small-key" };

/** Names that a key of one category must not learn. */
async function hiddenNames({ url }: Target): Promise<string[]> {
  const namesOf = async (authorization: string): Promise<string[]> => {
    const response = await fetch(`${url}/v1/tools?surface=flat`, { headers: { authorization } });
    return ((await response.json()) as { tools: { name: string }[] }).tools.map(({ name }) => name);
  };
  const shown = await namesOf(SMALL.authorization);
  const all = await namesOf("Bearer sandbox-key");
  return all.filter((name) => !shown.includes(name) && /[_-]/.test(name));
}

function assertSilent(text: string, names: readonly string[]): void {
  for (const name of names) assert.ok(!new RegExp(`[^\\w-]${name}[^\\w-]`).test(text), `says '${name}'`);
}

/** Attacks of a key that looks for facts that it was not given. */
export const KEY_ATTACKS: readonly Attack[] = [
  {
    title: "50 slips of every hidden tool's name, three layers deep, say none of them",
    run: async (target) => {
      const names = await hiddenNames(target);
      assert.ok(names.length > 5);
      const slips = Array.from({ length: 50 }, (_, n) => names[n % names.length]!.slice(0, -1));
      const answers = await Promise.all([
        target.execute({ actions: slips.map((tool) => ({ tool })) }, SMALL),
        target.execute(
          { actions: slips.map((tool_name) => ({ tool: "invoke_tool", args: { tool_name } })) },
          SMALL,
        ),
        target.execute(
          { actions: slips.map((tool_name) => ({ tool: "get_tool_schema", args: { tool_name } })) },
          SMALL,
        ),
        target.send("/v1/discover_tools", { queries: slips.slice(0, 8), limit: 50, detail: "schema" }, SMALL),
      ]);
      for (const { text } of answers) assertSilent(text, names);
    },
  },
  {
    title: "another key's job of a hidden tool is none, to look at, to cancel and to redrive",
    run: async (target) => {
      const { text } = await target.execute({
        actions: [{ tool: "send_email", args: { to: ["a@example.com"], subject: "Hi", body: "Hi" } }],
      });
      const { results } = JSON.parse(text) as { results: { job_id: string }[] };
      const id = results[0]!.job_id;
      for (const change of ["cancel", "redrive"]) {
        const answer = await target.send(`/v1/jobs/${id}/${change}`, {}, SMALL);
        assert.equal(answer.status, 404);
      }
      for (const path of [`/v1/jobs/${id}`, "/v1/jobs"]) {
        const response = await fetch(`${target.url}${path}`, { headers: SMALL });
        assertSilent(await response.text(), ["send_email"]);
      }
    },
  },
];
