import { BaseSequencer, type TestSpecification } from "vitest/node";

import { LONG } from "../tiers.ts";

/**
 * Starts the files of `LONG` before the others of their project. A fresh clone knows no durations, so they are named. Files of one project
 * stay together: Vitest ends a worker whose next file is of another, and one of the edge takes seconds to start.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((path) => moduleId.endsWith(`/${path}`));
      return at === -1 ? LONG.length : at;
    };
    const group = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    const counts = Map.groupBy(files, ({ project }) => project.name);
    // Those of few files, which are long, begin.
    const count = ({ project }: TestSpecification): number => counts.get(project.name)!.length;
    // A stable sort: what is not named keeps the order that Vitest gave it.
    return (await super.sort(files)).sort(
      (a, b) => group(a) - group(b) || count(a) - count(b) || place(a) - place(b),
    );
  }
}
