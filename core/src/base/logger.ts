/** Log levels, sorted from least to most verbose. */
export const logLevels = ["error", "warn", "info", "debug", "trace"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Variables of a log event. Must not contain prompts, file contents or environment values. */
type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Log event for a sink. `target` is a dotted path such as `conductor.agent`. */
export interface LogEvent {
  readonly level: LogLevel;
  readonly target: string;
  readonly event: string;
  readonly fields: LogFields;
}

type LogSink = (event: LogEvent) => void;

/** Filters log events by a default level and by levels for targets; the longest matching prefix wins. */
export class LogFilter {
  private constructor(
    private readonly fallback: number,
    private readonly targets: readonly (readonly [prefix: string, rank: number])[],
  ) {}

  /**
   * Parses `LEVEL`, `off`, or a comma-separated list such as `info,conductor=debug,mcp=trace`. Returns the filter and the parts that are
   * invalid.
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

/** Logger for events with constant texts; variable data belongs in fields. Each component or session has a child logger. */
export class Logger {
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
