import { parsedObject } from "../../base/rpc/json.js";
import type { TestFault, TestReport } from "./test-report.js";

interface GoTest {
  readonly package: string;
  readonly name: string;
  output: string[];
}

/** Lines that only report that a test runs, pauses or ends. */
const frame = /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)|--- (?:FAIL|PASS|SKIP):|FAIL$|FAIL\t|exit status \d+|ok {2}\t)/;
/** Files of Go's standard library. */
const library = /\/src\/(?:testing|time|sync|runtime|internal|reflect|os|net)\/|_testmain\.go/;
const place = /^\s*([\w./-]+\.go):(\d+): ?(.*)$/;

/**
 * Parses the output of `go test -json`, including events of cmd/test2json and `go build -json`; returns undefined if no line is an event.
 * `folderOf` returns the folder to display for a package.
 */
export function readGoTest(text: string, folderOf: (importPath: string) => string): TestReport | undefined {
  const counts = { passed: 0, failed: 0, skipped: 0, todo: 0, xfailed: 0, xpassed: 0, cancelled: 0 };
  const tests = new Map<string, GoTest>();
  const failed = new Set<GoTest>();
  const left = new Set<GoTest>();
  const started = new Set<string>();
  const builds = new Map<string, string[]>();
  const packages = new Map<string, string[]>();
  const faults: TestFault[] = [];
  const notices: string[] = [];
  let hasEvent = false;
  for (const line of text.split("\n")) {
    const event = parsed(line);
    if (!event) continue;
    hasEvent = true;
    const { Action: action, Package: inPackage = "", Test: name = "", Output: output = "", ImportPath: path } = event;
    if (action === "build-output") listOf(builds, path ?? "").push(output);
    else if (name === "") {
      if (action === "output") listOf(packages, inPackage).push(output);
      else if (action === "start") started.add(inPackage);
      else if (action === "pass" || action === "skip") started.delete(inPackage);
      else if (action === "fail") {
        started.delete(inPackage);
        // A test without an end event was still running when the process ended.
        for (const [key, test] of tests) {
          if (test.package !== inPackage) continue;
          tests.delete(key);
          failed.add(test);
          left.add(test);
        }
        faults.push(...packageFault(event, builds, packages, failed, folderOf));
      }
    } else {
      const key = keyOf({ package: inPackage, name });
      const test = tests.get(key) ?? { package: inPackage, name, output: [] };
      tests.set(key, test);
      if (action === "output") test.output.push(output);
      else if (action === "pass") counts.passed++;
      else if (action === "skip") counts.skipped++;
      else if (action === "fail") failed.add(test);
      if (action === "pass" || action === "skip" || action === "fail") tests.delete(key);
    }
  }
  if (!hasEvent) return undefined;
  // A parent test fails if a subtest does, which adds no information unless the parent itself panics.
  movePanics(failed);
  const parents = new Set([...failed].flatMap(parentsOf));
  const leaves = [...failed].filter((one) => !parents.has(keyOf(one)) || hasPanic(one));
  counts.failed = leaves.length;
  const saidOf = (test: GoTest): string => (left.has(test) ? exitOf(packages.get(test.package) ?? []) : "");
  faults.unshift(...leaves.map((test) => testFault(test, folderOf, saidOf(test))));
  const running = [...tests.values()].map(({ package: inPackage, name }) => `${inPackage} ${name}`);
  const ended = leaves.filter((test) => left.has(test) || hasPanic(test));
  for (const inPackage of new Set(ended.map((test) => test.package))) {
    notices.push(`later tests of ${inPackage} did not run`);
  }
  const isComplete = running.length === 0 && started.size === 0;
  return { runner: "go test", counts, faults, notices, isComplete, running };
}

function keyOf({ package: inPackage, name }: Pick<GoTest, "package" | "name">): string {
  return `${inPackage} ${name}`;
}

