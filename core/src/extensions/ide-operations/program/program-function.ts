import type { IdeCall } from "../ide-call.js";
import { type Budget, type Offset, ProgramFault } from "./program-limits.js";
import { isList, typeOf, type Value } from "./value.js";

export interface ProgramFunction {
  readonly name: string;
  /** Argument names for the help, such as `list, condition`; optional ones end with `?`. */
  readonly args: readonly string[];
  readonly about: string;
  /** Index of the argument that is evaluated per list item, if any. */
  readonly perItem?: number;
  run(call: FunctionCall): Value | Promise<Value>;
}

export class FunctionCall {
  constructor(
    readonly name: string,
    readonly at: Offset,
    readonly ide: IdeCall,
    readonly budget: Budget,
    readonly values: readonly Value[],
    /** Evaluates the per-item argument; undefined if it was omitted. */
    readonly each: ((item: Value) => Promise<Value>) | undefined,
  ) {}

  /** Returns the first argument; throws if it isn't a list. */
  list(): readonly Value[] {
    const value = this.values[0] ?? null;
    if (isList(value)) return value;
    throw this.fault(`needs a list, got ${typeOf(value)}.`, "Put a single value in brackets: [x].");
  }

  /** Returns each list item with its value of the per-item argument. */
  async perItem(): Promise<readonly (readonly [item: Value, value: Value])[]> {
    const pairs: (readonly [Value, Value])[] = [];
    for (const item of this.list()) pairs.push([item, this.each ? await this.each(item) : item]);
    return pairs;
  }

  /** Returns undefined if the argument was omitted. */
  text(index: number): string | undefined {
    const value = this.values[index];
    if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
    throw this.fault(`needs a text, got ${typeOf(value)}.`, 'Put texts in quotes: "area".');
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
