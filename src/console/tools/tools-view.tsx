import { useRef } from "../kit/jsx-hooks.ts";
import { pagesOf, useDeployment } from "../kit/deployment.ts";
import { hrefTo, type Route } from "../kit/route.ts";
import { Empty, Pending } from "../parts/notes.tsx";
import { Prose } from "../parts/problem-note.tsx";
import { Title } from "../parts/title.tsx";
import { count } from "../parts/count.ts";
import { ToolPage } from "./tool-page.tsx";
import { groupTools, type ListedTool } from "./tool-words.ts";
import { ask } from "../kit/api.ts";
import { useFilter } from "../kit/use-browser.ts";
import { type Loaded, useAnswer } from "../kit/use-load.ts";

/** The callable tools: all of them, the ones that a search finds as a model finds them, or one. */
export function ToolsView({ route }: { readonly route: Route }) {
  if (route.id !== null) return <ToolPage key={`tool ${route.id}`} name={route.id} />;
  return <ToolList key="list" />;
}

function ToolList() {
  const { filter, set } = useFilter(["q"]);
  const query = filter.q.trim();
  const loaded = useTools(query);
  const { data, isLoading } = loaded;
  const { tools = [], total = 0, hint }: Partial<Discovered> = data ?? {};
  const isSearch = query !== "";
  return (
    <div class="stack">
      <Title text="Tools" />
      <label class="field">
        <span class="hidden-text">Search</span>
        <input
          type="search"
          placeholder="What should it do? Models search by the same words."
          value={filter.q}
          onInput={(event: Event) => set("q")((event.currentTarget as HTMLInputElement).value)}
        />
      </label>
      <p class="muted small" role="status">
        {!isLoading && data !== null && `${count(total, "tool")}${isSearch ? ", the best first" : ""}`}
      </p>
      <Pending of={loaded} what="the tools" />
      {!isLoading && data !== null && tools.length === 0 && (
        <Empty key="none" title="Nothing fits">
          {hint ?? "This key may call no tool."}
        </Empty>
      )}
      {isSearch ? (
        <div key="found">{tools.length > 0 && <Listed tools={tools} showsCategory />}</div>
      ) : (
        <div key="all" class="groups">
          {groupTools(tools).map(([category, found]) => (
            <section key={category} aria-label={category}>
              <h2>
                <bdi>{category}</bdi> <span class="muted small">{found.length}</span>
              </h2>
              <Listed tools={found} />
            </section>
          ))}
        </div>
      )}
    </div>
  );
}

function Listed({ tools, showsCategory = false }: Pick<Discovered, "tools"> & { showsCategory?: boolean }) {
  const pages = pagesOf(useDeployment().sections);
  const sectionOf = (category: string): string =>
    pages.find(({ toolCategory }) => toolCategory === category)?.name ?? "tools";
  return (
    <ul class="tool-list card flush">
      {tools.map(({ name, summary, category, is_write: isWrite }) => (
        <li key={name}>
          <a href={hrefTo(sectionOf(category), name)}>
            <span class="row">
              <bdi class="name">{name}</bdi>
              <span class="row end">
                {showsCategory && <bdi class="tag">{category}</bdi>}
                {isWrite && <span class="tag">writes</span>}
              </span>
            </span>
            <span class="muted small" dir="auto">
              <Prose text={summary} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

interface Discovered {
  readonly tools: readonly ListedTool[];
  readonly total: number;
  readonly hint?: string;
}

/** The most that discovery lists. */
const MOST = 50;
const PAUSE_MS = 200;

/** Look for tools as models do; without words, for all: category by category, as discovery lists no more than fifty at once. The tools that other words found stay until then. */
function useTools(query: string): Loaded<Discovered> {
  const look = () => (query === "" ? discoverAll() : discover({ query, limit: MOST }));
  const loaded = useAnswer(query, look, query === "" ? {} : { pauseMs: PAUSE_MS });
  const before = useRef(loaded.data);
  before.current = loaded.problem === null ? (loaded.data ?? before.current) : null;
  return { ...loaded, data: before.current };
}

function discover(body: object): ReturnType<typeof ask<Discovered>> {
  return ask<Discovered>("/v1/discover_tools", { method: "POST", body, isLookup: true });
}

async function discoverAll(): ReturnType<typeof discover> {
  const first = await discover({ limit: MOST });
  if (!first.ok || first.data.total <= MOST) return first;
  // Only its hint names the categories.
  const none = await discover({ categories: ["?"] });
  const named = none.ok ? /categories are: (.*)\.$/.exec(none.data.hint ?? "")?.[1] : undefined;
  return named === undefined ? first : discoverIn(named.split(", "));
}

/** List the tools of categories; of more than discovery lists at once, those of each half. */
async function discoverIn(categories: readonly string[]): ReturnType<typeof discover> {
  const found = await discover({ categories, limit: MOST });
  if (!found.ok || found.data.total <= MOST || categories.length < 2) return found;
  const half = categories.length >> 1;
  const [first, second] = await Promise.all([
    discoverIn(categories.slice(0, half)),
    discoverIn(categories.slice(half)),
  ]);
  if (!first.ok) return first;
  if (!second.ok) return second;
  return { ...first, data: { tools: [...first.data.tools, ...second.data.tools], total: found.data.total } };
}
