// Print the closing line from the test runs' own reports, never from an assumption about them.
import { readFile } from "node:fs/promises";

const reports = await Promise.all(
  ["test-report.json", "test-report-sdks.json", "test-report-browser.json"].map(async (name) =>
    JSON.parse(await readFile(new URL(`../dist/${name}`, import.meta.url), "utf8")),
  ),
);
// A test that passed has failures only where it was tried again.
const unsteady = reports.flatMap(({ testResults }) =>
  testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(
      ({ status, failureMessages }) => status === "passed" && failureMessages.length > 0,
    ),
  ),
);
for (const { fullName, failureMessages } of unsteady)
  process.stdout.write(`passed at its second try: ${fullName}\n${failureMessages[0]}\n`);
const sum = (field) => reports.reduce((total, report) => total + report[field], 0);
process.stdout.write(`${sum("numPassedTests")} passed, ${sum("numFailedTests")} failed\n`);
