import { useEffect, useState } from "../kit/jsx-hooks.ts";

let tell: (text: string) => void = () => {};

/** Say an event to people who cannot see that it happened. */
export function announce(text: string): void {
  tell(text);
}

/** Where it is said: once on the page. */
export function Announcer() {
  const [text, setText] = useState("");
  useEffect(() => {
    tell = setText;
  }, []);
  return (
    <p class="hidden-text" role="status" aria-live="polite">
      {text}
    </p>
  );
}
