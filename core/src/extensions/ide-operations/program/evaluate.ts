import type { IdeCall } from "../ide-call.js";
import { ideFunctions } from "./ide-functions.js";
import { compare, isTrue, listFunctions } from "./list-functions.js";
import type { Expression, Line } from "./parse-program.js";
import { FunctionCall, type ProgramFunction } from "./program-function.js";
import { Budget, type Offset, ProgramFault } from "./program-limits.js";
import { Fields, isList, Item, itemField, itemFields, keyOf, looksLike, typeOf, type Value } from "./value.js";

type Binary = Extract<Expression, { readonly kind: "binary" }>;

/** Runs a program line by line. A name is known from the next line on. */
export class Evaluation {
  readonly budget = new Budget();
  readonly #names = new Map<string, Value>();

  constructor(private readonly ide: IdeCall) {}

  /** Returns the values of all unnamed lines, or the last value if all lines are named. Rejects with {@link ProgramFault}. */
  async run(lines: readonly Line[]): Promise<readonly Value[]> {
    const shown: Value[] = [];
    let last: Value = null;
    for (const { name, value } of lines) {
      last = await this.#value(value, undefined);
      if (name === undefined) shown.push(last);
      else this.#names.set(name, last);
    }
    return shown.length > 0 ? shown : [last];
  }

  /** `item` is the value of `it` in an argument evaluated per list item. */
  async #value(expression: Expression, item: Value | undefined): Promise<Value> {
    this.budget.step(expression.at);
    switch (expression.kind) {
      case "literal":
        return expression.value;
      case "name":
        return this.#named(expression.name, item, expression.at);
      case "list":
        return this.#all(expression.items, item);
      case "record": {
        const entries = new Map<string, Value>();
        for (const [name, value] of expression.fields) entries.set(name, await this.#value(value, item));
        return new Fields(entries);
      }
      case "call":
        return this.#call(expression, item);
      case "member":
        return this.#member(await this.#value(expression.of, item), expression.name, expression.at);
      case "not":
        return !isTrue(await this.#value(expression.of, item));
      case "minus":
        return minus(await this.#value(expression.of, item), expression.at);
      case "binary":
        return this.#binary(expression, item);
    }
  }

  async #all(expressions: readonly Expression[], item: Value | undefined): Promise<Value[]> {
    const values: Value[] = [];
    for (const expression of expressions) values.push(await this.#value(expression, item));
    return values;
  }

  /** Resolves a name: a field of the item, then an earlier line, then a function applied to the item. */
  async #named(name: string, item: Value | undefined, at: Offset): Promise<Value> {
    if (item !== undefined) {
      if (name === "it") return item;
      const field = await this.#field(item, name);
      if (field !== undefined) return field;
    }
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const found = functionNamed(name);
    const args = found && (found.args.length === 0 ? [] : item === undefined ? undefined : [item]);
    if (found && args) return this.#runFunction(found, { values: args, each: undefined, at });
    if (found)
      throw new ProgramFault(at, `${name} needs ${found.args[0] ?? "an argument"}.`, `Write ${usageOf(found)}.`);
    const fields = item === undefined ? [] : fieldNames(item);
    const hint = fields.length > 0 ? `Fields here: ${fields.join(", ")}.` : 'Put texts in quotes: "name".';
    throw new ProgramFault(at, `${name} is not known.`, hint);
  }

  async #call(call: Extract<Expression, { readonly kind: "call" }>, item: Value | undefined): Promise<Value> {
    const { name, args, at } = call;
    const found = functionNamed(name);
    if (!found) {
      const known = programFunctions.map((one) => one.name).join(", ");
      throw new ProgramFault(at, `there is no function ${name}.`, `There are ${known}.`);
    }
    const required = found.args.filter((arg) => !arg.endsWith("?")).length;
    if (args.length < required || args.length > found.args.length) {
      throw new ProgramFault(at, `${found.name} does not take ${args.length} arguments.`, `Write ${usageOf(found)}.`);
    }
    const perItem = found.perItem === undefined ? undefined : args[found.perItem];
    const values = await this.#all(
      args.filter((_, index) => index !== found.perItem),
      item,
    );
    const each = perItem && ((one: Value) => this.#value(perItem, one));
    return this.#runFunction(found, { values, each, at });
  }

