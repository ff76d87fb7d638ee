import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const run = promisify(execFile);
const { volley } = await setUpSandbox();
const page = await readFile(new URL("../../docs/flows.md", import.meta.url), "utf8");
const commands = [...page.matchAll(/^```bash\n(.*?)^```$/gms)]
  .map(([, text]) => text!)
  .filter((text) => text.includes("$VOLLEY/"));

/** Run a command as a reader does, with what the page calls by a name. */
async function answerTo(command: string, JOB: string): Promise<unknown> {
  const env = { ...process.env, VOLLEY: volley.url, JOB };
  const { stdout } = await run("bash", ["-c", command], { env });
  return stdout === "" ? null : JSON.parse(stdout);
}

const isOver = ({ status }: { status?: string }): boolean => status !== "running" && status !== "retrying";

test("the commands of docs/flows.md do what the page says, in its order", async () => {
  const answers: Record<string, unknown>[] = [];
  let job = "";
  for (const command of commands) {
    const answer = await eventually("the run to end", async () => {
      const said = (await answerTo(command, job)) as Record<string, unknown> | null;
      return !command.includes("$JOB") || isOver(said ?? {}) ? { said } : undefined;
    });
    answers.push(answer.said!);
    if (typeof answer.said?.["job_id"] === "string") job = answer.said["job_id"];
  }
  const [kept, ran, hooked, delivered, shownJob, timed, jobs, listed, shown, deleted] = answers;
  const { name, summary, is_write, fingerprint } = kept!;
  expect([name, is_write]).toEqual(["first_item", false]);
  expect(ran).toMatchObject({
    results: [{ status: "success" }, { status: "success" }],
    answer: { item: { id: "pump-1" }, said: "The first item for pump" },
  });
  expect(hooked!["hook_url"]).toBe(`${volley.url}/hooks/sandbox-admin/look_up`);
  expect(delivered).toEqual({ job_id: job });
  expect(await answerTo(commands[3]!, job)).toEqual(delivered);
  const printed = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(
    ([, text]) => JSON.parse(text!) as object,
  );
  const {
    job_id: _,
    batch_id: __,
    ...of
  } = printed.find((one) => "trigger" in one) as Record<string, unknown>;
  const { "…": ___, envelope, ...fields } = of;
  expect(shownJob).toMatchObject(fields);
  expect(shownJob!["envelope"]).toMatchObject({
    results: [{ id: "found", status: "success" }],
    answer: (envelope as { answer: object }).answer,
  });
  expect(new Date(timed!["next_run_at"] as string).getUTCMinutes()).toBe(0);
  expect(jobs).toMatchObject({ jobs: [{ job_id: job, tool: "look_up", trigger: "webhook" }] });
  const inList = { name, summary, is_write, fingerprint, paused: false, triggers: [] };
  expect((listed as { flows: unknown[] }).flows).toContainEqual(inList);
  expect(shown).toMatchObject({ ...kept, plan: { waves: [["found"], ["first"]] } });
  expect(deleted).toBeNull();
  expect(answers).toHaveLength(10);
});
