import { createCanaryFinder } from "./find-canaries.ts";
import { CANARIES } from "./keys.ts";

/** The runtime's output, looked at as it came. */
export interface OutputWatch {
  readonly onOutput: (text: string) => void;
  /** Lines with a secret, by its number. */
  readonly leaks: readonly string[];
  /** Lines about uncaught errors. */
  readonly uncaught: readonly string[];
  readonly characters: () => number;
}

const UNCAUGHT = /uncaught|unhandled|fatal|"event":"bug"/i;

/** Look at every line that is printed, once it is whole: for secrets, and for uncaught errors. */
export function watchOutput(): OutputWatch {
  const leaks: string[] = [];
  const uncaught: string[] = [];
  const find = createCanaryFinder(CANARIES);
  let characters = 0;
  let rest = "";
  return {
    leaks,
    uncaught,
    characters: () => characters,
    onOutput: (text) => {
      characters += text.length;
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const i of find(lines.join("\n"))) leaks.push(`a line has secret ${i}`);
      uncaught.push(...lines.filter((line) => UNCAUGHT.test(line)));
    },
  };
}
