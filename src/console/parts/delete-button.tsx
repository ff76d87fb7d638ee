import { useState } from "hono/jsx/dom";

import { hrefTo } from "../kit/route.ts";
import { useSend } from "../kit/use-send.ts";
import { announce } from "./announce.tsx";
import { ProblemNote } from "./problem-note.tsx";
import { Question } from "./question.tsx";

interface DeleteButtonProps {
  readonly name: string;
  readonly path: string;
  /** Where the list is that it goes from. */
  readonly section: string;
  /** The consequences, said in the question. */
  readonly children: unknown;
}

/** A button that deletes one thing of a list, after a question, and leads back to the list. */
export function DeleteButton({ name, path, section, children }: DeleteButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const { send, problem } = useSend();
  const remove = async (): Promise<void> => {
    const answer = await send(path, { method: "DELETE" });
    if (!answer.ok) return;
    announce(`${name} is deleted`);
    location.hash = hrefTo(section);
  };
  return (
    <div class="row">
      <ProblemNote problem={problem} />
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        Delete
      </button>
      {isAsking && (
        <Question
          title={`Delete ${name}?`}
          yes="Delete"
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
