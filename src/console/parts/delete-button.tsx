import { hrefTo } from "../kit/route.ts";
import { useSend } from "../kit/use-send.ts";
import { announce } from "./announce.tsx";
import { ProblemNote } from "./problem-note.tsx";
import { AskingButton } from "./question.tsx";

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
      <AskingButton
        look={isRow ? "plain" : "danger"}
        label={isRow ? `${does} ${name}` : undefined}
        title={`${does} ${name}?`}
        yes={does}
        isDanger
        onYes={() => void remove()}
      >
        {children}
      </AskingButton>
    </div>
  );
}
