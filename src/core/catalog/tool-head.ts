import type { KeptTool } from "../contract/gate/kept-tool.ts";
import { isGranted } from "./catalog.ts";

/** The part of a declaration that is read of every tool: it finds the tool, and a list shows it. */
export interface ToolHead {
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  readonly actions: readonly string[];
  readonly is_write: boolean;
}

export function toHeadJson({ summary, description, category, actions, is_write }: ToolHead): string {
  return JSON.stringify({ summary, description, category, actions, is_write } satisfies ToolHead);
}

/** Whether a key may know of what a tenant has added: it may call it, by its name, its category or all. */
export function isVisible(
  { name, headJson }: Pick<KeptTool, "name" | "headJson">,
  grants: readonly string[],
): boolean {
  const { category, is_write: isWrite } = JSON.parse(headJson) as ToolHead;
  return isGranted(grants, { name, category, isWrite });
}
