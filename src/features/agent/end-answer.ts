import { toWirePending } from "../../core/contract/outcome.ts";
import { makeRefusal, ok, type Result } from "../../feature/refuse.ts";
import type { Execution } from "../../core/gate/execution.ts";
import { canonicalJson } from "../../core/kit/json/canonical-json.ts";
import type { AgentRefusal, AgentRequest, Progress } from "./progress.ts";
import type { Anchor, Ending, ModelCall } from "./dialect/dialect.ts";
import { type KeptUnder, keepTurn } from "./kept-turn.ts";
import type { Stopped } from "./loop.ts";
import { EMPTY_ANSWER, sayLate, sayRan, sayWaiting } from "./notes.ts";
import type { KeptTurn } from "./voice.ts";

/** A request that is over but for its answer. */
interface Answering {
  readonly request: AgentRequest;
  readonly execution: Execution;
  readonly progress: Progress;
}

/** Write the end of the answer, and keep what the caller does not see of the conversation, where it is to go on. */
export async function endAnswer(
  stopped: Stopped,
  { request, execution, progress }: Answering,
): Promise<Result<string, AgentRefusal>> {
  const { dialect, audience } = request;
  const { turn, read, theirs } = progress.said!;
  const calls = stopped === "client_tools" ? theirs : [];
  if (
    (stopped === "client_tools" || stopped === "confirmation") &&
    !(await keep(stopped, calls, { request, execution, progress }))
  )
    return progress.refuse(NOT_KEPT);
  const report = toReport(stopped, progress);
  const said = wordsFor(stopped, request, progress);
  // These stand for the whole answer, and many read nothing else of it.
  const words = said ? `${said}\n${sayRan(progress.ended)}`.trimEnd() : said;
  const ending: Ending = {
    calls,
    usage: progress.usage,
    report,
    ...(read.text !== null && { text: read.text }),
    ...(words !== null && { words }),
  };
  return ok(audience === null ? dialect.writeAnswer(turn, ending) : audience.relay.end(ending));
}

/** The words in place of the model's; null where it has said all there is to say. */
function wordsFor(stopped: Stopped, { options }: AgentRequest, { said, questions }: Progress): string | null {
  const { turn, read } = said!;
  const text = read.text ?? turn.text;
  switch (stopped) {
    case "confirmation":
      return sayWaiting(questions);
    case "deadline":
      return sayLate(options.deadlineMs);
    case "max_rounds":
    case "repetition":
      if (text === "") return EMPTY_ANSWER;
      return read.calls.length > 0 ? "" : null;
    case "answer":
    case "client_tools":
      return null;
  }
}

const NOT_KEPT = makeRefusal(
  "UNAVAILABLE",
  "The tools' answers could not be kept for later, so they are not handed over.",
);

/** Keep what the caller does not see; nothing has to be where it sees everything. */
async function keep(
  stopped: Stopped,
  calls: readonly ModelCall[],
  { request, execution, progress }: Answering,
): Promise<boolean> {
  const { conversation, voice } = request;
  const { caller, gate, ports } = execution;
  const { said, unseen, replies, questions } = progress;
  const { read } = said!;
  if (unseen.length === 0 && replies.size === 0 && !voice.isText) return true;
  const ours = new Set(read.calls.map(({ id }) => id));
  const kept: KeptTurn = {
    before: unseen,
    turn: read.message,
    replies: [...replies].filter(([id]) => ours.has(id)),
    isText: voice.isText,
    grants: caller.tools,
  };
  const under: readonly KeptUnder[] =
    stopped === "client_tools"
      ? [{ kind: "calls", calls: calls.map(toNamedCall), sent: conversation }]
      : questions.map(({ id }) => ({ kind: "question", id }));
  return keepTurn(kept, under, voice, { caller, gate, ports });
}

function toNamedCall({ id, name, args, foreign }: ModelCall): Anchor["calls"][number] {
  return { id, name, args: args.ok && foreign !== true ? canonicalJson(args.value) : "" };
}

function toReport(stopped: Stopped, { rounds, questions }: Progress): string {
  const asked = questions.map(toWirePending);
  const more = asked.length === 0 ? "" : `,"confirmations":${JSON.stringify(asked)}`;
  return `{"rounds":[${rounds.join(",")}],"stopped":"${stopped}"${more}}`;
}
