/** Path in a JSON value: member names and array indexes from the root. */
export type JsonPath = readonly (string | number)[];

/** `error`: the value is unusable. `warning`: only the affected part is ignored. */
export type Severity = "error" | "warning";

/** Problem found by a parser. The text never contains values of environment variables. */
export interface Problem {
  readonly severity: Severity;
  readonly path: JsonPath;
  /** Description that names the key and the value. */
  readonly message: string;
  readonly hint?: string;
}

/** Problem with its line and column, counted from 1. */
export interface LocatedProblem extends Problem {
  readonly line: number;
  readonly column: number;
}

/** Formats a path such as `proxies[0].name`. */
export function keyOf(path: JsonPath): string {
  return path.reduce<string>((key, part) => {
    if (typeof part === "number") return `${key}[${part}]`;
    return key === "" ? part : `${key}.${part}`;
  }, "");
}

/** Formats a problem as one line: `FILE:LINE:COLUMN: message hint`. */
export function formatProblem(problem: LocatedProblem, file: string): string {
  const text = problem.hint === undefined ? problem.message : `${problem.message} ${problem.hint}`;
  return `${file}:${problem.line}:${problem.column}: ${text}`;
}

/** Parser's current path in a value, which collects the problems at and below this path. */
export class Place {
  constructor(
    private readonly problems: Problem[],
    private readonly severity: Severity = "error",
    readonly path: JsonPath = [],
  ) {}

  /** Quoted key that starts a sentence. */
  get label(): string {
    return this.path.length === 0 ? "The value" : `"${keyOf(this.path)}"`;
  }

  child(part: string | number): Place {
    return new Place(this.problems, this.severity, [...this.path, part]);
  }

  as(severity: Severity): Place {
    return new Place(this.problems, severity, this.path);
  }

  /** Adds a problem. Returns null, the result of parsers for invalid input. */
  report(message: string, hint?: string): null {
    const { severity, path } = this;
    this.problems.push(hint === undefined ? { severity, path, message } : { severity, path, message, hint });
    return null;
  }
}

/** Reason why a text or value is invalid. Parsers return it, and callers decide whether it is an error. */
export interface Fault {
  readonly kind: "problem";
  readonly message: string;
  readonly hint?: string;
}

export function fault(message: string, hint?: string): Fault {
  return hint === undefined ? { kind: "problem", message } : { kind: "problem", message, hint };
}
