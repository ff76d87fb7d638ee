import { useState } from "hono/jsx/dom";

import { pagesOf, useDeployment } from "../kit/deployment.ts";
import { hrefTo, type Route } from "../kit/route.ts";
import { Empty, Loading } from "../parts/notes.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Title } from "../parts/title.tsx";
import { count } from "../parts/count.ts";
import { ToolPage } from "./tool-page.tsx";
import { groupTools, type ListedTool } from "./tool-words.ts";
import { useTools } from "./use-tools.ts";

/** The callable tools: all of them, the ones that a search finds as a model finds them, or one. */
export function ToolsView({ route }: { readonly route: Route }) {
  if (route.id !== null) return <ToolPage key={`tool ${route.id}`} name={route.id} />;
  return <ToolList key="list" />;
}

function ToolList() {
  const [query, setQuery] = useState("");
  const { tools, total, hint, isLoading, problem } = useTools(query.trim());
  const isSearch = query.trim() !== "";
  return (
    <div class="stack">
      <Title text="Tools" />
      <label class="field">
        <span class="hidden-text">Search</span>
        <input
          type="search"
          placeholder="What should it do? Models search by the same words."
          value={query}
          onInput={(event: Event) => setQuery((event.currentTarget as HTMLInputElement).value)}
        />
      </label>
      <p class="muted small" role="status">
        {!isLoading && problem === null && `${count(total, "tool")}${isSearch ? ", the best first" : ""}`}
      </p>
      <ProblemNote problem={problem} />
      {isLoading && tools.length === 0 && <Loading key="loading" what="the tools" />}
      {!isLoading && problem === null && tools.length === 0 && (
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

function Listed({
  tools,
  showsCategory = false,
}: {
  readonly tools: readonly ListedTool[];
  readonly showsCategory?: boolean;
}) {
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
              {summary}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
