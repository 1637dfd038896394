import { SymposiumError } from "../../../base/symposium-error.js";

/** Position in a program's text, in UTF-16 units from 0. */
export type Offset = number;

/** An error in a program at position `at`. Converted to a {@link SymposiumError} with line and column. */
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

/** Limits of one program. */
export const programLimits = {
  /** Evaluated expressions. */
  steps: 50_000,
  /** Requests to the language servers. */
  questions: 300,
  /** Items per list. */
  items: 5_000,
  /** Characters per text. */
  textLength: 20_000,
  timeMs: 30_000,
} as const;

/** Counts a program's use of resources. Throws a {@link ProgramFault} when it exceeds a limit. */
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
