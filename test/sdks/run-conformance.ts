import { REVISIONS, runSuite, startFixtures } from "./support/conformance-suite.ts";

/* `npm run conformance`: the suite as `test/sdks/harness/conformance.test.ts` runs it, with everything it has to say. */

await using fixtures = await startFixtures();
for (const revision of REVISIONS) {
  const { passed, report } = await runSuite(fixtures.url, revision);
  console.log(report);
  if (!passed) process.exitCode = 1;
}
