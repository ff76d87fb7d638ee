import { useState } from "hono/jsx/dom";

import { ask, type Problem } from "../kit/api.ts";
import { hrefTo } from "../kit/route.ts";
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
  const [problem, setProblem] = useState<Problem | null>(null);
  const remove = async (): Promise<void> => {
    const answer = await ask(path, { method: "DELETE" });
    if (!answer.ok) return setProblem(answer.problem);
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
          onAnswer={(isYes) => {
            setAsking(false);
            if (isYes) void remove();
          }}
        >
          {children}
        </Question>
      )}
    </div>
  );
}
