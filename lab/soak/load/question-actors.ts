import { KEYS } from "../keys.ts";
import type { Records } from "./records.ts";
import { pause, type World } from "./world.ts";

const key = KEYS.writer;

/** Delete something, which a person has to allow: they say yes (twice at once, now and then), or no, or nothing. */
export async function ask(world: World, { questions }: Records): Promise<void> {
  const n = world.block();
  const ran = await world.batch("questions", [{ id: "gone", tool: "probe-delete", args: { id: n } }], {
    key,
  });
  const id = ran?.results[0]?.confirmation?.id;
  if (id === undefined) return;
  const decided = (["approve", "reject", "expire"] as const)[world.int(3)]!;
  const question = { n, decided, accepted: 0, inDoubt: false };
  questions.push(question);
  if (decided === "expire") return;
  await pause(world.int(800));
  const decide = async (): Promise<void> => {
    const answer = await world.json("decisions", "POST", `/v1/confirmations/${id}`, {
      key,
      body: { decision: decided },
    });
    if (answer?.status === 200) question.accepted += 1;
    // It may have been taken all the same.
    else if (answer === null || answer.status === 503) question.inDoubt = true;
    else if (answer.status !== 409)
      world.problem("decisions", `answered ${answer.status} ${answer.text.slice(0, 200)}`);
  };
  await Promise.all(Array.from({ length: 1 + world.int(2) }, decide));
}
