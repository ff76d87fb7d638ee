/** Print the CPU time of a first search in a process that has searched nothing yet, and of those that follow. */
import { createCatalog } from "../../../test/support/create-catalog.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { readOwnCatalogue } from "./own-catalogue.ts";

const ROUNDS = 20;

const { tools, requests } = readOwnCatalogue();
const texts = requests.map(({ text }) => text);
const hundred = tools.filter((_, at) => (at * 100) % tools.length < 100);
const longest = texts.join(" ").slice(0, LIMITS.queryCharacters);

const cold = createCatalog(hundred);
const first = cpuMs(() => cold.search(texts[0]!));
const builds = Array.from({ length: ROUNDS }, () => {
  const catalog = createCatalog(hundred);
  return cpuMs(() => catalog.search(texts[0]!));
});
const all = createCatalog(tools);
all.search(texts[0]!);
const each = cpuMs(() => texts.forEach((text) => all.search(text))) / texts.length;
const long = cpuMs(() => builds.forEach(() => all.search(longest))) / ROUNDS;

console.log("| CPU of the thread | ms |\n|---|---:|");
say(`first request to ${hundred.length} tools in a new process, index included`, first);
say(`first request to ${hundred.length} tools later, index included (median of ${ROUNDS})`, median(builds));
say(`request to ${tools.length} tools (mean of ${texts.length})`, each);
say(`request of ${longest.length} characters to ${tools.length} tools (mean of ${ROUNDS})`, long);

function say(what: string, ms: number): void {
  console.log(`| ${what} | ${ms.toFixed(1)} |`);
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;
}

function cpuMs(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
