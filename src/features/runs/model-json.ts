import type { ModelRound } from "../../core/observe/seen.ts";

/** Write the answers of a model that the batches of a run were asked for by; without content, numbers alone. */
export function toModelJson(
  { model, startedAt: runAt }: { readonly model: readonly ModelRound[]; readonly startedAt: number },
  kept: "content" | "outline",
): string {
  return JSON.stringify(
    model.map(({ startedAt, modelMs, usage }, at) => ({
      round: at + 1,
      started_ms: Math.max(0, startedAt - runAt),
      model_ms: modelMs,
      ...(usage !== null && (kept === "content" || isNumbers(usage)) && { usage }),
    })),
  );
}

/** Whether a usage is numbers by their names: anything else is a text of the model's provider. */
function isNumbers(usage: object): boolean {
  return Object.values(usage).every(
    (value) => typeof value === "number" || (typeof value === "object" && value !== null && isNumbers(value)),
  );
}
