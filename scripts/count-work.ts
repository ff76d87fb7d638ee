/**
 * Write the count of `src/packs/count-work.ts` into code of a library: a step for every function and every round of a loop, and the
 * size of what native functions read as a whole.
 */
import { fileURLToPath } from "node:url";

import { parseAst } from "rolldown/parseAst";

import { firstCharacter, fromRunStart, isSlowPattern } from "./slow-pattern.ts";

/** The libraries of the pack `shell`: what a command runs, and what just-bash leaves to others. */
export const COUNTED =
  /\/node_modules\/(?:just-bash|diff|minimatch|brace-expansion|sprintf-js|turndown)\/.*\.[cm]?js$/;

const COUNTER = fileURLToPath(new URL("../src/packs/count-work.ts", import.meta.url));

/** Native methods that read all of what they are called on. */
const READS_RECEIVER = new Set(
  "join split concat reverse sort fill replace replaceAll match matchAll search toLowerCase toUpperCase normalize unshift shift splice trim trimStart trimEnd lastIndexOf localeCompare".split(
    " ",
  ),
);
/** Native methods whose answer is what they took time for. */
const MAKES_ANSWER = new Set("slice substring substr repeat padStart padEnd keys entries values".split(" "));
/** Native methods that read all of what they are given. */
const READS_ARGUMENT = new Set("from parse stringify encode decode set assign fromEntries".split(" "));
/** Native methods that read all of a text that they are given. */
const READS_TEXT = new Set(
  "get has add delete startsWith endsWith localeCompare compare parseInt parseFloat isNaN isFinite Number BigInt".split(
    " ",
  ),
);
/** Native methods that read until they find something, and what counts them. */
const SEARCHES = new Map([
  ["indexOf", "$search"],
  ["includes", "$search"],
  ["exec", "$match"],
  ["test", "$match"],
]);
/** Native methods that keep all that they are given. */
const KEEPS = new Set(["push", "unshift"]);
/** Operators that read two texts as far as they are alike. */
const COMPARES = new Set(["===", "!==", "==", "!=", "<", ">", "<=", ">=", "in"]);
/** Native classes that copy what they are given. */
const COPIES = new Set(["Map", "Set", "Array", "Uint8Array", "String"]);

const LOOP = /^(?:For|ForIn|ForOf|While|DoWhile)Statement$/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/**
 * Text that takes the place of `end - at` characters. An edit that closes a span comes before one that opens one at the same
 * place.
 */
interface Edit {
  readonly at: number;
  readonly end: number;
  readonly text: string;
  /** The other end of the span that the text opens or closes. */
  readonly other: number;
}

