import { BaseSequencer, type TestSpecification } from "vitest/node";

import { LONG } from "../tiers.ts";

/** Starts the files of `LONG` before the others of their group. A fresh clone knows no durations, so they are named. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((path) => moduleId.endsWith(`/${path}`));
      return at === -1 ? LONG.length : at;
    };
    const group = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    // A stable sort: what is not named keeps the order that Vitest gave it.
    return (await super.sort(files)).sort((a, b) => group(a) - group(b) || place(a) - place(b));
  }
}
