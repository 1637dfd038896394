import type { IdeCall } from "../ide-call.js";
import { type Budget, type Offset, ProgramFault } from "./program-limits.js";
import { isList, typeOf, type Value } from "./value.js";

/** Something that programs can call. */
export interface ProgramFunction {
  readonly name: string;
  /** The arguments, for people, such as `list, condition`; optional ones end with `?`. */
  readonly args: readonly string[];
  readonly about: string;
  /** Which argument is computed for each item of the list, where one is. */
  readonly perItem?: number;
  run(call: FunctionCall): Value | Promise<Value>;
}

/** One call of a function, with its arguments. */
export class FunctionCall {
  constructor(
    readonly name: string,
    readonly at: Offset,
    readonly ide: IdeCall,
    readonly budget: Budget,
    readonly values: readonly Value[],
    /** Computes the argument that is computed for each item; undefined where it was left out. */
    readonly each: ((item: Value) => Promise<Value>) | undefined,
  ) {}

  /** The first argument, as a list. */
  list(): readonly Value[] {
    const value = this.values[0] ?? null;
    if (isList(value)) return value;
    throw this.fault(`needs a list, got ${typeOf(value)}.`, "Put a single value into brackets: [x].");
  }

  /** The value for each item of the list. */
  async perItem(): Promise<readonly (readonly [item: Value, value: Value])[]> {
    const pairs: (readonly [Value, Value])[] = [];
    for (const item of this.list()) pairs.push([item, this.each ? await this.each(item) : item]);
    return pairs;
  }

  /** Undefined when it was left out. */
  text(index: number): string | undefined {
    const value = this.values[index];
    if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
    throw this.fault(`needs a text, got ${typeOf(value)}.`, 'Texts stand in quotes: "area".');
  }

  wholeNumber(index: number, otherwise: number): number {
    const value = this.values[index] ?? otherwise;
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
    throw this.fault(`needs a whole number of at least 0, got ${typeOf(value)}.`, "Write it in digits.");
  }

  fault(message: string, hint: string): ProgramFault {
    return new ProgramFault(this.at, `${this.name} ${message}`, hint);
  }
}