/** Code with the counts in it, as an ES module. */
export function countWork(code: string): string {
  const edits: Edit[] = [];
  /** Sums that are parts of sums, and templates that a function reads in parts. */
  const joined = new Set<Node>();
  const tagged = new Set<unknown>();
  const insert = (at: number, text: string, other: number) => edits.push({ at, end: at, text, other });
  const wrap = ({ start, end }: Node, open: string, close: string) => {
    // The space keeps it apart from a word such as `of`.
    insert(start, ` ${open}`, end);
    insert(end, close, start);
  };
  visit(parseAst(code) as unknown as Node);
  // The longer of two spans that begin at one place is outside, and closes later.
  const order = edits.map((edit, index) => ({ edit, index, closes: edit.other < edit.at }));
  order.sort(
    (a, b) =>
      a.edit.at - b.edit.at ||
      Number(b.closes) - Number(a.closes) ||
      b.edit.other - a.edit.other ||
      (a.closes ? b.index - a.index : a.index - b.index),
  );
  let counted = `import { $Slow, $joined, $kept, $many, $match, $put, $search, $step, $text, $whole } from ${JSON.stringify(COUNTER)};`;
  let at = 0;
  for (const { edit } of order) {
    counted += code.slice(at, edit.at) + edit.text;
    at = edit.end;
  }
  return counted + code.slice(at);

  function visit(node: Node, readInLoop: ReadonlySet<string> = new Set()): void {
    const read = LOOP.test(node.type) ? namesRead(node) : readInLoop;
    countNode(node, read);
    for (const child of childrenOf(node)) visit(child, read);
  }

  function countNode(node: Node, readInLoop: ReadonlySet<string>): void {
    if (LOOP.test(node.type)) countBody(node["body"] as Node);
    else if (/Function/.test(node.type) && isNode(node["body"])) countBody(node["body"]);
    else if (node.type === "TaggedTemplateExpression") tagged.add(node["quasi"]);
    else if (node.type === "SpreadElement") wrap(node["argument"] as Node, "$whole(", ")");
    else if (node.type === "CallExpression") countCall(node);
    else if (node.type === "NewExpression" && COPIES.has(nameOf(node["callee"] as Node)))
      countArgument(node, "$many(");
    else if (node.type === "AssignmentExpression") countAssignment(node, readInLoop);
    else if (node.type === "BinaryExpression" || node.type === "TemplateLiteral") countOperation(node);
    else if (node.type === "UnaryExpression" && node["operator"] === "+") countText(node["argument"] as Node);
    else if (node.type === "MemberExpression" && node["computed"] === true)
      countText(node["property"] as Node);
    else if (node.type === "Literal" && node["regex"] !== undefined) countPattern(node);
  }

  function countAssignment(node: Node, readInLoop: ReadonlySet<string>): void {
    const left = node["left"] as Node;
    const right = node["right"] as Node;
    // A text that a loop only adds to is copied once, when it is over.
    if (node["operator"] === "+=" && readInLoop.has(nameOf(left)) && !isNumber(right))
      wrap(node, "$joined(", ")");
    if (left["computed"] === true) countPut(right, left["object"] as Node, left["property"] as Node);
  }

  /** A text under a key, in what can be named twice: whether the key is new says what the text costs. */
  function countPut(value: Node, target: Node, key: Node): void {
    if (isShort(value) && isShort(key)) return;
    const [into, under] = [target, key].map(({ start, end }) => code.slice(start, end));
    if (isPlain(target) && isPlain(key)) wrap(value, "$put(", `,${into},${under})`);
    else if (!isShort(value)) wrap(value, "$kept(", ")");
  }

  function countOperation(node: Node): void {
    const operands = [node["left"], node["right"]].filter(isNode);
    if (node.type === "TemplateLiteral") {
      if ((node["expressions"] as Node[]).length > 0 && !tagged.has(node)) wrap(node, "$joined(", ")");
    } else if (node["operator"] === "+") {
      if (!operands.some(isNumber) && !joined.has(node)) wrap(node, "$joined(", ")");
      for (const each of operands) if (each["operator"] === "+") joined.add(each);
    } else if (COMPARES.has(node["operator"] as string) && !operands.some(isShort)) countText(operands[0]!);
  }

  function countText(node: Node): void {
    if (!isShort(node) && node.type !== "PrivateIdentifier") wrap(node, "$text(", ")");
  }

  /** A literal that may be slow becomes an object that says so before each use. */
  function countPattern({ start, end, regex }: Node): void {
    const { pattern, flags } = regex as { readonly pattern: string; readonly flags: string };
    const source = fromRunStart(pattern);
    const replace = (text: string) => edits.push({ at: start, end, text: ` ${text}`, other: end });
    if (source !== pattern) replace(`/${source}/${flags}`);
    if (!isSlowPattern(pattern, flags)) return;
    const first = firstCharacter(pattern);
    const given = [pattern, flags, ...(first === undefined ? [] : [first])];
    replace(`new $Slow(${given.map((each) => JSON.stringify(each)).join(", ")})`);
  }

  function countBody(body: Node): void {
    if (body.type === "BlockStatement" || body.type === "FunctionBody") {
      const statements = body["body"] as Node[];
      const directive = statements.findLast((each) => typeof each["directive"] === "string");
      insert(directive?.end ?? body.start + 1, ";$step();", Number.POSITIVE_INFINITY);
    } else if (body.type.endsWith("Statement")) wrap(body, "{$step();", "}");
    else wrap(body, "($step(),", ")");
  }

  function countCall(call: Node): void {
    const callee = call["callee"] as Node;
    if (callee.type === "Identifier" && READS_TEXT.has(nameOf(callee))) countArgument(call, "$text(");
    if (callee.type !== "MemberExpression" || callee["computed"] === true) return;
    const object = callee["object"] as Node;
    const property = callee["property"] as Node;
    const name = nameOf(property);
    if (object.type === "Super" || isOptional(object)) return;
    const mayBeMissing = callee["optional"] === true || call["optional"] === true;
    if (READS_TEXT.has(name)) countArgument(call, "$text(");
    countKept(call, object, name);
    if (READS_RECEIVER.has(name)) wrap(object, "$whole(", ")");
    else if (
      READS_ARGUMENT.has(name) ||
      (SEARCHES.get(name) === "$match" && (mayBeMissing || isOnce(object)))
    )
      countArgument(call);
    else if (mayBeMissing) return;
    else if (MAKES_ANSWER.has(name)) wrap(call, "$whole(", ")");
    else if (SEARCHES.has(name)) {
      // `a.indexOf(b, c)` becomes `$search(a,"indexOf")(b, c)`.
      insert(call.start, ` ${SEARCHES.get(name)}(`, call.end);
      edits.push({ at: property.start - 1, end: property.end, text: `,"${name}")`, other: call.end });
    }
  }

  function countKept(call: Node, object: Node, name: string): void {
    const given = (call["arguments"] as Node[]).filter(({ type }) => type !== "SpreadElement");
    if (KEEPS.has(name)) for (const each of given) if (!isShort(each)) wrap(each, "$kept(", ")");
    const [key, value = key] = given;
    if ((name === "add" && given.length === 1) || (name === "set" && given.length === 2))
      countPut(value!, object, key!);
  }

  function countArgument(call: Node, count = "$whole("): void {
    const [first] = call["arguments"] as Node[];
    if (first !== undefined && first.type !== "SpreadElement" && !isShort(first)) wrap(first, count, ")");
  }
}

