/** A point in time as this browser writes it; its full form is the title. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <span class="muted">–</span>;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  return (
    <time dateTime={at} title={at}>
      {sayTime(date, new Date())}
    </time>
  );
}

/** Today's times without the day. */
export function sayTime(date: Date, now: Date): string {
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  if (date.toDateString() === now.toDateString()) return time;
  return `${date.toLocaleDateString([], { day: "numeric", month: "short" })}, ${time}`;
}

/** A length of time in the unit that suits it. */
export function sayDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} d`;
}