  async #runFunction(
    found: ProgramFunction,
    { values, each, at }: Pick<FunctionCall, "values" | "each" | "at">,
  ): Promise<Value> {
    return found.run(new FunctionCall(found.name, at, this.ide, this.budget, values, each));
  }

  /** A member of a list is the list of the items' members. */
  async #member(value: Value, name: string, at: Offset): Promise<Value> {
    if (isList(value)) {
      const values: Value[] = [];
      for (const one of value) values.push(await this.#member(one, name, at));
      return values;
    }
    this.budget.step(at);
    const field = await this.#field(value, name);
    if (field !== undefined) return field;
    const fields = fieldNames(value);
    const hint = fields.length > 0 ? `It has ${fields.join(", ")}.` : "Only places and records have fields.";
    throw new ProgramFault(at, `${typeOf(value)} has no field ${name}.`, hint);
  }

  async #field(value: Value, name: string): Promise<Value | undefined> {
    if (value instanceof Item) return itemField(this.ide, value, name);
    return value instanceof Fields ? value.entries.get(name) : undefined;
  }

  async #binary({ sign, left, right, at }: Binary, item: Value | undefined): Promise<Value> {
    const a = await this.#value(left, item);
    if (sign === "and" && !isTrue(a)) return false;
    if (sign === "or" && isTrue(a)) return true;
    const b = await this.#value(right, item);
    switch (sign) {
      case "and":
      case "or":
        return isTrue(b);
      case "==":
        return keyOf(a) === keyOf(b);
      case "!=":
        return keyOf(a) !== keyOf(b);
      case "~":
        return isLike(a, b, at);
      case "+":
      case "-":
        return this.#sum(sign, a, b, at);
      default:
        return isOrdered(sign, a, b, at);
    }
  }

  #sum(sign: "+" | "-", a: Value, b: Value, at: Offset): Value {
    if (typeof a === "number" && typeof b === "number") return sign === "+" ? a + b : a - b;
    if (sign === "+" && isList(a) && isList(b)) return this.budget.list([...a, ...b], at);
    if (sign === "+" && typeof a === "string" && (typeof b === "string" || typeof b === "number")) {
      return this.budget.text(`${a}${b}`, at);
    }
    throw new ProgramFault(
      at,
      `${sign} can't be used with ${typeOf(a)} and ${typeOf(b)}.`,
      "It adds numbers, texts or lists.",
    );
  }
}

function minus(value: Value, at: Offset): Value {
  if (typeof value === "number") return -value;
  throw new ProgramFault(
    at,
    `- can't be used with ${typeOf(value)}.`,
    "It negates numbers; to sort texts backwards, use reverse.",
  );
}

function isLike(a: Value, b: Value, at: Offset): boolean {
  if (a === null) return false;
  if (typeof a === "string" && typeof b === "string") return looksLike(a, b);
  throw new ProgramFault(
    at,
    `~ can't be used with ${typeOf(a)} and ${typeOf(b)}.`,
    'It looks for a text in another: file ~ "tests/*".',
  );
}

function isOrdered(sign: "<" | "<=" | ">" | ">=", a: Value, b: Value, at: Offset): boolean {
  if (a === null || b === null) return false;
  if (typeof a !== typeof b || (typeof a !== "number" && typeof a !== "string")) {
    throw new ProgramFault(
      at,
      `${sign} can't be used with ${typeOf(a)} and ${typeOf(b)}.`,
      "It compares numbers, or texts.",
    );
  }
  const order = compare(a, b);
  if (sign === "<") return order < 0;
  if (sign === "<=") return order <= 0;
  return sign === ">" ? order > 0 : order >= 0;
}

function fieldNames(value: Value): readonly string[] {
  if (value instanceof Item) return itemFields;
  return value instanceof Fields ? [...value.entries.keys()] : [];
}

/** Returns for example `where(list, condition)`. */
export function usageOf({ name, args }: ProgramFunction): string {
  return `${name}(${args.join(", ")})`;
}

/** All functions in the order of the help. */
export const programFunctions: readonly ProgramFunction[] = [...ideFunctions, ...listFunctions];

const byName: ReadonlyMap<string, ProgramFunction> = new Map(programFunctions.map((one) => [one.name, one]));

/** Finds a function by name, including other tools' spellings such as `findReferences` or `find_definition`. */
function functionNamed(name: string): ProgramFunction | undefined {
  const exact = byName.get(name);
  if (exact) return exact;
  const plain = name
    .toLowerCase()
    .replaceAll("_", "")
    .replace(/^(?:find|get)/, "");
  return byName.get(plain) ?? byName.get(`${plain}s`) ?? byName.get(plain.replace(/s$/, ""));
}
