import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  beginLoop,
  type LoopState,
  type Move,
  type News,
  nextMove,
} from "../../../src/features/agent/loop.ts";
import { STRATEGIES } from "../../../src/features/agent/agent-options.ts";

const answered = (ours: number, callsTheirs = false): News => ({ kind: "answered", ours, callsTheirs });
const ran = (...calls: string[]): News => ({
  kind: "ran",
  calls: new Set(calls),
  waits: false,
  isLate: false,
});
const PLANNED: News = { kind: "planned" };

/** Every move of a loop to which this happens. */
function movesOf(news: readonly News[], strategy = STRATEGIES.act, maxRounds = 5): Move[] {
  let [state, move] = beginLoop(strategy, maxRounds);
  const moves = [move];
  for (const one of news) {
    [state, move] = nextMove(state, one);
    moves.push(move);
  }
  return moves;
}

const kindsOf = (moves: readonly Move[]): string[] => moves.map(({ kind }) => kind);
const lastOf = (moves: readonly Move[]): Move => moves.at(-1)!;

describe("A loop", () => {
  test("ends with the first answer that calls nothing", () => {
    expect(movesOf([answered(0)])).toEqual([{ kind: "ask" }, { kind: "end", stopped: "answer" }]);
  });

  test("runs what a turn calls and asks again", () => {
    expect(kindsOf(movesOf([answered(2), ran("a"), answered(0)]))).toEqual(["ask", "run", "ask", "end"]);
  });

  test("hands a turn over that calls only the caller's tools, without running anything", () => {
    expect(lastOf(movesOf([answered(0, true)]))).toEqual({ kind: "end", stopped: "client_tools" });
  });

  test("runs our part of a mixed turn first, and then hands over the caller's, whatever waits or is late", () => {
    const late: News = { kind: "ran", calls: new Set(["a"]), waits: true, isLate: true };
    const moves = movesOf([answered(1, true), late]);
    expect(kindsOf(moves)).toEqual(["ask", "run", "end"]);
    expect(lastOf(moves)).toEqual({ kind: "end", stopped: "client_tools" });
  });

  test("ends where a person has to be asked", () => {
    expect(
      lastOf(movesOf([answered(1), { kind: "ran", calls: new Set(["a"]), waits: true, isLate: true }])),
    ).toEqual({ kind: "end", stopped: "confirmation" });
  });

  test("ends where its time was over while tools ran", () => {
    expect(
      lastOf(movesOf([answered(1), { kind: "ran", calls: new Set(["a"]), waits: false, isLate: true }])),
    ).toEqual({ kind: "end", stopped: "deadline" });
  });

  test("asks once more after its last round, and runs nothing of what comes then", () => {
    const rounds = [1, 2, 3].flatMap((n) => [answered(1), ran(`call ${n}`)]);
    const moves = movesOf([...rounds, answered(7, true)], STRATEGIES.act, 3);
    expect(moves.slice(-2)).toEqual([
      { kind: "close", why: "max_rounds" },
      { kind: "end", stopped: "max_rounds" },
    ]);
  });

  test("stops where the same call was made in three rounds running, other calls beside it or not", () => {
    const moves = movesOf([answered(2), ran("a", "b"), answered(1), ran("a"), answered(2), ran("c", "a")]);
    expect(lastOf(moves)).toEqual({ kind: "close", why: "repetition" });
  });

  test("goes on where the same call is made again, but not in every round", () => {
    const news = ["a", "a", "b", "a", "a"].flatMap((call) => [answered(1), ran(call)]);
    expect(movesOf(news, STRATEGIES.act, 9).some(({ kind }) => kind === "close")).toBe(false);
  });

  test("plans before each round where the strategy says so, and not before the last answer", () => {
    const round = (n: number): News[] => [PLANNED, answered(1), ran(`call ${n}`)];
    const moves = movesOf([...round(1), ...round(2), answered(0)], STRATEGIES["think-act"], 2);
    expect(kindsOf(moves)).toEqual(["plan", "ask", "run", "plan", "ask", "run", "close", "end"]);
  });

  test("asks at most one time more than it has rounds, whatever the model does", () => {
    const turn = fc.record({
      ours: fc.nat({ max: 60 }),
      callsTheirs: fc.boolean(),
      call: fc.constantFrom("a", "b", "c"),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.infiniteStream(turn),
        fc.constantFrom(...Object.values(STRATEGIES)),
        (maxRounds, turns, strategy) => {
          let [state, move]: readonly [LoopState, Move] = beginLoop(strategy, maxRounds);
          let asked = 0;
          let rounds = 0;
          for (const { ours, callsTheirs, call } of turns) {
            if (move.kind === "plan") [state, move] = nextMove(state, PLANNED);
            if (move.kind === "ask" || move.kind === "close") {
              asked += 1;
              [state, move] = nextMove(state, answered(ours, callsTheirs));
            }
            if (move.kind === "run") {
              rounds += 1;
              [state, move] = nextMove(state, ran(call));
            }
            if (move.kind === "end") break;
          }
          expect(rounds).toBeLessThanOrEqual(maxRounds);
          expect(asked).toBeLessThanOrEqual(maxRounds + 1);
        },
      ),
    );
  });
});
