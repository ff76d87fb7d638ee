import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "../kit/jsx-hooks.ts";
import { BatchEditor, type EditorHandle } from "../editor/batch-editor.tsx";
import type { Example } from "../editor/examples.ts";
import { printJson, setFields } from "../editor/print-json.ts";
import { readJson } from "../editor/read-json.ts";
import { ask, type Problem } from "../kit/api.ts";
import { currentOwner } from "../kit/session.ts";
import { useKept } from "../kit/use-kept.ts";
import { visibleJson } from "../kit/visible.ts";
import type { WirePlan, WireTool } from "../kit/wire.ts";
import { announce } from "../parts/announce.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Heading } from "../parts/title.tsx";
import { type Draft, findSlip, keepDraft } from "./draft.ts";
import { nameActions } from "./name-actions.ts";
import { PlanGraph } from "./plan-graph.tsx";
import { fieldsOf, RunOptions } from "./run-options.tsx";
import { RunReport } from "./run-report.tsx";
import { sayCurl, sayEnds, sayPlan } from "./say-run.ts";
import { useRun } from "./use-run.ts";

interface WorkbenchProps {
  readonly begun: Draft & { readonly examples: readonly Example[] };
  readonly tools: readonly WireTool[] | null;
  /** The text to read before one begins. */
  readonly children?: unknown;
}

type Changed = NonNullable<Problem["changed"]>;

type Shown =
  | { readonly kind: "nothing" | "planning" | "run" }
  | {
      readonly kind: "plan";
      readonly answer: WirePlan;
      readonly body: string;
      /** It stands in the place of one that was shown before, and differs from that in these parts. */
      readonly changed: Changed;
    }
  | { readonly kind: "refused"; readonly problem: Problem }
  /** It was not sent, because it is no JSON. */
  | { readonly kind: "broken"; readonly said: string };

/** Where a batch is written, planned and run. */
export function Workbench({ begun, tools, children }: WorkbenchProps) {
  const editor = useRef<EditorHandle>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const [text, setText] = useState(() => visibleJson(begun.text));
  const [options, setOptions] = useState(begun.options);
  const [earlier, setEarlier] = useState(begun.earlier);
  const { run, start, again } = useRun();
  const [shown, setShown] = useKept<Shown>("bench", () => ({ kind: run === null ? "nothing" : "run" }));
  const read = useMemo(() => readJson(text), [text]);
  const body = useMemo(() => setFields(text, read.root, fieldsOf(options)), [text, read, options]);
  // At once, not after the next frame: the page may be reloaded right after a letter was typed.
  useLayoutEffect(() => keepDraft({ text, options, earlier }), [text, options, earlier]);

  const begins = useRef(begun);
  useEffect(() => {
    // Tools that come late suggest another beginning.
    if (text === visibleJson(begins.current.text)) {
      editor.current?.begin(visibleJson(begun.text));
      setEarlier(begun.earlier);
    }
    begins.current = begun;
  }, [begun]);

  /** The eye goes to what comes of it; so does the focus, but not away from a text that is still being written. */
  const goTo = (isFromText: boolean): void => {
    requestAnimationFrame(() => {
      if (!isFromText) heading.current?.focus({ preventScroll: true });
      const { top = 0 } = heading.current?.getBoundingClientRect() ?? {};
      if (top < 0 || top > innerHeight / 2) heading.current?.scrollIntoView({ block: "start" });
    });
  };
  const sendable = (): boolean => {
    const slip = findSlip(text, read);
    if (slip === null) return true;
    // An answer beside it would be that of another text.
    setShown({ kind: "broken", said: slip.said });
    announce(`Not sent, because it is not JSON. ${slip.said}`);
    editor.current?.select(slip.start, slip.end);
    return false;
  };
  const plan = async (changed: Changed = []): Promise<void> => {
    if (!sendable()) return;
    const owner = currentOwner();
    const planning: Shown = { kind: "planning" };
    setShown(planning);
    goTo(false);
    const answer = await ask<WirePlan>("/v1/execute_actions", {
      method: "POST",
      body: setFields(body, readJson(body).root, { dry_run: true }),
      isLookup: true,
    });
    if (owner !== currentOwner()) return;
    setShown((now) => {
      // A run that was begun meanwhile stays.
      if (now !== planning) return now;
      if (!answer.ok) return { kind: "refused", problem: answer.problem };
      announce([...sayChanged(changed), sayPlan(answer.data)].join(" "));
      return { kind: "plan", answer: answer.data, body, changed };
    });
  };
  const runIt = async (isFromText: boolean): Promise<void> => {
    if (run?.phase === "running" || !sendable()) return;
    const planned = shown.kind === "plan" ? shown : null;
    const receipt = planned?.answer.plan.receipt;
    setShown({ kind: "run" });
    const actions = nameActions(readActionsOf(body));
    announce(`Running ${actions.length} actions`);
    goTo(isFromText);
    const told = setFields(body, readJson(body).root, {
      progress: true,
      ...(receipt !== undefined && { plan_receipt: receipt }),
    });
    const { idempotencyKey } = options;
    const ended = await start({
      body: told,
      actions,
      idempotencyKey: idempotencyKey === "" ? null : idempotencyKey,
    });
    if (ended === null) return;
    if (ended.problem?.code === "PLAN_CHANGED") {
      // A batch that names other tools has other tools and accounts, of which none need have changed.
      const isOfSame = planned === null || toolsOf(planned.body) === toolsOf(body);
      return plan(isOfSame ? ended.problem.changed : ["actions"]);
    }
    if (ended.envelope !== null) announce(`Done: ${sayEnds(ended.envelope)}`);
    else if (ended.phase === "cancelled") announce("No longer followed");
  };
  /** Each takes the place of the other, so that neither is lost. */
  const swap = (): void => {
    setEarlier(text);
    editor.current?.setText(earlier ?? "");
  };
  const format = (): void => {
    if (read.root !== null) editor.current?.setText(printJson(text, read.root));
  };
  // The same element as long as the run is the same: a key that is pressed draws no results again.
  const report = useMemo(
    () =>
      run && (
        <RunReport
          key={`run ${run.startedAt}`}
          run={run}
          heading={heading}
          onCancel={() => {
            run.cancel();
            heading.current?.focus();
          }}
          onAgain={again}
          onPick={(reference) => editor.current?.insertReference(reference)}
        />
      ),
    [run],
  );
  const isMendable = read.slips.every((slip) => slip.isMendable);
  const answered = shown.kind === "plan" ? shown.body : shown.kind === "run" ? run?.sent.body : undefined;
  const asked = useMemo(() => (answered === undefined ? null : contentOf(answered)), [answered]);
  // A text that is not JSON asks for nothing that was answered.
  const isOld = useMemo(
    () => asked !== null && (findSlip(text, read) !== null || contentOf(body) !== asked),
    [asked, text, body],
  );

  return (
    <div class="stack">
      <div class="page-head">
        <Heading text="Playground" />
        <div class="actions">
          <button type="button" onClick={() => void plan()}>
            Plan
          </button>
          <button
            type="button"
            class="primary"
            aria-disabled={run?.phase === "running"}
            onClick={() => void runIt(false)}
          >
            Run
          </button>
        </div>
      </div>
      {children}
      <div class="split bench">
        <section class="card" aria-label="The batch">
          <div class="row">
            <h2>Batch</h2>
            <span class="end row">
              <button
                type="button"
                class="plain"
                disabled={read.root === null || !isMendable}
                onClick={format}
              >
                {read.slips.length > 0 && isMendable ? "Fix and format" : "Format"}
              </button>
              {earlier !== null && (
                <button key="earlier" type="button" class="plain" onClick={swap}>
                  Bring back the earlier batch
                </button>
              )}
              <CopyButton text={() => sayCurl(location.origin, body)} label="Copy as curl" />
              {begun.examples.length > 0 && <Examples of={begun.examples} editor={editor} />}
            </span>
          </div>
          <BatchEditor
            text={text}
            read={read}
            tools={tools}
            handle={editor}
            onText={setText}
            onRun={() => void runIt(true)}
          />
          <RunOptions options={options} onChange={setOptions} />
        </section>
        <div class="stack">
          {isOld && (
            <p key="old" class="note tone-wait">
              The batch has changed since: this is what came of it before.
            </p>
          )}
          {shown.kind === "nothing" && <Nothing key="nothing" />}
          {shown.kind === "broken" && (
            <section key="broken" class="card" aria-label="Not sent">
              <h2>Not sent</h2>
              <p class="note tone-bad">The batch is not JSON. {shown.said}</p>
            </section>
          )}
          {(shown.kind === "planning" || shown.kind === "plan" || shown.kind === "refused") && (
            <section key="plan" class="card" aria-label="Plan">
              <h2 tabindex={-1} ref={heading}>
                {shown.kind === "refused" ? "Refused" : "Plan"}
              </h2>
              {shown.kind === "planning" && (
                <p key="planning" class="row muted">
                  <span class="spin" /> Planning…
                </p>
              )}
              {shown.kind === "refused" && <ProblemNote key="refused" problem={shown.problem} />}
              {shown.kind === "plan" &&
                sayChanged(shown.changed).map((said) => (
                  <p key="changed" class="note tone-wait">
                    {said}
                  </p>
                ))}
              {shown.kind === "plan" && (
                <PlanGraph key="graph" answer={shown.answer} actions={readActionsOf(shown.body)} />
              )}
            </section>
          )}
          {shown.kind === "run" && report}
        </div>
      </div>
    </div>
  );
}

