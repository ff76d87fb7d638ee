// Print the closing line from the test runs' own reports, never from an assumption about them. `npm test` and `npm run test:rest` ran in
// a clone, which is named: a file of which both ran a part counts as the run of the rest saw it.
//
//   node .ci/count-tests.mjs CLONE
import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";

const read = async (path) =>
  JSON.parse(await readFile(path, "utf8")).testResults.map(({ name, assertionResults }) => ({
    file: relative(resolve(dirname(path), ".."), name),
    tests: assertionResults,
  }));
const clone = process.argv[2];
const [quick, ...others] = await Promise.all(
  [
    `${clone}/dist/quick-report.json`,
    `${clone}/dist/rest-report.json`,
    "dist/test-report-sdks.json",
    "dist/test-report-browser.json",
  ].map(read),
);
const whole = new Set(others.flat().map(({ file }) => file));
const tests = [...quick.filter(({ file }) => !whole.has(file)), ...others.flat()].flatMap(
  ({ tests }) => tests,
);
// A test that passed has failures only where it was tried again.
for (const { fullName, failureMessages, status } of tests)
  if (status === "passed" && failureMessages.length > 0)
    process.stdout.write(`passed at its second try: ${fullName}\n${failureMessages[0]}\n`);
const count = (wanted) => tests.filter(({ status }) => status === wanted).length;
process.stdout.write(`${count("passed")} passed, ${count("failed")} failed\n`);
