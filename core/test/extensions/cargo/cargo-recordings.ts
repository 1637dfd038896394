import { existsSync, readFileSync } from "node:fs";
import { type CargoKind, CargoTranscript } from "../../../src/extensions/cargo/cargo-transcript.js";
import { formatReport } from "../../../src/extensions/cargo/format-report.js";
import type { RunExit } from "../../../src/base/runs/run.js";

const recorded = new URL("../../../../../test/fixtures/cargo/recorded/", import.meta.url);

/** Recorded cargo run on a crate of test/fixtures/cargo with planted faults. */
export interface Recording {
  readonly name: string;
  readonly command: string;
  readonly kind: CargoKind;
  readonly code: number;
  /** Planted faults, as the report must contain them. */
  readonly signals: readonly (string | RegExp)[];
  /** Why it may be longer than what cargo's own short form tells. */
  readonly tellsMoreThanShort?: boolean;
}

/** Symposium's report on a recorded run. */
interface Report {
  readonly text: string;
  /** The output of cargo in the form in which people read it. */
  readonly log: string;
}

/** Every recorded run; its output is in test/fixtures/cargo/recorded, in the form in which the product asks for it. */
export const recordings: readonly Recording[] = [
  {
    name: "errors",
    command: "cargo build",
    kind: "build",
    code: 101,
    signals: [
      /12:18.*21:35 E0425 .*`Amount`/,
      "27:69 E0425 cannot find value `ofset`",
      "18:33 E0425 cannot find function `missing_function`",
      "18:39 E0308 mismatched types: expected `String`, found `&str`",
      "33:9 E0308 mismatched types: expected `String`, found `usize`",
      "42:22 E0308 mismatched types: expected `i64`, found `Result<_, _>`",
      "43:5 E0308 mismatched types: expected `Option<Money>`, found `Money`",
      "11:25 E0308 mismatched types: expected `String`, found `i64`",
      "12:46 E0061 this method takes 0 arguments",
      /4:5 .*HashMap.*5:5 .*fmt::Write.* unused_imports/,
    ],
  },
  {
    name: "borrow",
    command: "cargo build",
    kind: "build",
    code: 101,
    signals: ["4:17 E0382", "15:9 E0502", "21:5 E0515", "26:5 E0384"],
  },
  {
    name: "warnings-test",
    command: "cargo test --no-fail-fast",
    kind: "test",
    code: 0,
    signals: [
      /1:5 .*BTreeMap.*2:5 .*HashMap.* unused_imports/,
      "3:16 unused_imports unused imports: `Debug` and `Display`",
      "19:5 unused_parens",
      "23:5 while_true",
      "35:8 unused_parens",
      "50:5 deprecated",
      "13:9 unused_mut",
      /12:9 `depth`.*14:9 `unused_too`.*59:13 `scratch`.* unused_variables/,
      "40:9 unreachable_patterns",
      "7:4 dead_code function `never_called`",
      "9:7 dead_code constant `LIMIT`",
      "18:8 non_snake_case",
      "18:16 non_snake_case",
      /30:5, 31:5 unused_must_use/,
      "24:5 unreachable_code",
      /16:9 `a`.*17:9 `b`.*18:9 `c`.* unused_variables/,
      "1:12 dead_code struct `Square`",
      "6:6 dead_code enum `Kind`",
      "11:7 dead_code trait `Shape`",
      /15:8 `square`.*22:8 `dead`.* dead_code/,
      "2:9 unused_variables unused variable: `spare`",
      "1 passed",
    ],
  },
  {
    name: "clippy",
    command: "cargo clippy",
    kind: "build",
    code: 0,
    signals: [
      "6:5 clippy::needless_return",
      "1:21 clippy::ptr_arg",
      "3:14 clippy::needless_range_loop",
      "4:9 clippy::assign_op_pattern",
      "10:5 clippy::needless_bool",
      "27:5 clippy::useless_format",
    ],
  },
  {
    name: "workspace",
    command: "cargo build",
    kind: "build",
    code: 101,
    signals: [
      "middle/src/lib.rs errors",
      "2:5 E0308",
      "base/src/lib.rs warnings",
      "2:9 unused_variables",
      "not compiled: middle (lib)",
    ],
  },
  {
    name: "build-script",
    command: "cargo build",
    kind: "build",
    code: 101,
    signals: [
      "build script of generated",
      "reading schema.json",
      "build.rs:5:5",
      "expected a list at line 4",
      "the schema is old",
    ],
  },
  {
    // The short form does not name the missing symbol.
    name: "link",
    command: "cargo build",
    kind: "build",
    code: 101,
    signals: ["linking with `cc` failed", "undefined symbol: symbol_that_nobody_defines", "main.rs:6"],
    tellsMoreThanShort: true,
  },
  {
    name: "tests-test",
    command: "cargo test --no-fail-fast",
    kind: "test",
    code: 101,
    signals: [
      "3 passed, 9 failed, 1 ignored",
      "FAILED tests::chatters src/lib.rs:69:9: after a long story",
      "… 484 lines left out …",
      /FAILED tests::halves src\/lib.rs:38:9: .*half of eight\n {3}left: 2\n {2}right: 4\n output:\n {2}about to halve eight\n {2}and a line on stderr/,
      /FAILED tests::panics_otherwise src\/lib.rs:56:9: something else\n note: panic did not contain expected string/,
      'FAILED tests::returns_an_error: Error: "the file is gone"',
      "FAILED tests::should_have_panicked: note: test did not panic as expected at src/lib.rs:49:8",
      "FAILED tests::unwraps src/lib.rs:43:43: called `Result::unwrap()` on an `Err` value: ParseIntError",
      "FAILED halves_from_outside tests/outside.rs:10:5: assertion failed: half(10) == 5",
      /FAILED src\/lib.rs - half \(line 14\) .*assertion `left == right` failed/,
      /FAILED src\/lib.rs - half \(line 18\): src\/lib.rs:20:29: error\[E0425\]: cannot find function `halve`/,
    ],
  },
  {
    name: "nextest-test",
    command: "cargo nextest run --no-fail-fast",
    kind: "nextest",
    code: 100,
    signals: [
      "2 passed, 7 failed, 1 ignored",
      "FAILED tests::halves src/lib.rs:38:9: assertion `left == right` failed: half of eight",
      "about to halve eight",
      "and a line on stderr",
      "FAILED tests::chatters src/lib.rs:69:9: after a long story",
      'FAILED tests::returns_an_error: Error: "the file is gone"',
      "FAILED tests::should_have_panicked: note: test did not panic as expected at src/lib.rs:49:8",
      "FAILED tests::panics_otherwise src/lib.rs:56:9: something else",
      "FAILED tests::unwraps src/lib.rs:43:43: called `Result::unwrap()`",
      "arithmetic::outside: 1 passed, 1 failed",
      "FAILED halves_from_outside tests/outside.rs:10:5: assertion failed: half(10) == 5",
    ],
    // Nextest has no short form.
    tellsMoreThanShort: true,
  },
  {
    name: "passing-test",
    command: "cargo test --no-fail-fast",
    kind: "test",
    code: 0,
    signals: ["exit 0", "121 passed", "3 suites"],
  },
  {
    name: "abort-test",
    command: "cargo test --no-fail-fast",
    kind: "test",
    code: 101,
    signals: ["SIGABRT", "0 of 2 tests done", "own_harness", "exit status: 2", "1 wrong: case 4"],
  },
  {
    name: "fmt",
    command: "cargo fmt --check",
    kind: "format",
    code: 1,
    signals: ["2 files unformatted", "src/lib.rs: line 1, 6", "src/other.rs: line 1"],
  },
];

