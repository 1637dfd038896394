/** From the quietest to the most talkative. */
export const logLevels = ["error", "warn", "info", "debug", "trace"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Variables of a log event. Never prompt text, file contents or environment values. */
type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** One event as a sink receives it. `target` is a dotted path such as `conductor.agent`. */
export interface LogEvent {
  readonly level: LogLevel;
  readonly target: string;
  readonly event: string;
  readonly fields: LogFields;
}

type LogSink = (event: LogEvent) => void;

/** Decides which events a sink gets: a level for everything, and levels for targets (longest prefix wins). */
export class LogFilter {
  private constructor(
    private readonly fallback: number,
    private readonly targets: readonly (readonly [prefix: string, rank: number])[],
  ) {}

  /**
   * Parses `LEVEL`, `off`, or a comma-separated list such as `info,conductor=debug,mcp=trace`.
   * Returns the filter and the parts that could not be read.
   */
  static parse(text: string): { filter: LogFilter; problems: string[] } {
    let fallback = -1;
    const targets: [string, number][] = [];
    const problems: string[] = [];
    for (const part of text.split(",").map((piece) => piece.trim())) {
      if (part === "") continue;
      const [left = "", right] = part.split("=", 2);
      const rank = rankOf(right ?? left);
      if (rank === undefined) problems.push(part);
      else if (right === undefined) fallback = rank;
      else targets.push([left, rank]);
    }
    targets.sort((a, b) => b[0].length - a[0].length);
    return { filter: new LogFilter(fallback, targets), problems };
  }

  allows(level: LogLevel, target: string): boolean {
    const rank = logLevels.indexOf(level);
    for (const [prefix, limit] of this.targets) {
      if (target === prefix || target.startsWith(`${prefix}.`)) return rank <= limit;
    }
    return rank <= this.fallback;
  }
}

function rankOf(name: string): number | undefined {
  if (name === "off") return -1;
  const rank = logLevels.findIndex((level) => level === name);
  return rank === -1 ? undefined : rank;
}

/** Constant event text, variables in fields; a child logger per component or session. */
export class Logger {
  /** Drops everything. */
  static readonly silent = new Logger(() => undefined);

  constructor(
    private readonly sink: LogSink,
    private readonly target = "symposium",
    private readonly fields: LogFields = {},
  ) {}

  child(target: string, fields: LogFields = {}): Logger {
    return new Logger(this.sink, target, { ...this.fields, ...fields });
  }

  error(event: string, fields?: LogFields): void {
    this.#log("error", event, fields);
  }
  warn(event: string, fields?: LogFields): void {
    this.#log("warn", event, fields);
  }
  info(event: string, fields?: LogFields): void {
    this.#log("info", event, fields);
  }
  debug(event: string, fields?: LogFields): void {
    this.#log("debug", event, fields);
  }

  #log(level: LogLevel, event: string, fields: LogFields = {}): void {
    this.sink({ level, target: this.target, event, fields: { ...this.fields, ...fields } });
  }
}
