import { childrenOf, childText, parseXml, type XmlElement } from "../../base/xml.js";
import type { TestFault, TestReport } from "./test-report.js";

/** Parsed JUnit XML reports of surefire, failsafe and Gradle. */
interface JvmResults extends Pick<TestReport, "counts" | "faults" | "notices"> {
  /** Full names of the classes with a complete report. */
  readonly classes: ReadonlySet<string>;
}

/**
 * Returns the path of the source file that a stack frame names. `className` includes the package; `file` is a file name without a folder.
 */
type SourceOf = (className: string, file: string) => string | undefined;

const assertion =
  /^(?:[\w$]+\.)*(?:Assert\w*(?:Error|Exception)|ComparisonFailure|MultipleFailuresError|AssertionFailedError)(?:: ?|$)/;
/** Maximum lines of a compared value that is shown completely. */
const maxWholeLines = 8;
const call = /^\s*at (?:[\w.@$-]+\/+)*([\w$.]+)\.([\w$<>-]+)\(([^:()]+)(?::(\d+))?\)/;
/** Stack frames of test frameworks and the JDK, which are omitted. */
const machinery =
  /^(?:org\.junit\.|junit\.|org\.opentest4j\.|org\.apache\.maven\.|org\.testng\.|org\.gradle\.|java\.|javax\.|jdk\.|sun\.|com\.sun\.|org\.assertj\.|org\.hamcrest\.|worker\.org\.gradle\.)/;

/** Parses JUnit XML reports. `sources` are the project's source files, relative to the project's folder. */
export function readJvmReports(reports: readonly string[], sources: readonly string[]): JvmResults {
  const counts = { passed: 0, failed: 0, skipped: 0, todo: 0, xfailed: 0, xpassed: 0, cancelled: 0 };
  const faults: TestFault[] = [];
  const notices: string[] = [];
  const classes = new Set<string>();
  const sourceOf = sourceFinder(sources);
  const suites = reports.map(suitesIn);
  const unread = suites.filter((some) => some === undefined).length;
  if (unread > 0) {
    notices.push(`Unreadable reports, whose tests are missing here: ${unread}.`);
  }
  for (const suite of suites.flatMap((some) => some ?? [])) {
    classes.add(suite.attributes.get("name") ?? "");
    for (const test of childrenOf(suite, "testcase")) {
      const name = nameOf(test);
      const problem = test.children.find((child) => child.name === "failure" || child.name === "error");
      const flaky = test.children.filter((child) => /^flaky(?:Failure|Error)$/.test(child.name));
      if (problem) {
        const fault = toFault(test, name, problem, suite, sourceOf);
        if (fault.kind === "test") counts.failed++;
        faults.push(fault);
        const again = test.children.filter((child) => /^rerun(?:Failure|Error)$/.test(child.name)).length;
        if (again > 0) notices.push(`${name} failed ${again + 1} times`);
      } else if (childrenOf(test, "skipped").length > 0) counts.skipped++;
      else counts.passed++;
      if (flaky.length > 0) notices.push(`${name} passed only when retried: ${messageOf(flaky[0]).message}`);
    }
  }
  return { counts, faults, notices, classes };
}

/** Returns the test suites in an XML report; undefined if the document is incomplete. */
function suitesIn(text: string): readonly XmlElement[] | undefined {
  const root = parseXml(text);
  if (!root) return undefined;
  if (root.name === "testsuite") return [root];
  return root.name === "testsuites" ? childrenOf(root, "testsuite") : [];
}

/** Returns a test's class and name without the package, such as `CartTest.adds`, or only the class if the class failed as a whole. */
function nameOf(test: XmlElement): string {
  const className = test.attributes.get("classname") ?? "";
  const short = className.slice(className.lastIndexOf(".") + 1).replaceAll("$", ".");
  const name = test.attributes.get("name") ?? "";
  return isOfClass(test) ? short : [short, name].filter((part) => part !== "").join(".");
}

/** Whether the entry is about a class's set-up or tear-down, which is reported as a test without a name or with the class's name. */
function isOfClass(test: XmlElement): boolean {
  const name = test.attributes.get("name") ?? "";
  return (
    /^(?:|initializationError|executionError|classMethod)$/.test(name) || name === test.attributes.get("classname")
  );
}

