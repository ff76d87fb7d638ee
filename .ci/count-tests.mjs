// Print the closing line from the test run's own report, never from an assumption about it.
import { readFile } from "node:fs/promises";

const report = JSON.parse(await readFile(new URL("../dist/test-report.json", import.meta.url), "utf8"));
process.stdout.write(`${report.numPassedTests} passed, ${report.numFailedTests} failed\n`);
