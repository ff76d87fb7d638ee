/** Why these mutants live. `npm run mutation` complains of a survivor that is not here, and `--write` puts them into docs/mutation.md. */
import type { Reason, Reasons } from "./reasons.ts";

/** The same is found without it, a little later. */
const SHORTCUT = "A shortcut: without it the same is found, with more work.";
/** Both sides of a bound do the same at the bound itself. */
const AT_BOUND = "At the bound itself both do the same.";
const DEFAULT = "A default that every caller of today overrides, or whose value makes no difference to them.";
const TYPE = "Only narrows a type: what it rules out cannot come here, or fails the same way one line later.";
const WORDS = "Only the words of a hint; its code and path are held.";
const EMPTY =
  "What would be in it is never looked at: the list is replaced, or its reader wants ids that it has not.";
const ELSEWHERE =
  "Held by tests that run the objects or the built Worker (test/edge, test/harness), which take no part here.";
const SCHEMA =
  "A part of a schema that describes an answer; the OpenAPI document and its clients hold it (test/harness, test/sdks).";
const TIDY = "Only gives memory or a listener back; the invocation ends soon after.";
const HEURISTIC =
  "How much is asked for ahead of time: the limit holds whatever it says, and a simulation holds how well it does.";
const HINTS_OF_FOREIGN =
  "Only how carefully a hint quotes; the words of it are held for parseArgs itself (test/catalog).";
const LATER_CHECK = "What it lets through is refused by the next check, with the same code.";
const TOLERANT =
  "Not looked at one by one: a rule of thumb by which text that no format promises is read. The tables hold the spellings that models are known for; where two rules find the same, either may go.";
const FORWARD =
  "Not looked at one by one: what is passed on is held as a whole, by properties over whole streams and by clients of both providers (test/sdks).";
const COUNTS =
  "Exactly how many pieces, events or values are too many; that there is a bound is held (test/agent/ask-model-bounds).";
const DECODING = "A mark at the beginning, and bytes that are no UTF-8, are read either way.";

const on = (why: string, ...parts: readonly string[]): Reason => ({ on: parts, why });

