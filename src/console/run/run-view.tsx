import { useEffect, useMemo } from "../kit/jsx-hooks.ts";
import { exampleOf, listExamples } from "../editor/examples.ts";
import { hrefTo, type Route } from "../kit/route.ts";
import { useLoad } from "../kit/use-load.ts";
import type { WireTool } from "../kit/wire.ts";
import { Loading, Pending } from "../parts/notes.tsx";
import { Title } from "../parts/title.tsx";
import { readDraft, readHanded } from "./draft.ts";
import { NO_OPTIONS } from "./run-options.tsx";
import { Workbench } from "./workbench.tsx";

/** The batch to begin with while no tools are known. */
const NOTHING = '{\n  "actions": []\n}';

/**
 * The playground: what is written is kept in the tab, `#/run?tool=NAME` begins with a call of that tool, and `#/run?from=ID` with the
 * batch that a run's page has handed over.
 */
export function RunView({ route }: { readonly route: Route }) {
  const loaded = useLoad<{ readonly tools: readonly WireTool[] }>(
    "/v1/tools?format=json-schema&surface=flat",
  );
  const { data, problem } = loaded;
  const wanted = route.query.get("tool");
  const from = route.query.get("from");
  const tools = data?.tools ?? null;
  // Read once: the batch that is handed over takes the draft's place before the tools are known.
  const draft = useMemo(readDraft, [wanted, from]);
  const begun = useMemo(() => {
    const examples = listExamples(tools ?? []);
    const tool = tools?.find(({ name }) => name === wanted);
    const handed = from === null ? null : readHanded();
    const given = handed ?? (tool === undefined ? null : exampleOf(tool));
    const written = draft === null || ["", NOTHING].includes(draft.text.trim()) ? null : draft.text;
    return {
      text: given ?? written ?? examples[0]?.text ?? NOTHING,
      options: handed === null ? (draft?.options ?? NO_OPTIONS) : NO_OPTIONS,
      earlier: (given === null || given === written ? null : written) ?? draft?.earlier ?? null,
      examples,
      isWritten: given !== null,
      isUnknown: wanted !== null && tools !== null && tool === undefined,
    };
  }, [tools, wanted, from]);
  const { isWritten } = begun;
  useEffect(() => {
    // The call is written: a person who comes back here goes on with it, and does not begin anew.
    if (isWritten) history.replaceState(history.state, "", hrefTo("run"));
  }, [isWritten]);
  // A written batch can be shown at once; for an empty one the tools suggest a beginning.
  const isReady = isWritten || tools !== null || problem !== null || (wanted === null && draft !== null);
  return (
    <div class="stack">
      {isReady ? (
        <Workbench key={`bench ${wanted ?? from ?? ""}`} begun={begun} tools={tools}>
          {problem !== null && (
            <div key="problem" class="stack tight">
              <Pending of={loaded} what="the tools" />
              <p class="small">The tools are not known, so names and arguments are not looked at.</p>
            </div>
          )}
          {begun.isUnknown && (
            <p key="unknown" class="note tone-wait" role="status">
              No tool that this key may call is named <bdi class="mono">{wanted}</bdi>.
            </p>
          )}
        </Workbench>
      ) : (
        <div key="loading" class="stack">
          <Title text="Playground" />
          <Loading what="the tools" />
        </div>
      )}
    </div>
  );
}
