import { askVolley, type Report } from "./agent-client.ts";
import {
  drawConversation,
  drawResult,
  say,
  sayAnswer,
  sayMs,
  type Span,
  WrappedText,
} from "./agent-drawing.ts";
import type { ModelAnswer, ModelWindow } from "./agent-model.ts";
import { heading, noteOf } from "./print.ts";
import { paint } from "./waterfall.ts";

const QUESTION =
  "I drive a 2020 Toyota Camry. Find me an oil change near Phoenix, AZ and check the car for recalls; see what others say " +
  "of the shops and of the first recall. Then mail me a summary (me@example.com) and put it into my calendar for tomorrow at 9.";

/** The tools that the question needs; naming them keeps the block of tools small. */
const TOOLS = [
  "google-maps-search",
  "nhtsa-recall-search",
  "get_weather",
  "web-search",
  "send_email",
  "add_calendar_event",
];

/** Ask a question that takes several rounds, and draw what happens while it happens. */
export async function showConversation(url: string, model: string, window: ModelWindow): Promise<void> {
  const text = new WrappedText((piece) => void process.stdout.write(piece));
  heading("The question");
  text.add(QUESTION);
  text.end();

  const startedAt = performance.now();
  const waiting = new Waiting();
  const answers: ModelAnswer[] = [];
  const ranTools: { from: number; to: number }[] = [];
  let asked = 0;
  /** The answer of the model whose results are drawn. */
  let drawn = 0;
  let isSaying = false;
  window.listener = {
    onAsked() {
      asked += 1;
      waiting.begin();
    },
    onAnswered: (answer) => void answers.push(answer),
  };

  const beginRound = (): void => {
    const answer = answers.at(-1)!;
    text.end();
    heading(`Round ${ranTools.length + 1}`);
    console.log(`  ${paint("magenta", "the model")}  ${sayAnswer(answer)}\n`);
    ranTools.push({ from: answer.endedAt - startedAt, to: answer.endedAt - startedAt });
    drawn = answers.length;
    isSaying = false;
  };
  const report = await askVolley(
    url,
    { model, messages: [{ role: "user", content: QUESTION }], volley: { tools: TOOLS } },
    {
      onText(piece) {
        waiting.end();
        if (!isSaying) heading("The model says");
        isSaying = true;
        text.add(piece);
      },
      onResult(result) {
        waiting.end();
        if (drawn < answers.length) beginRound();
        const now = performance.now();
        ranTools.at(-1)!.to = now - startedAt;
        console.log(drawResult(result, now - answers[drawn - 1]!.endedAt, noteOf(result)));
        if (asked > answers.length) waiting.begin();
      },
    },
  );
  waiting.end();
  text.end();
  console.log(`\n  ${paint("magenta", "the model")}  ${sayAnswer(answers.at(-1)!)}`);
  summarise(report, { answers, ranTools, startedAt, endedAt: performance.now() });
}

interface Seen {
  readonly answers: readonly ModelAnswer[];
  readonly ranTools: readonly Span[];
  readonly startedAt: number;
  readonly endedAt: number;
}

function summarise({ rounds, stopped }: Report, { answers, ranTools, startedAt, endedAt }: Seen): void {
  heading("All of it");
  const model = answers.map((answer) => ({
    from: answer.startedAt - startedAt,
    to: answer.endedAt - startedAt,
  }));
  for (const line of drawConversation(model, ranTools, endedAt - startedAt)) console.log(line);

  const results = rounds.flatMap((round) => round.results);
  const calls = sum(results.map(({ meta }) => meta.duration_ms ?? 0));
  const tools = sum(rounds.map((round) => round.duration_ms));
  const lengths = model.map(({ from, to }) => to - from);
  console.log(
    `\n  ${count(rounds.length, "round")} with ${count(results.length, "action")}, ` +
      `${count(answers.length, "answer")} of the model; stopped: ${stopped}.`,
  );
  console.log(
    `  ${sayMs(sum(lengths))} of the model, and ${sayMs(tools)} of tools for ${sayMs(calls)} of calls:`,
  );
  console.log(
    `  one call at a time would have been ${paint("bold", `${count(results.length + 1, "answer")} of the model`)} to wait for.`,
  );
  const cached = sum(answers.map(({ tokensCached }) => tokensCached));
  console.log(
    `  ${say(sum(answers.map(({ tokensIn }) => tokensIn)))} tokens in${cached > 0 ? ` (${say(cached)} of them cached)` : ""}, ` +
      `${say(sum(answers.map(({ tokensOut }) => tokensOut)))} out, as \`usage\` in the answer has them.`,
  );
}

function count(number: number, what: string): string {
  return `${say(number)} ${what}${number === 1 ? "" : "s"}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Says that the model was asked, until it answers. Only a terminal can take words back, so no other output is told. */
class Waiting {
  #isShown = false;

  begin(): void {
    if (this.#isShown || !process.stdout.isTTY) return;
    this.#isShown = true;
    process.stdout.write(`\n${paint("dim", "  the model is asked…")}`);
  }

  end(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    process.stdout.write("\r\u001b[K\u001b[1A");
  }
}
