import type { AgentFigures, AgentSeries, Values } from "./agent.ts";
import { atMost, range, signed, table } from "./report.ts";
import { median } from "./statistics.ts";
import { TARGETS } from "./targets.ts";

/** Every difference to the bare Worker is taken within a round of the bench. */
export function makeAgentTables({ rounds, firsts, streams, cpu, confounders }: AgentFigures): string[] {
  return [
    "Agent: Volley's own time per round, model and tools 20 ms each, one request at a time",
    ...makeTimes(rounds, TARGETS.agentRoundMs),
    "",
    "Agent: the first token, from when the model writes it to when it is here, one stream at a time",
    ...makeTimes(firsts, TARGETS.firstTokenMs),
    "",
    "Agent: many streams at once, a token every 20 ms each, ms from when a token is written to when it is here",
    ...makeStreams(streams),
    "",
    "Agent: CPU of a request, model and tools at once",
    ...makeCosts(cpu),
    `CPUs used meanwhile by the model, the tools and the load: ${confounders.benchCpus.toFixed(2)}; by everything else ` +
      `on this machine: ${confounders.otherCpus.toFixed(2)}`,
  ];
}

function makeTimes(all: readonly AgentSeries<"p50" | "p99">[], target: number): string[] {
  const rows = all.map(({ label, per, values: { p50, p99 } }) => {
    const [more, tail] = [differences(p50, per), differences(p99, per)];
    return [
      label,
      ...[p50, p99].flatMap((values) => values.map((own) => median(own).toFixed(2))),
      signed(median(more)),
      range(more, 2),
      signed(median(tail)),
      range(tail, 2),
      atMost(median(more), target),
    ];
  });
  const measured = ["(f) p50", "Volley p50", "(f) p99", "Volley p99"];
  const header = ["", ...measured, "p50 more", "min–max", "p99 more", "min–max", "target"];
  return table([header, ...rows]);
}

function makeStreams(all: AgentFigures["streams"]): string[] {
  const rows = all.flatMap(({ label, contenders, values }) => {
    const { p50, p99, longest, stalls, tokens, cpu } = values;
    const more = Math.max(0, sum(stalls.at(-1)!) - sum(stalls[0]!));
    return contenders.map((name, at) => [
      `${label}, ${name}`,
      median(p50[at]!).toFixed(2),
      median(p99[at]!).toFixed(2),
      median(longest[at]!).toFixed(1),
      range(longest[at]!, 1),
      String(sum(stalls[at]!)),
      String(sum(tokens[at]!)),
      median(cpu[at]!).toFixed(1),
      range(cpu[at]!, 1),
      at === contenders.length - 1 ? atMost(more, TARGETS.stalledTokens) : "",
    ]);
  });
  const header = [
    "",
    "p50",
    "p99",
    "longest",
    "min–max",
    "over 50 ms",
    "tokens",
    "CPU µs a token",
    "min–max",
  ];
  return table([[...header, "target"], ...rows]);
}

function makeCosts(all: AgentFigures["cpu"]): string[] {
  const rows = all.map(({ label, values: { cpu } }) => {
    const more = differences(cpu, 1);
    return [
      label,
      ...cpu.flatMap((own) => [median(own).toFixed(0), range(own, 0)]),
      signed(median(more)),
      range(more, 0),
    ];
  });
  const header = [
    "",
    "(f) µs",
    "min–max",
    "(g) µs",
    "min–max",
    "Volley µs",
    "min–max",
    "over (f)",
    "min–max",
  ];
  return table([header, ...rows]);
}

/** The time that Volley takes more than the baseline, round by round. */
function differences(values: Values, per: number): number[] {
  return values.at(-1)!.map((value, round) => (value - values[0]![round]!) / per);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
