import { sayDuration } from "../../../console/parts/say-duration.ts";
import { sayRate, toneOfRate } from "./overview-words.ts";

interface FigureProps {
  readonly text: string;
  readonly isNone: boolean;
  readonly tone?: string | undefined;
}

/** A figure of a tenant or a tool: one that is nothing is quiet, another may have a tone. */
function Figure({ text, isNone, tone }: FigureProps) {
  return <span class={isNone ? "muted" : tone && `toned tone-${tone}`}>{text}</span>;
}

export function Rate({ of }: { readonly of: number }) {
  return <Figure text={sayRate(of)} isNone={of === 0} tone={toneOfRate(of)} />;
}

export function Count({ of, tone }: { readonly of: number; readonly tone?: string }) {
  return <Figure text={of.toLocaleString("en")} isNone={of === 0} tone={tone} />;
}

export function Millis({ of }: { readonly of: number | null }) {
  return <Figure text={of === null ? "–" : sayDuration(of)} isNone={of === null} />;
}
