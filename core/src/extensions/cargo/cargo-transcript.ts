import { asObject, parsedObject } from "../../base/rpc/json.js";
import { CargoNotices, exitCause } from "./cargo-notices.js";
import { DiagnosticList } from "./diagnostic-list.js";
import { toDiagnostic } from "./diagnostic.js";
import { NextestRun } from "./nextest-run.js";
import { BoundedLines } from "../runs/bounded-lines.js";
import { TestRun } from "./test-run.js";

/** The work after the build, if any. */
export type CargoKind = "build" | "test" | "nextest" | "run" | "format";

interface TranscriptListener {
  /** Called with readable output, as cargo would have printed it. */
  log(text: string): void;
  progress(message: string): void;
  /** `message` is cargo's status line at the start of a package. */
  compiling(message: string): void;
}

const outputLength = { head: 40, tail: 60 };
/** In characters. For longer output, a report is always shorter. */
const maxShortLog = 2_000;

/** Parses the complete output of `cargo … --message-format=json` incrementally, with stdout and stderr as one stream. */
export class CargoTranscript {
  readonly diagnostics = new DiagnosticList();
  readonly notices = new CargoNotices();
  readonly format = new FormatCheck();
  readonly tests: TestRun | NextestRun;
  /** Output of the program started by `cargo run`. */
  readonly output = new BoundedLines(outputLength.head, outputLength.tail);
  units = 0;
  /** Ids of packages with built artifacts, including those from earlier builds. */
  readonly builtPackages = new Set<string>();
  logLength = 0;
  /** The complete readable output; undefined once it is longer than the longest possible report. */
  shortLog: string | undefined = "";
  /** Whether the build succeeded; undefined if cargo failed before the build's end. */
  isBuilt: boolean | undefined;
  readonly #cutter = new LineCutter((line) => this.#line(line));
  #isRunning = false;
  #isRefused = false;
  #causedBy: string[] | undefined;

  constructor(
    private readonly kind: CargoKind,
    private readonly listener: TranscriptListener,
  ) {
    const progress = (message: string): void => listener.progress(message);
    this.tests = kind === "nextest" ? new NextestRun(progress) : new TestRun(progress);
  }

  push(text: string): void {
    this.#cutter.push(text);
  }

  /** Call at the end of the output. */
  end(): void {
    this.#cutter.end();
    this.#endCause();
    this.notices.close();
    this.tests.close();
  }

  #line(line: string): void {
    const message = !this.#isRunning && line.startsWith('{"') ? parsedObject(line) : undefined;
    if (message?.["reason"] !== undefined) {
      this.notices.close();
      this.#message(message);
      return;
    }
    this.#log(`${line}\n`);
    if (this.kind === "format") this.format.line(line, this.notices);
    else if (!this.#isRunning) this.#buildLine(line);
    else if (this.tests instanceof NextestRun) this.#nextestLine(line, this.tests);
    else if (this.kind === "test") this.#testLine(line, this.tests);
    else if (this.kind === "run") this.#runLine(line);
    else this.#buildLine(line);
  }

  #message(message: Readonly<Record<string, unknown>>): void {
    if (message["reason"] === "build-finished") {
      this.isBuilt = message["success"] === true;
      this.#isRunning = this.isBuilt;
    }
    if (message["reason"] === "compiler-artifact") this.#artifact(message);
    if (message["reason"] !== "compiler-message") return;
    const reported = asObject(message["message"]) ?? {};
    const diagnostic = toDiagnostic(reported);
    if (diagnostic) this.diagnostics.add(diagnostic);
    if (typeof reported["rendered"] === "string") this.#log(reported["rendered"]);
  }

  /** Ignores build scripts, since their package may still be unbuilt. */
  #artifact({ package_id: id, target }: Readonly<Record<string, unknown>>): void {
    const kinds = asObject(target)?.["kind"];
    const isScript = Array.isArray(kinds) && kinds.includes("custom-build");
    if (typeof id === "string" && !isScript) this.builtPackages.add(id);
  }

  #buildLine(line: string): void {
    const verb = statusVerb(line);
    if (verb === undefined) return this.notices.line(line);
    this.notices.close();
    if (verb === "Compiling" || verb === "Checking") {
      this.units++;
      this.listener.compiling(line.trim());
    } else if (verb !== "Finished") this.listener.progress(line.trim());
  }

  #testLine(line: string, tests: TestRun): void {
    const verb = statusVerb(line);
    if (this.#causedBy) {
      if (verb === undefined && (line.startsWith("  ") || line.trim() === "" || line === "Caused by:")) {
        this.#causedBy.push(line);
        return;
      }
      this.#endCause();
    }
    if (verb === "Running" || verb === "Doc-tests") {
      const title = suiteTitle(verb, line);
      tests.start(title);
      this.listener.progress(title);
    } else if (/^error: (?:test|doctest|bench) failed, to rerun pass |^error: \d+ targets? failed:$/.test(line)) {
      this.#causedBy = [];
    } else if (verb === undefined) {
      tests.line(line);
    }
  }

  /** Until the first test, errors in nextest's output have cargo's format. */
  #nextestLine(line: string, tests: NextestRun): void {
    this.#isRefused ||= !tests.isStarted && line.startsWith("error: ");
    if (this.#isRefused) this.notices.line(line);
    else tests.line(line);
  }

  #endCause(): void {
    const how = this.#causedBy && exitCause(this.#causedBy);
    if (how !== undefined && this.tests instanceof TestRun) this.tests.ended(how);
    this.#causedBy = undefined;
  }

  #runLine(line: string): void {
    const verb = this.output.length === 0 ? statusVerb(line) : undefined;
    if (verb !== "Running" && verb !== "Finished") this.output.push(line);
    else if (verb === "Running") this.listener.progress(line.trim());
  }

  #log(text: string): void {
    this.logLength += text.length;
    if (this.shortLog !== undefined && this.shortLog.length + text.length <= maxShortLog) this.shortLog += text;
    else this.shortLog = undefined;
    this.listener.log(text);
  }
}