export const SURVIVORS: Reasons = {
  "src/plan/classify.ts": [on(TYPE, "commands.length === 1")],
  "src/plan/describe-plan.ts": [
    on(
      SCHEMA,
      ".strictObject({",
      "dry_run: z.literal",
      "plan: z.strictObject",
      "edges: z.array",
      "z.strictObject({",
      "index: z.int()",
      ".meta({ id",
    ),
    on(SHORTCUT, "if (known !== undefined) return known", "waveOf.set(index, wave)"),
    on("Undefined counts as false.", "return steps.map(() => false)"),
    on(
      "The estimate plays rounds of equal length; which of two equal steps goes first changes none of them.",
      ".sort((a, b)",
    ),
    on("A place below none is none as well.", "if (left > 0) room.set"),
    on(TYPE, "Cannot look at the task"),
  ],
  "src/plan/fill-from-contract.ts": [
    on(
      "Only a dependent tool has them, by its declaration's own check.",
      "depends_on = []",
      'mode !== "dependent"',
    ),
    on(EMPTY, "const filledFrom", "filledFrom: []"),
  ],
  "src/plan/find-edges.ts": [
    on(LATER_CHECK, "handles.length === LIMITS.handles"),
    on(SHORTCUT, "isPlain: isKnown", "forEach === undefined ? ok([])"),
    on(WORDS, "makeFailure("),
  ],
  "src/plan/find-parking.ts": [on(SHORTCUT, "gated.includes(true)")],
  "src/plan/find-placeholders.ts": [
    on("Each pattern has one of these groups, so the last default is never taken.", "?? plain ??"),
    on(AT_BOUND, "text.length > SHOWN"),
    on(TYPE, 'typeof value !== "object"', "marker?.kind", "NAME.exec(inner)", "reference === null"),
    on(SHORTCUT, "STRINGIFIED.test(whole)", "const whole = text.trim()", "readStringified(whole)"),
    on(WORDS, "const isWhole", "$template: `…"),
    on(
      "Where more is known than an action may name, the reference's own check refuses it next.",
      "other !== id && (known.has",
    ),
    on("A marker is taken as it is: nothing inside one has braces to find.", "if (marker !== null) return"),
  ],
  "src/plan/hazards.ts": [on(SHORTCUT, "if (needs.every("), on(EMPTY, "effect === null ? []")],
  "src/plan/make-plan.ts": [
    on(
      SHORTCUT,
      "const isKnown =",
      "const isTied",
      "const isWritten",
      "isTied || isWritten",
      "after.length === 0",
      "draft.handles.length === 0",
      "action.mayMistake === true",
      "action.dependsOn.length > 0",
      "if (!waits &&",
      "given !== undefined",
    ),
    on(
      "Without edges every remaining path is one, and any equal number orders as well.",
      "drafts.map(() => 1)",
    ),
    on(EMPTY, "edges: [], handles: []", "edgesOf(action.args, [])", "edges, handles: []"),
    on(WORDS, "const more ="),
    on(
      "Of a loop's own elements none is an item; text that looks so is looked at once more when the element is known.",
      'findPlaceholders(forEach, ["for_each"]',
      "return forEach === undefined",
    ),
  ],
  "src/plan/make-serial-plan.ts": [on(EMPTY, "calls.map(() => [])"), on(WORDS, "makeFailure(")],
  "src/plan/prepare-task.ts": [
    on(
      "What is resolved is either a loop or a call, and its reader asks for the call first.",
      'kind: "loop"',
    ),
    on(
      "Only who pays for what: a batch's room for arguments holds either way.",
      "isCharged: true",
      "if (!charged.ok)",
    ),
    on(AT_BOUND, "room.issues <= 0"),
    on(HINTS_OF_FOREIGN, "isForeign: true"),
    on(LATER_CHECK, "isJsonObject(resolved.value)"),
  ],
  "src/plan/reachability.ts": [
    on("A row has more words than it needs.", "Math.ceil(size / 32)"),
    on(SHORTCUT, "if (this.reaches(from, to)) return"),
    on(
      "There is no such row: reading it gives nothing, and writing it nobody reads.",
      "node < this.#size",
      "this.#rows[row + word]",
    ),
  ],
  "src/plan/references.ts": [
    on(
      "A size of what is no object is computed anew each time, and is the same.",
      "return leastJsonSize(value",
    ),
    on(TYPE, 'typeof value !== "object"', 'typeof inner !== "object"', 'case "malformed"'),
    on(WORDS, "this.suggests()", "const shown ="),
    on(DEFAULT, "isCharged = false"),
    on(AT_BOUND, "this.#left < 0", "bytes > room.bytes"),
  ],
  "src/plan/remaining-paths.ts": [on(SHORTCUT, "before.every(", "count === 0", "open[at] === 0")],
  "src/plan/resolve-aliases.ts": [on(TYPE, "entry.action.ok")],
  "src/plan/same-reads.ts": [on(SHORTCUT, "repeated.size === 0", "call === null")],
  "src/state/admit-jobs.ts": [on(SHORTCUT, "denied.length === 0")],
  "src/state/breaker.ts": [
    on("An open breaker lets no call in, so none has its epoch.", 'case "open"'),
    on(
      "An epoch only has to differ from those of calls that may still be under way; one less does.",
      "epoch + 1",
    ),
    on(AT_BOUND, "passedMs >= 0", "passedMs >= HALF_MS"),
  ],
  "src/state/callback.ts": [
    on(
      "A job without a callback has no due time once it is over, and the other way round.",
      "callback === null",
      "job.callback === null",
    ),
    on(
      "Of what was not answered neither field is there, which counts as zero and as none.",
      "const answered",
    ),
  ],
  "src/state/change-job.ts": [on(WORDS, 'status === "running" && attempts', "count === 1")],
  "src/state/confirmations.ts": [on(SHORTCUT, "bytes === 0 || excess <= 0")],
  "src/state/due-index.ts": [
    on("Every run has its flow.", 'flow = ""'),
    on(AT_BOUND, "dueAt < known.dueAt", "dueAt < attempt.dueAt", "dueAt < delivery.dueAt"),
  ],
  "src/state/grant-leases.ts": [
    on(
      "Only whether a row is written once more than needed; tests of the object count rows (test/edge).",
      "const persisted",
      "advanceBucket(",
    ),
  ],
  "src/state/idempotency.ts": [on(TYPE, "record === null")],
  "src/state/kept-results.ts": [on(SHORTCUT, "json.length > oneBytes")],
  "src/state/kept-tools.ts": [
    on(AT_BOUND, "bytes > limits.allBytes"),
    on("An index that no tool has closes no circle.", "needs.flatMap("),
  ],
  "src/state/lease.ts": [
    on(
      "Leases of a bucket are asked for one after the other and live as long, so they come in the order of their ends.",
      "bucket.leases.sort",
    ),
    on(SHORTCUT, "dropEnded(bucket, nowMs)", "bucket.asked === 0", "tokens > 0 && nowMs < endsAt"),
    on("A bucket that nobody has opened has no leases to drop.", "if (bucket !== undefined) dropEnded"),
    on(
      "Only where one bucket's answer is coming while another begins to wish: the draw then goes to the gate, which is always right.",
      'coming ? "coming"',
    ),
    on(
      HEURISTIC,
      "countDemand(",
      "bucket.since + leaseMs",
      "const rising",
      "lease.endsAt - nowMs",
      "return lasting <",
    ),
  ],
  "src/state/narrow-to-claimed.ts": [on(TYPE, "seed?.retaken")],
  "src/state/outbox.ts": [
    on("The lease is replaced one line later.", "leaseMs: 0"),
    on("A live job always has a due time.", "job.dueAt === null"),
  ],
  "src/state/permit-book.ts": [on("The first question brings the limits.", "limits: { concurrency: null")],
  "src/state/permits.ts": [
    on(
      EMPTY,
      "dropped === undefined",
      "return [book, []]",
      "return [released, []]",
      "waiting.map((other)",
      "[...waiting, waiter]",
      "#answers:",
    ),
    on("A tick changes nothing but what is settled after any command.", 'case "tick"'),
    on(
      AT_BOUND,
      "pauseMs > 0",
      "untilMs >= this.#nowMs",
      "endsAtMs > this.#aliveMarkMs",
      "atMs > prospect.atMs",
      "this.#nowMs >= recoveredAtMs",
      "this.#aliveMarkMs > this.#nowMs",
    ),
    on(SHORTCUT, "waiting.length === book.waiting.length", "ahead.size <= 1", "ahead === 0"),
    on(
      "The object wakes once too often, and finds nothing to do.",
      "if (waiting.length > 0) at(",
      "idleSinceMs !== null",
      "wakeAtMs === Number.POSITIVE_INFINITY",
      "limits.concurrency !== null",
    ),
    on(TYPE, "change !== undefined"),
  ],
  "src/state/quota.ts": [
    on(SHORTCUT, "draws.length === 0"),
    on("A count and a hold that are not there count as nothing.", "decideGcraBlock(tatMs, nowMs, limit"),
    on(AT_BOUND, "markMs > nowMs", "tatMs <= markMs"),
    on("What was not allowed moves no bucket: the change would say what is so already.", "!decision.allowed"),
  ],
  "src/state/workspace-index.ts": [
    on(SHORTCUT, "if (step !== 0)"),
    on("A folder with no files is as good as none.", "if (next === 0)"),
    on("A folder of another name or of none holds no files.", "const folders", 'path.indexOf("/")'),
  ],
  "src/run/attempt-runner.ts": [
    on(
      "How long it waits is bounded by the same two numbers in the permit's own wait.",
      "timeoutMs: Math.min(tool.timeoutMs, budgetMs)",
      "endsAt - clock.now(), permits",
    ),
    on(TYPE, "if (tool === undefined || limits === null)"),
    on(EMPTY, "const name = `"),
  ],
  "src/run/background.ts": [
    on(TYPE, "spec !== undefined && fence !== undefined"),
    on(
      "The gate of a batch answers for what it was asked and nothing else, so a field less in the question changes no answer of the stand-in; the real one has its tests in test/edge.",
      "limit: null, allOrNothing: false",
      "const draws = limit === null",
    ),
    on(
      "Between recording and answer nothing can stop it: the ticket is held by nobody else.",
      "beyondRecall(ticket)",
    ),
    on(WORDS, "const perhaps"),
    on("How many bytes of the answer an element of a loop of jobs may take; each is a few hundred.", "true,"),
    on(
      "Where nothing is recorded every element has failed, and the loop is an error under either contract.",
      "const anyRecorded",
      "failFast: failFast && !anyRecorded",
      "combineElements(elements, {",
    ),
  ],
  "src/run/call-permits.ts": [
    on("Set again before it is read.", "#holds = false", "this.#holds = false"),
    on(
      "Who has left is told by the ticket already; what comes late is given back by the check behind it.",
      "this.#leave",
      "const left =",
    ),
    on(
      "A wait that is counted off rather than on ends the permit's time sooner, by what it waited.",
      "askedAtMs + answer.waitedMs",
    ),
    on("Ends by itself in a few seconds.", "this.release();"),
    on("The step has its outcome from whoever stopped it.", "fail(failure);"),
    on("A ticket that is over takes no second end.", "if (ticket.isOver)", "ticket.hold(null)"),
    on(WORDS, "const when ="),
    on(TYPE, 'case "rate"'),
  ],
  "src/run/call-tool.ts": [
    on(WORDS, '"timeout_ms"', "const over = makeFailure", 'makeFailure("TOOL_FAILED"'),
    on("Fields that are not there count as nothing was sent.", "readonly #trace"),
    on(
      SHORTCUT,
      "call.tool.secrets.length === 0 ? asItIs",
      "const looksUp",
      "ports.inSpan === undefined",
      "json === written.json",
      "sent === this.#trace.sent",
    ),
    on(
      "How much of the batch's bytes a call holds; what the batch may read together is held in test/egress and test/run/call-tool.",
      "this.#held.",
      "#outputBytes(",
      "this.#ticket.isJob || this.#options.isLook",
    ),
    on(
      "How much of a pause counts as waiting and how much as work, in the figures beside a result.",
      "ticket.queuedMs + pausedMs",
      "startedAt - pausedMs",
      "callClock.pause()",
      "callClock.resume()",
    ),
    on(
      "The budget of retries counts a few calls more or less; the bound on all of them is held (test/egress/upstream-health).",
      "this.#options.maxAttempts > 1",
      "health.countCall(tool)",
    ),
    on(
      "What else can end it there is the call's own clock, which says so itself.",
      "found.error instanceof LookupFailure",
      "if (!slept.ok)",
      "clock.ended !== null",
      "callClock.ended === null",
    ),
    on(
      "Held by a test of all breakers that takes more than its second here (test/egress/upstream-health).",
      "hasItsTime:",
    ),
    on(
      "An attempt's own clock ends it as well, and a timer of the invocation goes with it.",
      "} finally {",
      "cancel();",
      "callClock.onEnd(",
      "stopListening()",
    ),
    on(
      "An attempt that was kept in here is not counted; of several the first was made.",
      'failure.code === "CIRCUIT_OPEN"',
    ),
    on(AT_BOUND, "delayMs >= clock.remainingMs"),
  ],
  "src/run/demotion.ts": [
    on(TIDY, "going.delete(job)"),
    on(TYPE, "if (fence !== undefined)", "fence === null ?"),
    on(
      "The job is closed with what its row says; the words are for nobody.",
      'status: "error", error: exceeded',
      'makeFailure("TIMEOUT", { phase',
    ),
    on("What was not sent has no success to tell.", 'outcome.status !== "success"'),
    on("What is demoted is repeatable, so it is stopped as a read is.", '"report-unknown"'),
    on(
      "A flow confirms or writes through its steps, and is not repeatable by its declaration.",
      "tool.flow === undefined",
    ),
  ],
  "src/run/reads.ts": [
    on(SHORTCUT, "if (data === undefined)", "this.#recalled.set", "open.has(call.tool)", "keys.size === 0"),
    on("What was remembered was written by us, and can be read.", 'status: "error", error: data.error'),
    on(
      "Who asks and is gone hears nothing of it; the read it shared ends by its own time.",
      "this.#isAbandoned",
      "get isAbandoned",
      "outcome !== null",
      "this.ticket.started",
      "asker.isJob",
    ),
    on(DEFAULT, "bytes !== undefined"),
  ],
  "src/run/run-admitted.ts": [
    on("Without a budget of tokens there is nothing to shape.", "plan.maxTokens === null ? marked"),
    on(ELSEWHERE, "plan.approved !== undefined"),
    on(SHORTCUT, "plan.handles.length > 0"),
    on(
      "A step in the background makes its call with a scope of its own, which never lingers.",
      'tool.execution === "sync"',
    ),
  ],
  "src/run/run-attempt.ts": [
    on(WORDS, 'makeFailure("UNKNOWN_TOOL"'),
    on(HINTS_OF_FOREIGN, "isForeign: true"),
  ],
  "src/run/run-loop.ts": [
    on(
      "Only whether elements say that nobody counted them; the batch says it too.",
      "degraded: false",
      "if (degraded)",
    ),
    on(DEFAULT, "admit === undefined"),
    on(TYPE, "if (call.ok)", "call.ok && limit !== null"),
    on("What is stopped twice is stopped once.", "this.#ended === null"),
    on(WORDS, 'makeFailure("ABORTED"', 'makeFailure("OVERLOADED"'),
  ],
  "src/run/run-plan.ts": [
    on(TIDY, "{ once: true }", "removeEventListener"),
    on(
      "Only a plan with handles recalls, and then it has what recalls them.",
      "this.#options.recalling !== undefined",
    ),
    on(
      "A step that is not ready begins with what it waits for.",
      "if (this.#isReady(step.index)) this.#begin",
    ),
    on(TYPE, "if (!step.task.ok)", "this.#handles?.get", "outcome?.status", "demotion?.()"),
    on(
      "Questions are recorded in the order asked already: parking goes through the steps in that order.",
      "const parked =",
    ),
    on(EMPTY, "steps.map(() => [])", "? [step.index] : []"),
    on(
      "A step that has its outcome is not parked, and one that is parked has none.",
      "this.#outcomes[index] !== undefined",
    ),
    on(
      "A room that is made anew for each step is larger for all of them; the bound on one action's arguments is its own.",
      "this.#room ??=",
    ),
    on(SHORTCUT, "known.length === 0", "demoted.length > 0"),
    on(DEFAULT, "admit === undefined"),
    on(WORDS, "const aborted", "const exceeded"),
    on("Any word but report-unknown means to wait.", '"wait"'),
    on("What stops nothing new is that every step has its outcome by then.", "this.#stopped = true"),
  ],
  "src/run/start-step.ts": [
    on("A ticket that is over takes no second end.", "if (ticket.isOver) return"),
    on(WORDS, "const error = makeFailure("),
    on(
      "A flow's own clock and its steps' end it as well (test/flows).",
      "const ownEnd",
      "stopped.abort()",
      "ticket.start();",
    ),
    on(
      "Only how many were under way at once, in the figures of a batch that runs a flow or a loop.",
      "parallelism",
    ),
    on(DEFAULT, "isJournaled = false"),
    on("Which element of a loop goes first among equals.", "const position"),
    on(SHORTCUT, "scope.cache !== null", "task.call === null", "mayRepeat"),
    on(TYPE, "if (!step.task.ok) throw"),
  ],
  "src/run/tool-caps.ts": [
    on(
      "It chooses twice in one turn, and finds nothing the second time.",
      "this.#isChoosing",
      "cap.waiting.length > 0",
    ),
    on("No two calls stand at one position.", "a.position <= b.position"),
  ],
  "src/run/tool-log.ts": [
    on("A line without fields says the same with fields that JSON leaves out.", "fields === undefined"),
    on(TYPE, "shown?.stack"),
    on(AT_BOUND, "message.length > LIMITS", "json.length <= LIMITS", "characters < 0"),
    on("A frame ends with its line, and begins one: the message was taken off before.", "/^ +at"),
  ],
  "src/run/turn.ts": [
    on("It is told twice in one turn, and has nothing to do the second time.", "this.#isDue"),
  ],
  "src/run/verifications.ts": [
    on(EMPTY, "readonly #pending"),
    on(
      SHORTCUT,
      "this.#pending.length === 0",
      'outcome.status === "unknown" ?',
      'outcome.status !== "unknown"',
    ),
    on(HINTS_OF_FOREIGN, "isForeign: true"),
    on(
      "A look that cannot be made says nothing, and so does one that failed.",
      "if (!parsed.ok)",
      'looked.status !== "success"',
    ),
    on(
      "A read needs no key, and what it holds of the batch's bytes is given back at the end.",
      "const options = {",
    ),
  ],
  "src/agent/agent-options.ts": [
    on(SCHEMA, ".strictObject({", "tools: z", ".array(z.string()", "z.int()", "max_tokens: z", ".meta({ id"),
    on(TYPE, "if (tools === null"),
    on(WORDS, "const meant"),
  ],
  "src/agent/ask-model.ts": [
    on(
      COUNTS,
      "eventsLeft",
      "isBearable",
      "exceedsDepth(",
      "countValues(",
      "text.length <= SHORT_TEXT",
      "pieces < LIMITS",
      "left < 0",
      "left >= 0",
    ),
    on(DECODING, "new TextDecoder("),
    on(
      "What a stream says behind its last empty line is nothing that is passed on, in any dialect.",
      "rest !==",
      "const rest",
      "isHeard = true",
      "outlet.write(rest)",
    ),
    on(
      "A wait that begins after its end is ended by the next one.",
      "if (signal.aborted)",
      "signal.addEventListener",
    ),
    on(TYPE, "text === null", "text !== null", "!answered.ok", "!slept.ok"),
    on(ELSEWHERE, "traceFetch("),
    on(TIDY, "response.body?.cancel()"),
    on("A server that says event-stream says it alone.", "const isStream"),
    on("Nothing is nothing, written or not.", 'if (taken.value !== "")', 'return said.join("")'),
    on("What is at fault is not asked for its turn.", "const turn = read"),
    on("A body of nothing is no answer either way.", "if (body === null)"),
  ],
  "src/agent/dialect/chat-dialect.ts": [
    on(DEFAULT, "n !== null && n !== 1"),
    on(
      TYPE,
      "const [choice]",
      "sent === undefined",
      'message["role"] === "assistant"',
      'typeof sent === "string"',
      "parsed?.ok",
    ),
    on(
      "Whose words a message is told apart by; the calls and their ids are held (test/agent/kept-turn).",
      'role === "developer"',
      "const ids",
      "return [role, textOf",
      "canonicalJson(",
    ),
    on(FORWARD, "const written", "return written === undefined", "finish_reason: words"),
    on(EMPTY, "return [textOf(content), ...actions]"),
    on(AT_BOUND, "LIMITS.modelCalls"),
  ],
  "src/agent/dialect/chat-message.ts": [
    on("A message without content is one with null, to every server.", "content !== undefined"),
    on(WORDS, "hint: CUSTOM"),
    on("A call that failed already is not looked at for where it was cut.", "closed: false"),
    on(
      "Arguments go back as they came or as JSON of the same.",
      "const isRead",
      "const written",
      "isJsonText",
    ),
    on(TYPE, 'typeof name === "string"', "Array.isArray(calls)", "value !== undefined"),
    on(EMPTY, "read.length > 0"),
    on(FORWARD, "const entries", "entries.get(id)"),
  ],
  "src/agent/dialect/chat-relay.ts": [{ why: FORWARD }],
  "src/agent/dialect/event-splitter.ts": [
    on(
      SHORTCUT,
      'piece === ""',
      "feed < from",
      "back < from",
      "this.#line.length",
      "this.#raw.length",
      "from < piece.length",
      "part.trim()",
    ),
    on("An event without a name and one with none are one.", 'field === "event"'),
    on(
      "A carriage return that ended a piece has been looked at by then.",
      "this.#return = ",
      "end === back",
      "isBlank ?",
      "this.#isFirst = false",
    ),
  ],
  "src/agent/dialect/grow-field.ts": [
    on(
      TYPE,
      "value === undefined",
      'typeof value === "string"',
      'typeof before === "string"',
      "!isJsonObject(one)",
      'typeof one["index"]',
    ),
    on(
      "Only in pieces that no server sends: of two entries under one index, or of a field that is null and then is not.",
      'last["index"] ===',
      "field !== null",
    ),
  ],
  "src/agent/dialect/json-span.ts": [
    on(
      "Behind the end of a text there is no character, and nothing is found there.",
      "at < limit",
      "at < text.length",
      "let comma",
      "parts.push(",
      "kept === 0",
    ),
  ],
  "src/agent/dialect/list-tools.ts": [on(SHORTCUT, "written.set(")],
  "src/agent/dialect/messages-content.ts": [
    on("Servers of Messages send no nulls and no other role.", 'role: "assistant"', "value !== null"),
    on(TYPE, 'type === "text"'),
  ],
  "src/agent/dialect/messages-dialect.ts": [
    on(
      "A conversation that the API would take has a user's message there.",
      "const isReply",
      "isReply &&",
      "...(isReply ||",
      'last?.["role"]',
    ),
    on(
      "A block that is no result has no id of one.",
      "const theirs",
      "const others",
      'return type === "tool_result"',
    ),
    on(
      "Whose words a message is told apart by; the calls and their ids are held (test/agent/kept-turn).",
      "digestOf(message)",
      'type === "tool_use" ?',
      'return [message["role"]',
      "canonicalJson(input)",
    ),
    on(DEFAULT, "text.trim() ===", "ending.usage !== null"),
    on("The last of a list of one is its first.", "ours.at(-1)", "ours.splice("),
    on(
      FORWARD,
      'mode !== "unsaid"',
      "const isOwn",
      "if (!isOwn)",
      "const parts",
      "text === undefined ?",
      "parts.length > 0",
      "stop_reason",
    ),
    on(TYPE, "Array.isArray(content)"),
    on(AT_BOUND, "content.length > LIMITS"),
  ],
  "src/agent/dialect/messages-relay.ts": [{ why: FORWARD }],
  "src/agent/dialect/provider-error.ts": [on(SCHEMA, ".meta({ id")],
  "src/agent/dialect/read-conversation.ts": [
    on(DEFAULT, "stream !== undefined", "tools !== undefined", "streams: stream === true"),
    on(WORDS, "toHint([issue])"),
    on(TYPE, 'typeof part["text"]', "let unique"),
  ],
  "src/agent/dialect/repair-arguments.ts": [
    on(TOLERANT, "const isOver", "return before.includes", "return repaired.ok", "fence === -1"),
  ],
  "src/agent/dialect/sum-usage.ts": [on(TYPE, "value !== undefined")],
  "src/agent/kept-turn.ts": [
    on("A part that ends one character later does not end within one either.", "const end ="),
    on(
      "Reading more rows than are needed finds the same.",
      "missing.filter(",
      "heads.filter(",
      "names.map(",
      "names.flatMap(",
      "handles.length === 0",
      "missing.length === 0",
      "anchors.length === 0",
    ),
    on(
      "Any name that is the same twice and another's never serves; how it is made is not promised.",
      "const loose",
      "const exact",
      "return { exact",
    ),
    on(
      TYPE,
      "handle === null",
      "head === undefined",
      "loose === null",
      "record === null",
      "record?.status",
      "!decided.ok",
      "COUNT.exec",
      "own !== undefined",
    ),
    on(AT_BOUND, "from < json.length", "code >= 0xdc00"),
    on(
      "How far back is looked, in characters: what is kept is minutes old.",
      "const lengths",
      "lengths.push",
      "left -=",
      "left < 0",
    ),
    on(WORDS, '"error",'),
    on(EMPTY, "rows.length === 0", "const [[, result]"),
    on(
      "A reply with one action has one result; a batch's are found by their ids (test/agent/run-agent).",
      "id === action",
      'result["status"] ===',
      "const key =",
      "const isData",
      'failed: status !== "success"',
      "reply.waits.length",
    ),
    on("A digest of nothing is nothing.", "digest === null"),
    on(
      "A message with no calls and no question has nothing kept for it.",
      "calls.length > 0",
      "question: calls",
    ),
    on("What stands on the other shelf is not asked for there.", "SHELF_OF[kind]"),
  ],
  "src/agent/loop.ts": [on(DEFAULT, "callsTheirs: false")],
  "src/agent/offered-tools.ts": [on(TYPE, "oldest !== undefined")],
  "src/agent/react-labels.ts": [{ why: TOLERANT }],
  "src/agent/react-prompt.ts": [
    on(
      "The words of a prompt; what a model is shown of a tool and of a result is held.",
      "found ===",
      "return [FORMAT",
    ),
  ],
  "src/agent/react-text.ts": [{ why: TOLERANT }],
  "src/agent/round-batches.ts": [
    on(LATER_CHECK, "if (!batch.ok)", "if (!args.ok)", "action.ok"),
    on(TYPE, 'typeof inner !== "string"'),
    on(WORDS, "CUT_OFF", '"error"'),
    on(SHORTCUT, "n += 1", "return dependsOn.length"),
  ],
  "src/agent/run-agent.ts": [
    on(WORDS, "progress.plans", "const more"),
    on(
      "What a listener is told while tools run; the built Worker's tests hold it (test/harness).",
      "audience",
      "stopWaiting",
    ),
    on(ELSEWHERE, "watch?.enter"),
    on(FORWARD, "const mode", "const calls =", 'stopped === "client_tools"', "words !== null", 'case "'),
    on("A model that is asked after its caller left is stopped by the same signal.", "move.kind !=="),
    on(
      "A name that is the same twice; how it is made is not promised.",
      "canonicalJson(args.value)",
      "execution.ports.newId()",
    ),
    on(EMPTY, "unseen.length === 0", "[...replies].filter(", "progress.rounds.join"),
  ],
  "src/agent/run-calls.ts": [
    on("How many bytes are set aside for the frame of an answer.", "const elements"),
    on(ELSEWHERE, "sawRefusal(", '.enter("plan")', "onAdmitted(quota)", "admitted.resolve()"),
    on(DEFAULT, "toBatches(calls, {"),
    on("Which of several quotas that are one key's is shown.", "one.value.quota"),
    on(LATER_CHECK, "!plan.ok", "if (!batch.ok)", "single.length >"),
    on(AT_BOUND, "batch.value.entries.length > left"),
    on(
      "Batches of one turn wait for the first one's key or do not; none is begun twice.",
      "early === undefined",
      "early.error.refusal.code",
      "execution.batchKey !== undefined",
    ),
    on(WORDS, 'toFailedReply("error"'),
    on(TYPE, "if (replayed)", "replayed: false"),
  ],
  "src/agent/run-round.ts": [
    on(EMPTY, "of refused) replies.set", "texts.get(call) ?? []"),
    on("Every result of ours begins with its index.", "json.replace("),
    on(ELSEWHERE, '.enter("plan")'),
    on(
      "Of a step at a part's end the next part is meant; a part has one step or more.",
      "const part = parts.find",
    ),
    on(DEFAULT, "handle !== undefined", "retryAfterMs !== undefined", 'outcome.status !== "success"'),
    on("What a part needs of another is not in its own envelope, which shows no edges.", "indexes.filter("),
    on(TYPE, "canonicalKey(said) ??"),
  ],
  "src/agent/voice.ts": [
    on("Any word but the others' means the same to a dialect.", 'tools: "unsaid"', '"ours" : "off"'),
    on(EMPTY, ": [];"),
  ],
  "src/agent/written-call.ts": [{ why: TOLERANT }],
};
