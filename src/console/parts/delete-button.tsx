import { useState } from "../kit/jsx-hooks.ts";
import { hrefTo } from "../kit/route.ts";
import { useSend } from "../kit/use-send.ts";
import { announce } from "./announce.tsx";
import { ProblemNote } from "./problem-note.tsx";
import { Question } from "./question.tsx";

interface DeleteButtonProps {
  readonly name: string;
  readonly path: string;
  /** The word of the button, and how its end is announced; a deletion unless said. */
  readonly does?: readonly [does: string, done: string];
  /** The section of the list that it goes from, or what is done instead of leading there. */
  readonly from: string | (() => void);
  /** The consequences, said in the question. */
  readonly children: unknown;
}

/** A button that deletes one thing, after a question: of a page, which then leads back to the list, or of a row of it. */
export function DeleteButton({
  name,
  path,
  does: [does, done] = ["Delete", "is deleted"],
  from,
  children,
}: DeleteButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const { send, problem } = useSend();
  const isRow = typeof from !== "string";
  const remove = async (): Promise<void> => {
    const answer = await send(path, { method: "DELETE" });
    if (answer.ok) announce(`${name} ${done}`);
    if (isRow) from();
    else if (answer.ok) location.hash = hrefTo(from);
  };
  return (
    <div class="row">
      <ProblemNote problem={problem} />
      <button
        type="button"
        class={isRow ? "plain" : "danger"}
        aria-label={isRow ? `${does} ${name}` : undefined}
        onClick={() => setAsking(true)}
      >
        {does}
      </button>
      {isAsking && (
        <Question
          title={`${does} ${name}?`}
          yes={does}
          isDanger
          onClose={() => setAsking(false)}
          onYes={() => void remove()}
        >
          {children}
        </Question>
      )}
    </div>
  );
}