/** Returns the keys of a test's parents. */
function parentsOf({ package: inPackage, name }: GoTest): string[] {
  return [...name.matchAll(/\//g)].map(({ index }) => keyOf({ package: inPackage, name: name.slice(0, index) }));
}

function hasPanic({ output }: GoTest): boolean {
  return output.some((line) => line.startsWith("panic: "));
}

/**
 * Moves a subtest's panic, which `go test` prints below the outermost parent test, to the subtest that failed last. If the stack contains
 * the parent's own function, the parent itself panicked.
 */
function movePanics(failed: ReadonlySet<GoTest>): void {
  for (const parent of failed) {
    const text = parent.output.join("");
    const at = text.search(/^panic: /m);
    const child = [...failed].findLast((one) => parentsOf(one).includes(keyOf(parent)));
    const panicking = text
      .slice(at)
      .split(/^goroutine /m, 2)
      .join("");
    if (at === -1 || !child || panicking.includes(`.${parent.name}(`)) continue;
    child.output.push(text.slice(at));
    parent.output = [text.slice(0, at)];
  }
}

type Event = Readonly<Partial<Record<"Action" | "Package" | "Test" | "Output" | "ImportPath" | "FailedBuild", string>>>;

function parsed(line: string): Event | undefined {
  const event = line.startsWith("{") ? parsedObject(line) : undefined;
  if (typeof event?.["Action"] !== "string") return undefined;
  return Object.fromEntries(Object.entries(event).filter(([, value]) => typeof value === "string"));
}

/** Returns the line with the exit status of a package's test process, or a sentence if there is no such line. */
function exitOf(output: readonly string[]): string {
  return /^exit status \d+$/m.exec(output.join(""))?.[0] ?? "The process exited before the test finished.";
}

function testFault(
  { package: inPackage, name, output }: GoTest,
  folderOf: (path: string) => string,
  exit: string,
): TestFault {
  const lines = output
    .join("")
    .split("\n")
    .filter((line) => line.trim() !== "" && !frame.test(line));
  const panicAt = lines.findIndex((line) => line.startsWith("panic: "));
  if (panicAt !== -1) {
    const calls = lines.slice(panicAt + 1).flatMap((line) => /^\s+(\S+\.go:\d+)/.exec(line)?.[1] ?? []);
    const stack = calls.map((call) => `    at ${call}`).join("\n");
    const before = lines.slice(0, panicAt).join("\n");
    const message = (lines[panicAt] ?? "").replace(/ \[recovered.*$/, "");
    const own = calls.find((call) => !library.test(call)) ?? "";
    const [, file = folderOf(inPackage), at] = /^(.+):(\d+)$/.exec(own) ?? [];
    const line = at === undefined ? {} : { line: Number(at) };
    return { kind: "test", name, file, ...line, message, stack, output: before };
  }
  const race = raceOf(lines);
  if (race) return { kind: "test", name, ...race, stack: "", output: "" };
  const first = lines.findIndex((line) => place.test(line));
  const [, file, line, said = ""] = place.exec(lines[first] ?? "") ?? [];
  const others = lines.filter((_, index) => index !== first).map((one) => one.replace(/^ {4}/, ""));
  return {
    kind: "test",
    name,
    file: file === undefined ? folderOf(inPackage) : joined(folderOf(inPackage), file),
    ...(line !== undefined && { line: Number(line) }),
    message: [said, ...others, exit].join("\n").trim(),
    stack: "",
    output: "",
  };
}

/** Summarizes the race detector's output: the lines about the project's own code, and the location. */
function raceOf(lines: readonly string[]): Pick<TestFault, "message" | "file" | "line"> | undefined {
  if (!lines.includes("WARNING: DATA RACE")) return undefined;
  const message: string[] = [];
  let at: Pick<TestFault, "file" | "line"> | undefined;
  lines.forEach((line, index) => {
    const [, path = "", row] = /^\s+(\S+\.go):(\d+) \+0x/.exec(line) ?? [];
    if (row !== undefined) {
      if (library.test(path)) return;
      at ??= { file: path, line: Number(row) };
      message.push(`  ${(lines[index - 1] ?? "").trim().replace(/^.*\//, "")} ${path}:${row}`);
    } else if (!/^(?:={10,}|\s+[^\s(]*\(.*\)|.*\btesting\.go:\d+: race detected.*)$/.test(line)) message.push(line);
  });
  return { message: message.join("\n"), ...at };
}

/**
 * Returns the fault of a package that failed without a failed test, for example because of a build error, an early exit, a data race or a
 * timeout.
 */
function packageFault(
  { Package: name = "", FailedBuild: build }: Event,
  builds: ReadonlyMap<string, readonly string[]>,
  packages: ReadonlyMap<string, readonly string[]>,
  failed: ReadonlySet<GoTest>,
  folderOf: (importPath: string) => string,
): TestFault[] {
  if (build !== undefined) {
    const lines = (builds.get(build) ?? [])
      .join("")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("# "));
    const [, file, line] = place.exec(lines[0]?.replace(/:(\d+):\d+: /, ":$1: ") ?? "") ?? [];
    const at = { file: file ?? folderOf(name), ...(line !== undefined && { line: Number(line) }) };
    return [{ kind: "build", name, ...at, message: lines.join("\n"), stack: "", output: "" }];
  }
  if ([...failed].some((test) => test.package === name)) return [];
  const said = (packages.get(name) ?? [])
    .join("")
    .split("\n")
    .filter((line) => !/^FAIL(?:\t|$)/.test(line))
    .join("\n")
    .trim();
  return [{ kind: "unhandled", name, file: folderOf(name), message: said, stack: "", output: "" }];
}

function joined(folder: string, file: string): string {
  return folder === "" || folder === "." || file.includes("/") ? file : `${folder}/${file}`;
}

function listOf(lists: Map<string, string[]>, key: string): string[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** Returns the readable text of `go test -json`: the output in its events, and all lines that aren't events. */
export function goTestWords(text: string): string {
  return text
    .split("\n")
    .map((line, index, lines) => {
      const event = parsed(line);
      if (event !== undefined) return event.Output ?? "";
      return index < lines.length - 1 ? `${line}\n` : line;
    })
    .join("");
}
