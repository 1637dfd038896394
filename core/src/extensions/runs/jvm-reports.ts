import { childrenOf, childText, parseXml, type XmlElement } from "../../base/xml.js";
import type { TestFault, TestReport } from "./test-report.js";

/** What the XML files of JUnit's form told, as surefire, failsafe and Gradle write them. */
interface JvmResults extends Pick<TestReport, "counts" | "faults" | "notices"> {
  /** The classes that have a whole report, by their full names. */
  readonly classes: ReadonlySet<string>;
}

/** Finds the source of a call: its class with the package, and the name of the file in the class. */
type SourceOf = (className: string, file: string) => string | undefined;

const assertion =
  /^(?:[\w$]+\.)*(?:Assert\w*(?:Error|Exception)|ComparisonFailure|MultipleFailuresError|AssertionFailedError)(?:: ?|$)/;
/** More lines of what was compared are shown only where they differ. */
const maxWholeLines = 8;
const call = /^\s*at (?:[\w.@$-]+\/+)*([\w$.]+)\.([\w$<>-]+)\(([^:()]+)(?::(\d+))?\)/;
/** What runs tests is not what people look for. */
const machinery =
  /^(?:org\.junit\.|junit\.|org\.opentest4j\.|org\.apache\.maven\.|org\.testng\.|org\.gradle\.|java\.|javax\.|jdk\.|sun\.|com\.sun\.|org\.assertj\.|org\.hamcrest\.|worker\.org\.gradle\.)/;

/** Reads test reports in XML. `sources` are the project's files of code, as paths from its folder on. */
export function readJvmReports(reports: readonly string[], sources: readonly string[]): JvmResults {
  const counts = { passed: 0, failed: 0, skipped: 0, todo: 0, xfailed: 0, xpassed: 0, cancelled: 0 };
  const faults: TestFault[] = [];
  const notices: string[] = [];
  const classes = new Set<string>();
  const sourceOf = sourceFinder(sources);
  const suites = reports.map(suitesIn);
  const unread = suites.filter((some) => some === undefined).length;
  if (unread > 0) {
    notices.push(`Reports that could not be read, so that their tests are not told of: ${unread}.`);
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
      if (flaky.length > 0) notices.push(`${name} passed only when it was run again: ${messageOf(flaky[0]).message}`);
    }
  }
  return { counts, faults, notices, classes };
}

/** Undefined where it is no whole document. */
function suitesIn(text: string): readonly XmlElement[] | undefined {
  const root = parseXml(text);
  if (!root) return undefined;
  if (root.name === "testsuite") return [root];
  return root.name === "testsuites" ? childrenOf(root, "testsuite") : [];
}

/** `CartTest.adds`, without the package; of a class that failed as a whole, its name. */
function nameOf(test: XmlElement): string {
  const className = test.attributes.get("classname") ?? "";
  const short = className.slice(className.lastIndexOf(".") + 1).replaceAll("$", ".");
  const name = test.attributes.get("name") ?? "";
  return isOfClass(test) ? short : [short, name].filter((part) => part !== "").join(".");
}

/** Set-up and tear-down of a class are reported as a test that has no name, or the class's. */
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

/** What it says, of causes too, and its calls: those of the innermost cause first. */
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
  // The type of an assertion says nothing that its message does not.
  const plain = text.replace(assertion, "");
  const whole = text === "" ? [type, message].filter((part) => part !== "").join(": ") : plain || message || text;
  return { message: whole.trim(), frames: groups.toReversed().flat() };
}

/** Long texts that differ stand apart, so that only what differs is shown. */
function compared(message: string): Pick<TestFault, "message" | "expected" | "actual"> {
  if (!message.endsWith(">") || message.split("\n").length <= maxWholeLines) return { message };
  const begin = /expected:? ?</.exec(message);
  const middle = [...message.matchAll(/> but was:? ?</g)].at(-1);
  if (!begin || !middle || middle.index < begin.index + begin[0].length) return { message };
  return {
    message: message.slice(0, begin.index).trim() || "What was expected and what came differ.",
    expected: message.slice(begin.index + begin[0].length, middle.index),
    actual: message.slice(middle.index + middle[0].length, -1),
  };
}

interface Call {
  readonly file: string;
  readonly line: number | undefined;
  readonly shown: string;
}

function toCall(frame: string, sourceOf: SourceOf): Call | undefined {
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

/** Classes name the file that they were compiled from, without its folder: the package is the end of that. */
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
    // Kotlin's files may leave out the beginning of their package.
    return exact ?? (file.endsWith(".kt") && some.length === 1 ? some[0] : undefined);
  };
}
