import type { Connections } from "../bench/connections.ts";
import { type LoadRequest, makeRequestBytes } from "../bench/load.ts";
import { checkAnswer, type Expected, type Fault } from "./check-answer.ts";
import { readAnswer } from "./read-answer.ts";

export interface CheckedLoad extends Pick<Expected, "n" | "readNumber"> {
  readonly host: string;
  readonly connections: Connections;
  readonly makeRequest: (n: number, first: number) => LoadRequest;
  readonly batches: number;
  /** The time after which a missing answer is taken for lost. */
  readonly patienceMs: number;
}

/** The results of a load. Every answer was looked at, after the last had come: while time counts nothing is parsed. */
export interface LoadReport {
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  /** The first answer that was not what it should have been. */
  readonly example: string | null;
}

/** Batches that are sent in turns: more than are under way at once, so each under way asks for numbers of its own. */
const BATCHES = 64;
const NUMBERS = 100_000;

/** Send a server a fixed number of batches, and check every answer. */
export async function loadAndCheck(load: CheckedLoad): Promise<LoadReport> {
  const { n, makeRequest, readNumber, host } = load;
  const firsts = Array.from({ length: BATCHES }, (_, i) => NUMBERS + i * n);
  const answers: { readonly request: number; readonly bytes: readonly Buffer[] }[] = [];
  const requests = firsts.map((first) => makeRequestBytes(host, makeRequest(n, first)));
  const startedAt = performance.now();
  const { latenciesMs, missing } = await load.connections.send({
    requests,
    times: load.batches,
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
  return { seconds, latenciesMs, faults, example };
}
