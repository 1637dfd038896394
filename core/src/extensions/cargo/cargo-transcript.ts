import { asObject, parsedObject } from "../../base/rpc/json.js";
import { CargoNotices, exitCause } from "./cargo-notices.js";
import { DiagnosticList } from "./diagnostic-list.js";
import { toDiagnostic } from "./diagnostic.js";
import { NextestRun } from "./nextest-run.js";
import { BoundedLines } from "../runs/bounded-lines.js";
import { TestRun } from "./test-run.js";

/** What runs once the build is done, if anything. */
export type CargoKind = "build" | "test" | "nextest" | "run" | "format";

interface TranscriptListener {
  /** Readable output: what cargo would have shown in its own format. */
  log(text: string): void;
  progress(message: string): void;
  /** `message` is cargo's own, as it begins with the next package. */
  compiling(message: string): void;
}

const outputLength = { head: 40, tail: 60 };
/** Characters. Of longer output a report leaves out more than it adds. */
const maxShortLog = 2_000;

/** Reads the whole output of one `cargo … --message-format=json`, stdout and stderr in one stream, as it comes. */
export class CargoTranscript {
  readonly diagnostics = new DiagnosticList();
  readonly notices = new CargoNotices();
  readonly format = new FormatCheck();
  readonly tests: TestRun | NextestRun;
  /** What the program of `cargo run` printed. */
  readonly output = new BoundedLines(outputLength.head, outputLength.tail);
  /** Units that cargo compiled or checked. */
  units = 0;
  /** Ids of the packages of which something is built, now or before this run. */
  readonly builtPackages = new Set<string>();
  /** Characters of readable output. */
  logLength = 0;
  /** All of the readable output; undefined once it is longer than any report that could be longer than it. */
  shortLog: string | undefined = "";
  /** Whether the build ended well; undefined when cargo did not get that far. */
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

  /** The output is complete. */
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

  /** A package whose build script alone is built is not built yet. */
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

  /** What nextest says before the first test is like what cargo says. */
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

/** The verb of a status line: cargo aligns it to end in the twelfth column. */
function statusVerb(line: string): string | undefined {
  const verb = line.slice(0, 12).trimStart();
  if (/^[A-Z][A-Za-z-]+$/.test(verb) && line.startsWith(" ", 12) && line.length > 13) return verb;
  return undefined;
}

/** `src/lib.rs (crate)` for `Running unittests src/lib.rs (target/debug/deps/crate-0123456789abcdef)`. */
function suiteTitle(verb: string, line: string): string {
  const text = line.trim().slice(verb.length).trim();
  if (verb === "Doc-tests") return `doc tests (${text})`;
  const [, source = text, program = ""] = /^(?:unittests )?(.+?) \((.+)\)$/.exec(text) ?? [];
  const crate = (program.split(/[\\/]/).at(-1) ?? "").replace(/-[0-9a-f]{16}(?:\.exe)?$/, "");
  return crate === "" ? source : `${source} (${crate})`;
}

/** ECMA-48 control sequences, and the choice of a character set that terminals' reset contains. */
// oxlint-disable-next-line no-control-regex
const controlSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\([0-9A-Z])/g;

/** Longer lines are cut; one message of the compiler is a line, and a linker's can be long. */
const maxLineLength = 8 * 1024 * 1024;

/** Cuts text into lines, blank ones included, without their ends and without colours. */
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

  /** The input ended: an unterminated last line is delivered too. */
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

/** Where one file differs from what rustfmt would write. */
interface UnformattedFile {
  readonly file: string;
  /** The first line of each difference, from 1. */
  readonly lines: readonly number[];
}

/** Takes the lines that are no difference: what rustfmt and cargo say in words. */
interface LineReader {
  line(line: string): void;
  close(): void;
}

/** Reads the differences that `cargo fmt --check` prints. */
class FormatCheck {
  readonly #files = new Map<string, number[]>();
  #isInDiff = false;

  get files(): readonly UnformattedFile[] {
    return [...this.#files].map(([file, lines]) => ({ file, lines }));
  }

  line(line: string, others: LineReader): void {
    // Up to rustfmt 1.5 it said `at line N:`.
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
