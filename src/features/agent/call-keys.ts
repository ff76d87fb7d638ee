import { canonicalKey } from "../../core/kit/json/canonical-key.ts";
import type { ModelCall } from "./dialect/dialect.ts";

/** Name what a call does. Actions count by themselves, unless what they do depends on the others. */
export function keysOf({ name, args }: ModelCall): string[] {
  if (!args.ok) return [];
  const { actions } = args.value;
  const whole = canonicalKey({ tool: name, args: args.value }) ?? JSON.stringify(args.value);
  if (!Array.isArray(actions) || MARKER.test(whole)) return [whole];
  return (actions as unknown[]).map((action) => {
    const { id: _, ...said } = (action ?? {}) as Record<string, unknown>;
    return canonicalKey(said) ?? JSON.stringify(said);
  });
}

const MARKER = /"\$(?:ref|template)"/;
