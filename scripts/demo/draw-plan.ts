import type { Plan } from "./volley-client.ts";

interface PlannedAction {
  readonly id: string;
  readonly tool: string;
  readonly for_each?: unknown;
}

/** Draw a plan as lines of text: the waves, and what each action waits for, and why. A loop is `× n`. */
export function drawPlan(actions: readonly PlannedAction[], plan: Plan): string[] {
  const rows = plan.waves.flatMap((ids, wave) =>
    ids.map((id, at) => {
      const action = actions.find((candidate) => candidate.id === id);
      if (action === undefined) throw new Error(`The plan names '${id}', which was not asked for`);
      return [at === 0 ? String(wave + 1) : "", id, nameOf(action), waitsFor(id, plan)];
    }),
  );
  const caps = Object.entries(plan.caps).map(([tool, cap]) => `${tool} ${cap}`);
  return [
    ...align([["wave", "action", "tool", "waits for"], ...rows]),
    "",
    `at once at most: ${caps.join(", ")}`,
  ];
}

function nameOf({ tool, for_each }: PlannedAction): string {
  return for_each === undefined ? tool : `${tool} × n`;
}

/** The actions that an action waits for, by reason: "shops, weather (reference)". */
function waitsFor(id: string, { edges }: Plan): string {
  const reasons = new Map<string, string[]>();
  for (const { from, to, reason } of edges)
    if (to === id) reasons.set(reason, [...(reasons.get(reason) ?? []), from]);
  return Array.from(reasons, ([reason, from]) => `${from.join(", ")} (${reason})`).join("; ");
}

function align(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}
