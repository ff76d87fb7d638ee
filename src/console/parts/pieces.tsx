import { mayUse, useDeployment } from "../kit/deployment.ts";
import type { Places } from "../kit/section.ts";

interface PiecesProps<Place extends keyof Places> {
  readonly of: Place;
  readonly given: Places[Place];
}

/** The pieces that sections add to one place of a page, as far as the Worker has them and the key may use them. */
export function Pieces<Place extends keyof Places>({ of, given }: PiecesProps<Place>) {
  const deployment = useDeployment();
  return (
    <>
      {deployment.sections.map(({ feature, pieces }) => {
        const piece = pieces?.[of];
        if (piece === undefined || !mayUse(deployment, piece.flag)) return null;
        return <piece.View key={feature} {...given} />;
      })}
    </>
  );
}
