import { useEffect, useRef, useState } from "../kit/jsx-hooks.ts";

interface QuestionProps {
  readonly title: string;
  /** The words of the button that does it. */
  readonly yes: string;
  readonly isDanger?: boolean;
  readonly onYes: () => void;
  /** Told after either answer. */
  readonly onClose: () => void;
  readonly children?: unknown;
}

/** Ask before something is done that cannot be taken back. Escape and the first button are a no. */
export function Question({ title, yes, isDanger = false, onYes, onClose, children }: QuestionProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  // Closing first gives the focus back to where it was.
  const close = (answer: string): void => box.current?.close(answer);
  return (
    <dialog
      ref={box}
      class="question"
      aria-label={title}
      onClose={(event: Event) => {
        onClose();
        if ((event.currentTarget as HTMLDialogElement).returnValue === "yes") onYes();
      }}
    >
      <h2>{title}</h2>
      <div class="muted">{children}</div>
      <div class="row ends">
        <button type="button" onClick={() => close("no")}>
          Back
        </button>
        <button type="button" class={isDanger ? "danger" : "primary"} onClick={() => close("yes")}>
          {yes}
        </button>
      </div>
    </dialog>
  );
}

interface AskingButtonProps extends Omit<QuestionProps, "onClose"> {
  /** The words on it; those of the question's button unless said. */
  readonly text?: string;
  /** Its name, where others have the same words. */
  readonly label?: string | undefined;
  readonly look?: string | undefined;
  readonly isBusy?: boolean;
}

/** A button that asks before it does what its question says. */
export function AskingButton({ text, label, look, isBusy, ...question }: AskingButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const { yes, isDanger } = question;
  return (
    <>
      <button
        type="button"
        class={look ?? (isDanger ? "danger" : undefined)}
        aria-label={label}
        aria-disabled={isBusy}
        onClick={() => setAsking(true)}
      >
        {text ?? yes}
      </button>
      {isAsking && <Question key="question" {...question} onClose={() => setAsking(false)} />}
    </>
  );
}
