import { SymposiumError } from "../../../base/symposium-error.js";

/** Where something stands in the text of a program: UTF-16 units from 0. */
export type Offset = number;

/** A fault of a program that is found where `at` points; becomes a {@link SymposiumError} that says line and column. */
export class ProgramFault extends Error {
  constructor(
    readonly at: Offset,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }

  in(program: string): SymposiumError {
    const before = program.slice(0, this.at).split("\n");
    const place = `${before.length}:${(before.at(-1) ?? "").length + 1}`;
    return new SymposiumError("invalid-program", `program ${place}: ${this.message}`, this.hint, { cause: this });
  }
}
