import { useEffect, useRef, useState } from "hono/jsx/dom";

import { ask, type Problem } from "../kit/api.ts";
import type { ListedTool } from "./tool-words.ts";

interface Discovered {
  readonly tools: readonly ListedTool[];
  readonly total: number;
  readonly hint?: string;
}

export interface FoundTools extends Discovered {
  readonly isLoading: boolean;
  readonly problem: Problem | null;
}

/** The most that discovery lists. */
const MOST = 50;
/** Somebody who types is not asked about at each letter. */
const PAUSE_MS = 200;

/** Look for tools as models do; without words, for all: category by category, as discovery lists no more than fifty at once. */
export function useTools(query: string): FoundTools {
  const [found, setFound] = useState<FoundTools>({ tools: [], total: 0, isLoading: true, problem: null });
  // Counted, because an effect that is run again before it has ended is not always told that it is over.
  const latest = useRef(0);
  useEffect(() => {
    const turn = (latest.current ?? 0) + 1;
    latest.current = turn;
    const look = async (): Promise<void> => {
      const answer = query === "" ? await discoverAll() : await discover({ query, limit: MOST });
      if (latest.current !== turn) return;
      if (answer.ok) setFound({ ...answer.data, isLoading: false, problem: null });
      else setFound({ tools: [], total: 0, isLoading: false, problem: answer.problem });
    };
    setFound((before) => ({ ...before, isLoading: true }));
    const timer = setTimeout(() => void look(), query === "" ? 0 : PAUSE_MS);
    return () => {
      if (latest.current === turn) latest.current = turn + 1;
      clearTimeout(timer);
    };
  }, [query]);
  return found;
}

function discover(body: object): ReturnType<typeof ask<Discovered>> {
  return ask<Discovered>("/v1/discover_tools", { method: "POST", body });
}

async function discoverAll(): ReturnType<typeof ask<Discovered>> {
  const first = await discover({ limit: MOST });
  if (!first.ok || first.data.total <= MOST) return first;
  // Only its hint names the categories.
  const none = await discover({ categories: ["?"] });
  const named = none.ok ? /categories are: (.*)\.$/.exec(none.data.hint ?? "")?.[1] : undefined;
  const parts = await Promise.all(
    (named?.split(", ") ?? []).map((name) => discover({ categories: [name], limit: MOST })),
  );
  const tools = new Map(first.data.tools.map((tool) => [tool.name, tool]));
  for (const part of parts) if (part.ok) for (const tool of part.data.tools) tools.set(tool.name, tool);
  return { ...first, data: { ...first.data, tools: [...tools.values()] } };
}