interface ExamplesProps {
  readonly of: readonly Example[];
  readonly editor: { readonly current: EditorHandle | null };
}

function Examples({ of: examples, editor }: ExamplesProps) {
  const choose = (event: Event): void => {
    const select = event.currentTarget as HTMLSelectElement;
    const example = examples[select.selectedIndex - 1];
    select.selectedIndex = 0;
    if (example !== undefined) editor.current?.setText(example.text);
  };
  return (
    <select class="quiet" aria-label="Examples" onChange={choose}>
      <option>Examples</option>
      {examples.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function Nothing() {
  return (
    <div class="card empty">
      <h2>Nothing has run yet</h2>
      <p>Plan draws what would happen and sends nothing. Run does it, and shows it while it happens.</p>
    </div>
  );
}

const PARTS = { actions: "the batch", tools: "a tool", accounts: "an account" } as const;

function sayChanged(changed: Changed): readonly string[] {
  if (changed.length === 0) return [];
  const parts = changed.map((part) => PARTS[part]).join(" and ");
  return [`Nothing ran: ${parts} changed since the plan was shown. This is the plan now; Run does it.`];
}

/** The tools that the actions of a body name, whatever their order. */
function toolsOf(body: string): string {
  const names = new Set(nameActions(readActionsOf(body)).map(({ tool }) => tool ?? ""));
  return [...names].sort((one, other) => one.localeCompare(other)).join();
}

/** Write down what a body that is JSON asks for, whatever its layout. */
function contentOf(body: string): string {
  const sent = JSON.parse(body) as Readonly<Record<string, unknown>> | null;
  return JSON.stringify({ ...sent, progress: undefined, plan_receipt: undefined });
}

/** The actions of a body that is JSON. */
function readActionsOf(body: string): unknown {
  return (JSON.parse(body) as { readonly actions?: unknown } | null)?.actions;
}
