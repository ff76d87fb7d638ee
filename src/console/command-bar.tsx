import { useEffect, useMemo, useRef, useState } from "./kit/jsx-hooks.ts";
import { ask } from "./kit/api.ts";
import { hrefTo } from "./kit/route.ts";
import type { SectionPage } from "./kit/section.ts";
import { useLoad } from "./kit/use-load.ts";
import type { WireTool } from "./kit/wire.ts";
import { type Command, mayBeId, rankCommands } from "./rank-commands.ts";

/** Somebody who types is not asked about at each letter. */
const PAUSE_MS = 200;

/** A button and a key, Ctrl K, that open the bar: sections, tools and flows by their names, anything else by its id. */
export function CommandBar({ pages }: { readonly pages: readonly SectionPage[] }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // A question that is asked stays in front.
      if (document.querySelector("dialog[open]") === null) setOpen(true);
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
  return (
    <div class="command-place">
      <button type="button" class="command-button" onClick={() => setOpen(true)}>
        Go to… <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      {isOpen && <Bar key="bar" pages={pages} onClose={() => setOpen(false)} />}
    </div>
  );
}

function Bar({ pages, onClose }: { readonly pages: readonly SectionPage[]; readonly onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const { data } = useLoad<{ readonly tools: readonly WireTool[] }>(
    "/v1/tools?format=json-schema&surface=flat",
  );
  const things = useThings(typed, pages);
  const known = useMemo(
    () => [...pages.map(toCommand), ...(data?.tools ?? []).map(toToolCommand)],
    [pages, data],
  );
  const found = [...things.found, ...rankCommands(known, typed)];
  const at = Math.min(active, found.length - 1);
  useEffect(() => box.current?.showModal(), []);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const go = ({ href }: Command): void => {
    box.current?.close();
    location.hash = href;
  };
  const press = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && found.length > 0) setActive((at + step + found.length) % found.length);
    else if (event.key === "Enter" && found[at] !== undefined) go(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={box}
      class="command-bar"
      aria-label="Go to"
      onClose={onClose}
      onClick={(event: Event) => event.target === box.current && box.current?.close()}
    >
      <input
        role="combobox"
        aria-label="A section, a tool, a flow, or an id"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found[at] === undefined ? undefined : `command-${at}`}
        placeholder="A section, a tool, a flow, or an id"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event: Event) => {
          setTyped((event.currentTarget as HTMLInputElement).value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <ul id="commands" role="listbox" aria-label="Places" ref={list}>
        {found.map((command, index) => (
          <li
            key={`${command.kind} ${command.name}`}
            id={`command-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => go(command)}
          >
            <bdi>{command.name}</bdi> <span class="muted small">{command.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p class="muted small" role="status">
          {things.isLooking ? "Looking for that id…" : "Nothing is called so."}
        </p>
      )}
    </dialog>
  );
}

function toCommand({ title, name }: SectionPage): Command {
  return { kind: "section", name: title, href: hrefTo(name) };
}

/** A tool; the page of one that is a flow leads to the flow. */
function toToolCommand({ name }: WireTool): Command {
  return { kind: "tool", name, href: hrefTo("tools", name) };
}

/** The things whose id was typed, as the API finds them. */
function useThings(typed: string, pages: readonly SectionPage[]) {
  const [found, setFound] = useState<readonly Command[]>([]);
  const [isLooking, setLooking] = useState(false);
  useEffect(() => {
    const id = typed.trim();
    setFound([]);
    setLooking(mayBeId(id));
    if (!mayBeId(id)) return undefined;
    let isOver = false;
    const look = async (): Promise<void> => {
      const asked = pages.flatMap(({ name, things }) => {
        if (things === undefined) return [];
        const command: Command = { kind: things.kind, name: id, href: hrefTo(name, id) };
        return [ask(`${things.path}${encodeURIComponent(id)}`).then(({ ok }) => (ok ? [command] : []))];
      });
      const commands = (await Promise.all(asked)).flat();
      if (isOver) return;
      setFound(commands);
      setLooking(false);
    };
    const timer = setTimeout(() => void look(), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [typed, pages]);
  return { found, isLooking };
}
