import type {
  BigNumber as Decimal,
  ConstantNode,
  FunctionNode,
  MathNode,
  OperatorNode,
  ParenthesisNode,
  SymbolNode,
} from "mathjs";

import { attemptNow, err, ok, type Result } from "../core/kit/result.ts";
import { CONSTANTS, divide, FUNCTIONS, raise } from "./calculator-functions.ts";
import { NotComputable } from "./not-computable.ts";
import { fromWritten, opposite, parse, product, type Real, show, sum, toDecimal } from "./real.ts";
import { toRational } from "./rational.ts";

/** The value of an expression. */
export interface Computed {
  /** Exact where it is rational and its decimal ends, else 15 significant digits. */
  readonly result: string;
  /** The nearest double. */
  readonly value: number;
}

/**
 * Compute an expression of real numbers, or say in a sentence why it cannot be.
 *
 * mathjs only parses: what it knows besides arithmetic (assignments, functions of one's own, matrices, text, units) is refused by
 * its node, so nothing grows but numbers, and those are bounded before they are made. For every expression the work is at
 * most one bounded operation for each of its characters.
 */
export function evaluate(expression: string): Result<Computed, string> {
  const parsed = attemptNow(() => parse(withoutTypography(expression)));
  if (!parsed.ok) return err(sayUnparsed(parsed.error));
  const computed = attemptNow(() => compute(parsed.value));
  if (!computed.ok) {
    if (computed.error instanceof NotComputable) return err(computed.error.message);
    return err("The expression is too deeply nested, or one of its numbers too large, to be computed.");
  }
  const decimal = toDecimal(computed.value);
  const value = decimal.toNumber();
  if (decimal.isNaN()) return err("The result is not a real number.");
  if (!Number.isFinite(value)) return err("The result is beyond 1.8e308, the largest number there is here.");
  // No zero is negative.
  return ok({ result: show(computed.value), value: value + 0 });
}

/** Replace the signs that come with text pasted from a page. */
function withoutTypography(expression: string): string {
  return expression
    .replace(/[×·⋅]/g, "*")
    .replaceAll("÷", "/")
    .replaceAll("−", "-")
    .replaceAll("**", "^")
    .replaceAll("π", "pi")
    .replace(/%\s+of\b/g, "/100*");
}

function sayUnparsed(error: unknown): string {
  const at = error instanceof SyntaxError ? /\(char (\d+)\)/.exec(error.message)?.[1] : undefined;
  const where = at === undefined ? "" : ` from character ${at} on`;
  return `The expression cannot be read${where}; write it like 2*(3+4)^2, without thousands separators, text or units.`;
}

function compute(node: MathNode): Real {
  switch (node.type) {
    case "ConstantNode":
      return constantOf((node as ConstantNode).value);
    case "ParenthesisNode":
      return compute((node as ParenthesisNode).content);
    case "SymbolNode":
      return symbolOf((node as SymbolNode).name);
    case "OperatorNode":
      return operate(node as OperatorNode);
    case "FunctionNode":
      return call(node as FunctionNode);
    default:
      throw new NotComputable(
        "Only one formula of numbers, operators and functions can be computed: no assignments, lists, text, comparisons or functions of one's own.",
      );
  }
}

function constantOf(value: unknown): Real {
  // The hundred of a percentage is the parser's own.
  if (value === 100) return toRational(100n);
  if (typeof value !== "object" || value === null)
    throw new NotComputable("Only numbers can be computed: no text and no truth values.");
  return fromWritten(value as Decimal);
}

function symbolOf(name: string): Real {
  const value = CONSTANTS.get(name);
  if (value !== undefined) return value();
  const known = [...CONSTANTS.keys()].join(", ");
  throw new NotComputable(
    FUNCTIONS.has(name)
      ? `${name} is a function: write its argument in parentheses, such as ${name}(2).`
      : `There is no constant, variable or unit of that name here; there are ${known}.`,
  );
}

function operate({ fn, args }: OperatorNode): Real {
  const [a, b] = args.map(compute);
  switch (String(fn)) {
    case "add":
      return sum(a!, b!);
    case "subtract":
      return sum(a!, opposite(b!));
    case "unaryMinus":
      return opposite(a!);
    case "unaryPlus":
      return a!;
    case "multiply":
      return product(a!, b!);
    case "divide":
      return divide(a!, b!);
    case "pow":
      return raise(a!, b!);
    case "mod":
      return FUNCTIONS.get("mod")!.compute([a!, b!]);
    case "factorial":
      return FUNCTIONS.get("factorial")!.compute([a!]);
    default:
      throw new NotComputable("The operators are + - * / ^ ! % and mod.");
  }
}

function call({ fn, args }: FunctionNode): Real {
  const name = fn.type === "SymbolNode" ? fn.name : "";
  const known = FUNCTIONS.get(name);
  if (known === undefined)
    throw new NotComputable(`There is no such function; there are ${[...FUNCTIONS.keys()].join(", ")}.`);
  const { least, most } = known;
  if (args.length < least || args.length > most)
    throw new NotComputable(`${name} takes ${least === most ? least : `${least} or more`} arguments.`);
  return known.compute(args.map(compute));
}
