import { callAddedTools, type ToolChange, type ToolChangeAnswer } from "../stored-tools.ts";
import type { RequestContext } from "../../../feature/answer.ts";

/** Change the tools of the caller's tenant. Where they were changed the change is known at once. */
export async function changeTools(
  { gate, hearTools }: Pick<RequestContext, "gate" | "hearTools">,
  change: ToolChange,
): Promise<ToolChangeAnswer> {
  const changed = await callAddedTools(gate, "changeTools", change);
  if (changed.ok) hearTools(changed.value.version);
  return changed;
}