/** Returns the verb of a status line. Cargo right-aligns verbs to column 12. */
function statusVerb(line: string): string | undefined {
  const verb = line.slice(0, 12).trimStart();
  if (/^[A-Z][A-Za-z-]+$/.test(verb) && line.startsWith(" ", 12) && line.length > 13) return verb;
  return undefined;
}

/** Returns `src/lib.rs (crate)` for `Running unittests src/lib.rs (target/debug/deps/crate-0123456789abcdef)`. */
function suiteTitle(verb: string, line: string): string {
  const text = line.trim().slice(verb.length).trim();
  if (verb === "Doc-tests") return `doc tests (${text})`;
  const [, source = text, program = ""] = /^(?:unittests )?(.+?) \((.+)\)$/.exec(text) ?? [];
  const crate = (program.split(/[\\/]/).at(-1) ?? "").replace(/-[0-9a-f]{16}(?:\.exe)?$/, "");
  return crate === "" ? source : `${source} (${crate})`;
}

/** ECMA-48 control sequences, and the character set selection in terminals' reset sequence. */
// oxlint-disable-next-line no-control-regex
const controlSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\([0-9A-Z])/g;

/** Maximum line length in characters; the rest is cut. Large, since each compiler message is one line and linker messages can be long. */
const maxLineLength = 8 * 1024 * 1024;

/** Splits text into lines, including blank ones, without line breaks and colors. */
class LineCutter {
  #parts: string[] = [];
  #length = 0;

  constructor(private readonly line: (line: string) => void) {}

  push(chunk: string): void {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      this.#keep(chunk.slice(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#keep(chunk.slice(start));
  }

  /** Call at the end of the input. Delivers an unterminated last line. */
  end(): void {
    if (this.#length > 0) this.#finish();
  }

  #keep(part: string): void {
    if (this.#length < maxLineLength) this.#parts.push(part.slice(0, maxLineLength - this.#length));
    this.#length += part.length;
  }

  #finish(): void {
    const text = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    const line = text.endsWith("\r") ? text.slice(0, -1) : text;
    this.line(line.includes("\u001b") ? line.replaceAll(controlSequences, "") : line);
  }
}

interface UnformattedFile {
  readonly file: string;
  /** First line of each difference, counted from 1. */
  readonly lines: readonly number[];
}

/** Receives the lines that aren't part of a diff: messages from rustfmt and cargo. */
interface LineReader {
  line(line: string): void;
  close(): void;
}

/** Parses the diffs that `cargo fmt --check` prints. */
class FormatCheck {
  readonly #files = new Map<string, number[]>();
  #isInDiff = false;

  get files(): readonly UnformattedFile[] {
    return [...this.#files].map(([file, lines]) => ({ file, lines }));
  }

  line(line: string, others: LineReader): void {
    // Rustfmt up to 1.5 printed `at line N:`.
    const [, file, number] = /^Diff in (.+?)(?::| at line )(\d+):$/.exec(line) ?? [];
    if (file !== undefined) {
      const lines = this.#files.get(file) ?? [];
      this.#files.set(file, [...lines, Number(number)]);
      this.#isInDiff = true;
      others.close();
    } else if (/^(?:error|warning)(?:\[\w+\])?: /.test(line)) {
      this.#isInDiff = false;
      others.line(line);
    } else if (!this.#isInDiff || !/^(?:[ +-]|$)/.test(line)) {
      others.line(line);
    }
  }
}
