import type { ToolDescriptor } from "../discovery/batch-tool.ts";
import { countedAs, isInDoubt, type Outcome, type PendingConfirmation } from "../../core/contract/outcome.ts";

/** The mark of notes to a model between its answers, so that it does not take them for a person's words. */
const MARK = "[Volley]";

/** Tell a model that it is asked for the last time. */
export function sayClosing(why: "max_rounds" | "repetition", rounds: number): string {
  const reason =
    why === "max_rounds"
      ? `All ${rounds} rounds of tool calls that this request may have are used up`
      : "The same call was made with the same arguments in three rounds running, and would bring the same again";
  return `${MARK} ${reason}, so tools are switched off now. Answer with what you have; say what is missing or did not happen, and do not guess it.`;
}

/** Ask a model for a plan; the first time with what there is to plan with. */
export function askForPlan(tools: readonly ToolDescriptor[], isFirst: boolean): string {
  const listed = isFirst ? tools.map(({ name, description }) => `\n- ${name}: ${description}`).join("") : "";
  const known = listed === "" ? "" : `\nThe tools there are:${listed}`;
  return `${MARK} Before you act, think: say in a few sentences what is known, what is still needed, and which calls you will make next, those that do not need each other together. Call nothing and do not answer yet.${known}`;
}

/** Tell a model to go on with its plan. */
export const GO_ON = `${MARK} Now do that: call the tools, or answer if nothing is missing.`;

/** How an action ended. The tool is null if no tool has the name that was sent. */
export type Ended = Pick<Outcome, "status"> & { readonly tool: string | null };

/** Read what an action came to: what is in doubt is told as such, and so is a loop of which some did something and some failed. */
export function endOf(tool: string | null, outcome: Outcome): Ended {
  const isPart = "partial" in outcome || (outcome.meta.items?.error ?? 0) > 0;
  return { tool, status: isPart || isInDoubt(outcome) ? "unknown" : countedAs(outcome) };
}

const ENDS = {
  success: "Done",
  initiated: "Started, and not over yet",
  unknown: "May have happened, or in part, so look before you repeat it",
  error: "Failed",
  skipped: "Not run",
};

/** Say in a line what the calls of an answer came to, for who reads no report; empty where none is over. It leaves out what waits. */
export function sayRan(ended: readonly Ended[]): string {
  const said = Object.entries(ENDS).flatMap(([status, words]) => {
    const tools = ended.filter((one) => one.status === status).map(({ tool }) => tool ?? "");
    // A model may make up any name, also one that reads like words of ours.
    const names = new Set(tools.map((tool) => (/^[\w.-]{1,64}$/.test(tool) ? `'${tool}'` : "no known tool")));
    const named = [...names].slice(0, 8).join(", ");
    return named === "" ? [] : `${words}: ${named}${names.size > 8 ? ", …" : ""}.`;
  });
  return said.join(" ");
}

/** Tell a caller which actions wait for a person, so that the id of each question can be found in the text again. */
export function sayWaiting(questions: readonly PendingConfirmation[]): string {
  const asked = questions.map(
    ({ id, message, expiresAt, url, connectUrl }) =>
      `${message} (confirmation ${id}, until ${new Date(expiresAt).toISOString()}): ${connectUrl ?? url}`,
  );
  const first = questions.every(({ connectUrl }) => connectUrl !== undefined)
    ? "connect an account"
    : "agree";
  return [
    `Of what was called, this alone waits for a person to ${first}, and has not been done:`,
    ...asked.map((line) => `- ${line}`),
    "Once it is decided, send this conversation back with a message, and it goes on.",
  ].join("\n");
}

/** The ids of questions that a text of ours names. */
export function findQuestions(text: string): string[] {
  return Array.from(text.matchAll(/\(confirmation ([0-9A-Za-z-]{1,64}), until /g), ([, id]) => id!);
}

/** Tell a caller that time was over while tools ran. */
export function sayLate(deadlineMs: number): string {
  return `The time for this request (${deadlineMs} ms) was over before the model could answer.`;
}

/** The text in place of an answer, for a model that has said nothing: it may have called tools although they were switched off. */
export const EMPTY_ANSWER = "The model gave no answer.";
