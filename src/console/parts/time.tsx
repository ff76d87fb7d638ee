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

/** Today's times without the day, times of another year with it. */
function sayTime(date: Date, now: Date): string {
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  if (date.toDateString() === now.toDateString()) return time;
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  const day = date.toLocaleDateString([], { day: "numeric", month: "short", ...(year && { year }) });
  return `${day}, ${time}`;
}
