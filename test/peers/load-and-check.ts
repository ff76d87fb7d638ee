import { type LoadRequest, runLoad } from "../bench/load.ts";
import { quantile } from "../bench/statistics.ts";
import { checkAnswer, type Expected, type Fault } from "./check-answer.ts";
import { readAnswer } from "./read-answer.ts";

export interface CheckedLoad extends Pick<Expected, "n" | "readNumber"> {
  readonly url: string;
  readonly makeRequest: (n: number, first: number) => LoadRequest;
  readonly connections: number;
  readonly durationMs: number;
  /** So many batches at most. */
  readonly most?: number | undefined;
  /** How long after the load an answer may still come. */
  readonly patienceMs: number;
}

/** The results of a load. Every answer was looked at, after the last had come: while time counts nothing is parsed. */
export interface LoadReport {
  readonly answered: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** The first answer that was not what it should have been. */
  readonly example: string | null;
}

/** Batches that are sent in turns: more than are under way at once, so each under way asks for numbers of its own. */
const BATCHES = 64;
const NUMBERS = 100_000;

/** Load a server for a while, and check every answer. */
export async function loadAndCheck(load: CheckedLoad): Promise<LoadReport> {
  const { n, makeRequest, readNumber } = load;
  const firsts = Array.from({ length: BATCHES }, (_, i) => NUMBERS + i * n);
  const answers: { readonly request: number; readonly bytes: readonly Buffer[] }[] = [];
  const startedAt = performance.now();
  const { latenciesMs, missing } = await runLoad({
    url: load.url,
    request: firsts.map((first) => makeRequest(n, first)),
    connections: load.connections,
    durationMs: load.durationMs,
    ...(load.most !== undefined && { most: load.most }),
    patienceMs: load.patienceMs,
    onAnswer: (request, bytes) => void answers.push({ request, bytes }),
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const faults: Partial<Record<Fault, number>> = missing > 0 ? { missing } : {};
  let example: string | null = missing > 0 ? "no answer" : null;
  for (const { request, bytes } of answers) {
    const answer = readAnswer(bytes);
    const fault = checkAnswer(answer, { n, first: firsts[request]!, readNumber });
    if (fault === null) continue;
    faults[fault] = (faults[fault] ?? 0) + 1;
    example ??= `${fault}: ${answer.status} ${answer.body.slice(0, 500)}`;
  }
  return {
    answered: latenciesMs.length,
    seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    faults,
    example,
  };
}
