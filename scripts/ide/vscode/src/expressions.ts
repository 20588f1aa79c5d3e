// What the cursor is on, as an expression that has a place in memory or a register.

const WORD = /[A-Za-z0-9_$]/;

/** The expression around a column (from 0): from the beginning of `a->b.c[i]` up to
 * the end of the name under the cursor. Nothing on a number, a keyword or a blank. */
export function expressionAt(line: string, column: number): string | undefined {
  let end = column;
  while (end < line.length && WORD.test(line[end]!)) ++end;
  let begin = Math.min(column, end);
  while (begin > 0 && WORD.test(line[begin - 1]!)) --begin;
  const name = line.slice(begin, end);
  if (!name || /^[0-9]/.test(name) || KEYWORDS.has(name)) return undefined;
  // To the left: what the name is a member of.
  for (;;) {
    const before = line.slice(0, begin);
    const link = /(?:->|(?<![.0-9])\.|::)$/.exec(before);
    if (!link) break;
    const owner = beginOfOperand(line, begin - link[0].length);
    if (owner === undefined) return undefined;
    begin = owner;
  }
  return line.slice(begin, end);
}

/** Where the operand that ends before `end` begins: a name, with its [indices]; a
 * call has no place, so nothing for f(). */
function beginOfOperand(line: string, end: number): number | undefined {
  let at = end;
  while (line[at - 1] === "]") {
    let depth = 0;
    do {
      --at;
      if (line[at] === "]") ++depth;
      else if (line[at] === "[") --depth;
    } while (at > 0 && depth > 0);
    if (depth > 0) return undefined;
  }
  const after = at;
  while (at > 0 && WORD.test(line[at - 1]!)) --at;
  return at < after ? at : undefined;
}

const KEYWORDS = new Set(
  ("auto break case char const continue default do double else enum extern float for goto if inline int long register " +
    "return short signed sizeof static struct switch typedef union unsigned void volatile while bool class namespace").split(" "),
);

/** What a menu of VS Code hands over: an item of Variables or of Watch. */
export function expressionOf(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const { variable, evaluateName, name, expression } = item as Record<string, unknown>;
  if (typeof variable === "object" && variable !== null) {
    const inner = variable as Record<string, unknown>;
    return text(inner["evaluateName"]) ?? named(inner["name"]);
  }
  return text(evaluateName) ?? text(expression) ?? named(name);
}

/** An element of a map is in Variables, and no expression leads to it. */
export const hasNoExpression = (item: unknown): boolean =>
  typeof item === "object" && item !== null && "variable" in item && !expressionOf(item);

/** "[0]" is no expression without its container. */
const named = (name: unknown): string | undefined => {
  const word = text(name);
  return word?.startsWith("[") ? undefined : word;
};

const text = (value: unknown): string | undefined => (typeof value === "string" && value ? value : undefined);
