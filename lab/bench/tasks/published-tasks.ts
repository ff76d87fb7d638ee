/**
 * Tasks with the graphs of those that LLMCompiler was measured with (Kim et al., "An LLM Compiler for Parallel Function Calling",
 * ICML 2024, arXiv 2312.04511; its repository has 113 questions of ParallelQA and 500 of Movie Recommendation). The questions, the
 * passages and the prompt are our own.
 */

/** One call, as a model writes it that has read what came before, and as one that refers to it. */
export interface TaskCall {
  readonly id: string;
  readonly tool: "search" | "math";
  /** The arguments of a model that reads each answer before it goes on. */
  readonly args: object;
  /** The arguments in a batch that also holds the calls they need; the same arguments unless given. */
  readonly referring?: object;
}

export interface PublishedTask {
  readonly name: string;
  readonly question: string;
  /** Calls that need nothing of each other, level by level. */
  readonly levels: readonly (readonly TaskCall[])[];
  /** Levels that one batch can hold: a further one begins where a call cannot be written before an answer was read. */
  readonly batches: readonly number[];
  readonly answer: string;
}

/** Chosen: the paper gives no times of its tools. `math` is itself a call of a model there, so it is the slower. */
export const TOOL_MS = { search: 700, math: 1_200 } as const;

/** Chosen: until a model's first token, and for each that it writes; the same model for everybody. */
export const MODEL_MS = { first: 600, perToken: 15 } as const;

export const SYSTEM =
  "Answer the question with the tools. Use them for every fact and every calculation, and give one short answer at the end.";

const passage = (of: string): string =>
  `${of} is described here in the length that a first paragraph has: where it is, what it is known for, when it was first written about, and how large it is. ` +
  "Its size was measured more than once, and the figure that is given most often is the one of the latest survey, which differs from the older one by less than three parts in a hundred. " +
  "Those who know it say that it is best seen in early summer.";

/** The answer of the stand-in; the same text of the same length for every title. */
export function answerCall(tool: "search" | "math", { entity = "" }: { readonly entity?: string }): object {
  if (tool === "math") return { value: 8_738.4 };
  return entity.startsWith("Lost ")
    ? {
        text: `There is no article of that title. Similar: ${entity} (film), ${entity} (novel), ${entity} (band).`,
      }
    : { text: passage(entity) };
}

const search = (id: string, entity: string): TaskCall => ({ id, tool: "search", args: { entity } });

const PLACES = ["Lake Aral", "Mount Brun", "River Cade", "Cape Dorn", "Isle of Enna"];
const LIKED = ["The Long Tide", "Glass Harbour", "A Winter Abroad", "Seven Doors"];
const OPTIONS = ["Paper Lions", "The Cartographer", "Low Water", "Northern Line"];

/** Each entity is looked up and worked with, and at the end all of them together. */
function compare(count: number): PublishedTask {
  const places = PLACES.slice(0, count);
  const grown = places.map((place, at): TaskCall => ({
    id: `m${at}`,
    tool: "math",
    args: { problem: `7281.${at} * 1.2` },
    referring: { problem: `size of ${place} in km, grown by 20%`, context: [{ $ref: `s${at}#/text` }] },
  }));
  const all: TaskCall = {
    id: "all",
    tool: "math",
    args: {
      problem: `max(${places.map(() => "8738.4").join(", ")}) / min(${places.map(() => "8738.4").join(", ")})`,
    },
    referring: {
      problem: {
        $template: `max(${places.map((_, at) => `{{m${at}#/value}}`).join(", ")}) / min(${places.map((_, at) => `{{m${at}#/value}}`).join(", ")})`,
      },
    },
  };
  return {
    name: `ParallelQA, ${count} entities`,
    question: `If the size of each grew by a fifth, how many times would the largest of ${places.join(", ")} be the smallest?`,
    levels: [places.map((place, at) => search(`s${at}`, place)), grown, [all]],
    batches: [3],
    answer: "They would be of the same size: the ratio is 1.",
  };
}

const movies = (titles: readonly string[]): string =>
  `Find a film similar to ${titles.join(", ")}. Options: ${OPTIONS.join(", ")}.`;

export const PUBLISHED_TASKS: readonly PublishedTask[] = [
  {
    name: "Movie Recommendation",
    question: movies(LIKED),
    levels: [[...LIKED, ...OPTIONS].map((title, at) => search(`s${at}`, title))],
    batches: [1],
    answer: "The Cartographer",
  },
  compare(2),
  compare(5),
  {
    name: "Movie Recommendation, two titles not found",
    question: movies(["Lost Harbour", "Lost Winter", ...LIKED.slice(2)]),
    levels: [
      ["Lost Harbour", "Lost Winter", ...LIKED.slice(2), ...OPTIONS].map((title, at) =>
        search(`s${at}`, title),
      ),
      [search("s8", "Harbour (film)"), search("s9", "Winter (film)")],
    ],
    batches: [1, 1],
    answer: "The Cartographer",
  },
];
