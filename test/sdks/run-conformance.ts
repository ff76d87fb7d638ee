import {
  REVISIONS,
  runScenario,
  runSuite,
  startFixtures,
  type SuiteRun,
  TASK_SCENARIOS,
} from "./support/conformance-suite.ts";

/* `npm run conformance`: the suite as `test/sdks/harness/conformance.test.ts` runs it, with everything it has to say. */

await using fixtures = await startFixtures();
const print = ({ passed, report }: SuiteRun): void => {
  console.log(report);
  if (!passed) process.exitCode = 1;
};
for (const revision of REVISIONS) print(await runSuite(fixtures.url, revision));
for (const scenario of TASK_SCENARIOS) print(await runScenario(fixtures.url, scenario));
