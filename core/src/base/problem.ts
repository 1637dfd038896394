/** A place in a JSON value: member names and item numbers from the root. */
export type JsonPath = readonly (string | number)[];

/** With an error the value is unusable; a warning leaves out the part it is about. */
export type Severity = "error" | "warning";

/** What a parser found wrong. Values of environment variables are never part of the text. */
export interface Problem {
  readonly severity: Severity;
  readonly path: JsonPath;
  /** Names the key and the value. */
  readonly message: string;
  /** The user's next step. */
  readonly hint?: string;
}

/** A problem with its position in a text, both counted from 1. */
export interface LocatedProblem extends Problem {
  readonly line: number;
  readonly column: number;
}

/** A path as people write it, such as `proxies[0].name`. */
export function keyOf(path: JsonPath): string {
  return path.reduce<string>((key, part) => {
    if (typeof part === "number") return `${key}[${part}]`;
    return key === "" ? part : `${key}.${part}`;
  }, "");
}

/** One line for people: `FILE:LINE:COLUMN: message hint`. */
export function formatProblem(problem: LocatedProblem, file: string): string {
  const text = problem.hint === undefined ? problem.message : `${problem.message} ${problem.hint}`;
  return `${file}:${problem.line}:${problem.column}: ${text}`;
}

/** Where a parser stands in a value; collects what it finds wrong there and below. */
export class Place {
  constructor(
    private readonly problems: Problem[],
    private readonly severity: Severity = "error",
    readonly path: JsonPath = [],
  ) {}

  /** The key in quotation marks, to begin a sentence with. */
  get label(): string {
    return this.path.length === 0 ? "The value" : `"${keyOf(this.path)}"`;
  }

  child(part: string | number): Place {
    return new Place(this.problems, this.severity, [...this.path, part]);
  }

  /** The same place, where `report` adds problems of another severity. */
  as(severity: Severity): Place {
    return new Place(this.problems, severity, this.path);
  }

  /** Returns null, which stands for what could not be read. */
  report(message: string, hint?: string): null {
    const { severity, path } = this;
    this.problems.push(hint === undefined ? { severity, path, message } : { severity, path, message, hint });
    return null;
  }
}

/** Why a text or value cannot be used, as a value: parsers return it, and callers decide whether it is an error. */
export interface Fault {
  readonly kind: "problem";
  /** What is wrong and with which value. */
  readonly message: string;
  /** The user's next step. */
  readonly hint?: string;
}

export function fault(message: string, hint?: string): Fault {
  return hint === undefined ? { kind: "problem", message } : { kind: "problem", message, hint };
}