function toFault(
  test: XmlElement,
  name: string,
  problem: XmlElement,
  suite: XmlElement,
  sourceOf: SourceOf,
): TestFault {
  const className = (test.attributes.get("classname") ?? "").replace(/\(.*$/s, "");
  const { message, frames } = messageOf(problem);
  const own = frames.flatMap((frame) => toCall(frame, sourceOf) ?? []);
  const outer = className.replace(/\$.*$/s, "");
  const testFile =
    sourceOf(outer, `${outer.slice(outer.lastIndexOf(".") + 1)}.java`) ??
    sourceOf(outer, `${outer.slice(outer.lastIndexOf(".") + 1)}.kt`);
  const at = own.find((one) => one.file === testFile) ?? own.at(0);
  const file = at?.file ?? testFile;
  return {
    kind: isOfClass(test) ? "hook" : "test",
    name,
    ...(file !== undefined && { file }),
    ...(at?.line !== undefined && { line: at.line }),
    ...(testFile !== undefined && { testFile }),
    ...compared(message),
    stack: own.map(({ shown }) => `    at ${shown}`).join("\n"),
    output: outputOf(test) || outputOf(suite),
  };
}

/** Returns an error's messages, including its causes, and the stack frames, starting with those of the innermost cause. */
function messageOf(problem: XmlElement | undefined): { readonly message: string; readonly frames: readonly string[] } {
  const said: string[] = [];
  const groups: string[][] = [[]];
  for (const line of (problem?.text ?? "").trim().split(/\r?\n/)) {
    if (/^\s*at [\w$.@/<>-]+\([^()]*\)/.test(line)) groups.at(-1)?.push(line);
    else if (!/^\s*\.\.\. \d+ (?:more|common frames omitted)/.test(line)) {
      const isCause = /^\s*(?:Caused by|Suppressed): /.test(line);
      if (isCause) groups.push([]);
      said.push(isCause ? line.trim() : line.trimEnd());
    }
  }
  const text = said.join("\n").trim();
  const { type = "", message = "" } = Object.fromEntries(problem?.attributes ?? []);
  // For an assertion, the exception's class adds nothing to the message.
  const plain = text.replace(assertion, "");
  const whole = text === "" ? [type, message].filter((part) => part !== "").join(": ") : plain || message || text;
  return { message: whole.trim(), frames: groups.toReversed().flat() };
}

/** Splits long compared values from the message, so that only their difference is shown. */
function compared(message: string): Pick<TestFault, "message" | "expected" | "actual"> {
  if (!message.endsWith(">") || message.split("\n").length <= maxWholeLines) return { message };
  const begin = /expected:? ?</.exec(message);
  const middle = [...message.matchAll(/> but was:? ?</g)].at(-1);
  if (!begin || !middle || middle.index < begin.index + begin[0].length) return { message };
  return {
    message: message.slice(0, begin.index).trim() || "Expected and actual values differ.",
    expected: message.slice(begin.index + begin[0].length, middle.index),
    actual: message.slice(middle.index + middle[0].length, -1),
  };
}

interface StackCall {
  readonly file: string;
  readonly line: number | undefined;
  readonly shown: string;
}

function toCall(frame: string, sourceOf: SourceOf): StackCall | undefined {
  const [, className = "", method = "", file = "", line] = call.exec(frame) ?? [];
  if (className === "" || machinery.test(className)) return undefined;
  const source = sourceOf(className, file);
  if (source === undefined) return undefined;
  const short = className.slice(className.lastIndexOf(".") + 1);
  const place = line === undefined ? source : `${source}:${line}`;
  return { file: source, line: line === undefined ? undefined : Number(line), shown: `${short}.${method} (${place})` };
}

function outputOf(element: XmlElement): string {
  return ["system-out", "system-err"].flatMap((name) => childText(element, name) ?? []).join("\n");
}

/**
 * Returns a function that finds source files. Class files contain only the source's file name, but its folder usually ends with the
 * package.
 */
function sourceFinder(sources: readonly string[]): SourceOf {
  const byName = new Map<string, string[]>();
  for (const source of sources) {
    const name = source.slice(source.lastIndexOf("/") + 1);
    const some = byName.get(name) ?? [];
    some.push(source);
    byName.set(name, some);
  }
  return (className, file) => {
    const folder = className.split(".").slice(0, -1).join("/");
    const some = byName.get(file) ?? [];
    const exact = some.find((source) => source.endsWith(`/${folder}/${file}`) || source === `${folder}/${file}`);
    // Kotlin files may be in a folder that omits the start of their package.
    return exact ?? (file.endsWith(".kt") && some.length === 1 ? some[0] : undefined);
  };
}
