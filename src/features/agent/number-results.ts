import type { Step } from "../../core/plan/step.ts";
import type { OpenReply } from "../../turns/decide-reply.ts";
import type { ModelCall } from "./dialect/dialect.ts";
import type { Part, RoundBatch } from "./round-batches.ts";

export interface Numbered {
  /** Number results of a call, keep them and tell them. */
  readonly tell: (call: number, results: readonly string[]) => void;
  /** Where the result of a step stands. */
  readonly placeOf: (part: Part, step: Step) => number;
}

/** Say where each result stands among those of all calls, in whichever order they become known. */
export function numberResults(
  calls: readonly ModelCall[],
  batches: readonly RoundBatch[],
  known: {
    readonly replies: ReadonlyMap<number, OpenReply>;
    readonly texts: Map<number, readonly string[]>;
    readonly onResult: ((json: string) => void) | undefined;
  },
): Numbered {
  const sizes = new Map(
    batches.flatMap(({ parts }) => parts.map(({ call, from, to }) => [call, to - from] as const)),
  );
  const places: number[] = [];
  let next = 0;
  for (const call of calls.keys()) {
    places.push(next);
    const reply = known.replies.get(call);
    next += reply === undefined ? sizes.get(call)! : Number(reply.failed);
  }
  return {
    tell(call, results) {
      const numbered = results.map((json, at) =>
        json.replace(/^\{"index":\d+/, `{"index":${places[call]! + at}`),
      );
      known.texts.set(call, numbered);
      for (const json of numbered) known.onResult?.(json);
    },
    placeOf: ({ call, from }, { index }) => places[call]! + index - from,
  };
}
