import { useState } from "../kit/jsx-hooks.ts";
import { type Sending, useSend } from "../kit/use-send.ts";
import type { Redriven } from "../kit/wire.ts";
import { announce } from "../parts/announce.tsx";
import { sayRedriven } from "./job-filter.ts";

interface Redriving extends Sending {
  readonly redrive: (which: object) => Promise<void>;
  /** The outcome in sentences. */
  readonly said: string | null;
}

/** Give dead jobs new attempts, and say what became of it. */
export function useRedrive(path: string, onDone: () => void): Redriving {
  const [said, setSaid] = useState<string | null>(null);
  const sending = useSend();
  const redrive = async (which: object): Promise<void> => {
    const answer = await sending.send<Redriven>(path, { method: "POST", body: which });
    if (!answer.ok) return;
    const text = sayRedriven(answer.data);
    setSaid(text);
    announce(text);
    onDone();
  };
  return { ...sending, redrive, said };
}
