/** A section's picture; its name stands beside it. */
export function Icon({ path }: { readonly path: string }) {
  return (
    <svg viewBox="0 0 22 22" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