/** A file of a recording: its `log`, the report (`txt`), or what cargo itself says with `-q --message-format short` (`short`). */
export function recordedFile(name: string, extension: "log" | "txt" | "short"): URL {
  return new URL(`${name}.${extension}`, recorded);
}

/** The report of a recorded run, and its output as cargo would have printed it; the transcript gets `chunk` characters at a time. */
export function reportOf({ name, command, kind, code }: Recording, chunk = Infinity): Report {
  const output = readFileSync(recordedFile(name, "log"), "utf8");
  let log = "";
  const transcript = new CargoTranscript(kind, {
    log: (text) => (log += text),
    progress: () => undefined,
    compiling: () => undefined,
  });
  for (let start = 0; start < output.length; start += chunk) transcript.push(output.slice(start, start + chunk));
  transcript.end();
  const exit: RunExit = { code, signal: null, durationMs: 1234 };
  const text = formatReport(transcript, {
    command,
    exit,
    handle: "c1",
    cwd: "/fixture",
    root: "/fixture",
    timeoutMs: 1,
  });
  return { text: `${text}\n`, log };
}

/** The length in bytes of cargo's own short form; undefined where cargo has none. */
export function shortLength({ name }: Recording): number | undefined {
  const file = recordedFile(name, "short");
  return existsSync(file) ? readFileSync(file).length : undefined;
}

/** The planted signals that `text` does not tell. */
export function missingSignals({ signals }: Recording, text: string): readonly (string | RegExp)[] {
  return signals.filter((signal) => (typeof signal === "string" ? !text.includes(signal) : !signal.test(text)));
}
