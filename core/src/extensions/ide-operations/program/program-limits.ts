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

/** What one program may use up. */
export const programLimits = {
  /** Expressions that are computed. */
  steps: 50_000,
  /** Questions to the language servers. */
  questions: 300,
  /** Items in one list. */
  items: 5_000,
  /** Characters of one text. */
  textLength: 20_000,
  timeMs: 30_000,
} as const;

/** Counts what a program uses; throws a {@link ProgramFault} at what goes too far. */
export class Budget {
  #steps = 0;
  #questions = 0;

  get questions(): number {
    return this.#questions;
  }

  step(at: Offset): void {
    if (++this.#steps > programLimits.steps) throw tooMuch(at, `more than ${programLimits.steps} steps`);
  }

  question(at: Offset): void {
    if (++this.#questions > programLimits.questions) {
      throw tooMuch(at, `more than ${programLimits.questions} questions to the language server`);
    }
  }

  list<T>(items: readonly T[], at: Offset): readonly T[] {
    if (items.length > programLimits.items) throw tooMuch(at, `a list of more than ${programLimits.items} items`);
    return items;
  }

  text(text: string, at: Offset): string {
    if (text.length > programLimits.textLength) {
      throw tooMuch(at, `a text of more than ${programLimits.textLength} characters`);
    }
    return text;
  }
}

function tooMuch(at: Offset, what: string): ProgramFault {
  return new ProgramFault(at, `the program needs ${what}.`, "Ask about less: filter with where(…) or take(…) first.");
}