function nameOf(node: Node): string {
  return typeof node["name"] === "string" ? node["name"] : "";
}

/** Whether it is a number, however long its text. */
function isNumber({ type, ...node }: Node): boolean {
  if (type === "Literal") return typeof node["value"] === "number";
  if (type === "BinaryExpression") return /^[-*/%&|^<>]/.test(node["operator"] as string);
  return (
    type === "UpdateExpression" ||
    (type === "MemberExpression" && nameOf(node["property"] as Node) === "length")
  );
}

/** Whether it is no text, or one that stands in the code. */
function isShort(node: Node): boolean {
  return node.type === "Literal" || node.type === "UnaryExpression" || isNumber(node);
}

/** Whether it is a pattern that always begins at the start of a text. */
function isOnce({ regex }: Node): boolean {
  return regex !== undefined && !/[gy]/.test((regex as { readonly flags: string }).flags);
}

/** Whether to name it twice does nothing twice. */
function isPlain(node: Node): boolean {
  if (node.type !== "MemberExpression")
    return /^(?:Identifier|PrivateIdentifier|Literal|ThisExpression)$/.test(node.type);
  return isPlain(node["object"] as Node) && isPlain(node["property"] as Node);
}

/** Whether what stands before the member may end the whole chain. */
function isOptional(node: Node): boolean {
  const before = node["object"] ?? (node.type === "CallExpression" ? node["callee"] : undefined);
  return node["optional"] === true || (isNode(before) && isOptional(before));
}

/** Names that a loop calls methods of, looks into or gives away. */
function namesRead(node: Node, names = new Set<string>()): ReadonlySet<string> {
  const { object, property, arguments: given } = node as unknown as { [field: string]: Node | undefined };
  if (isNode(object) && nameOf(property!) !== "length") names.add(nameOf(object));
  for (const each of (given as unknown as Node[] | undefined) ?? []) names.add(nameOf(each));
  for (const child of childrenOf(node)) namesRead(child, names);
  return names;
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}
