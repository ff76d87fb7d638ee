import type { BatchRequest } from "../../../src/package/client.ts";

/** An action as it came in a part. */
export interface SentAction {
  readonly id: string;
  readonly tool: string;
  readonly args: { readonly $literal?: unknown; readonly $ref?: string };
  readonly for_each?: readonly ({ readonly $literal: unknown } | null)[];
  readonly [field: string]: unknown;
}

export interface SentPart extends Omit<BatchRequest, "actions"> {
  readonly actions: readonly SentAction[];
  readonly deadline_ms: number;
}

type Answering = (action: SentAction) => unknown;

/**
 * Stand in for a Volley at `url`: what `answer` makes of an action is its data, or fields of its result where there is a `status`. A
 * `fault` of a request, by its number, breaks its connection or is its response.
 */
export function createFakeUrl(
  answer: Answering = () => ({}),
  faults: readonly (Error | Response | null)[] = [],
) {
  const parts: SentPart[] = [];
  const keys: (string | undefined)[] = [];
  return {
    url: "https://v.example.com",
    key: "k",
    sleep: async () => {},
    parts,
    keys,
    async fetch(_: string, init: RequestInit): Promise<Response> {
      const part = JSON.parse(init.body as string) as SentPart;
      const fault = faults[parts.length];
      parts.push(part);
      keys.push((init.headers as Record<string, string>)["idempotency-key"]);
      if (fault instanceof Error) throw fault;
      if (fault) return fault;
      const results = part.actions.map((action, index) => {
        const made = answer(action);
        const own =
          typeof made === "object" && made !== null && "status" in made
            ? made
            : { status: "success", data: made };
        return { index, id: action.id, tool: action.tool, meta: { started_ms: 0, duration_ms: 1 }, ...own };
      });
      return Response.json({ batch_id: `part-${parts.length}`, results, summary: {}, stats: {} });
    },
  };
}
