import type { CheckReport, Finding } from "./check-report.js";

/** Message in Maven's output: `[ERROR] /w/src/A.java:[3,5] message`. */
const ofMaven =
  /^\[(ERROR|WARNING)\] (\S.*?\.(?:java|kts?|groovy|scala)):\[?(\d+)[,:](\d+)\]? (?:error: |warning: )?(.*)$/;
/** Message of javac, alone or in Gradle's output: `/w/src/A.java:3: error: message`. */
const ofJavac = /^(\S.*?\.java):(\d+): (error|warning): (.*)$/;
/** Message of the Kotlin compiler: `e: file:///w/src/A.kt:3:5 message`. */
const ofKotlin = /^([ew]): (?:file:\/\/)?(\S.*?\.kts?):(\d+):(\d+):? (.*)$/;
const caret = /^\s*\^\s*$/;

/**
 * Parses messages of javac and the Kotlin compiler, alone or in the output of Maven or Gradle. Removes messages that Maven repeats, and
 * ignores other text.
 */
export function readJavac(text: string): CheckReport {
  const found = new Map<string, Finding>();
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const head = toFinding(lines[at] ?? "");
    if (!head) continue;
    const message = [head.message];
    let column = head.column;
    for (; at + 1 < lines.length; at++) {
      const next = (lines[at + 1] ?? "").replace(/^\[(?:ERROR|WARNING)\] {2}/, "  ");
      const after = lines[at + 2] ?? "";
      // javac marks the column with a `^` below the source line.
      if (caret.test(after) && toFinding(next) === undefined) {
        column ??= after.indexOf("^") + 1;
        at++;
      } else if (/^\s+\S/.test(next)) message.push(next.trim());
      else break;
    }
    const finding = { ...head, ...(column !== undefined && { column }), message: message.join("\n") };
    const key = JSON.stringify([finding.file, finding.line, finding.column, finding.message]);
    if (!found.has(key)) found.set(key, finding);
  }
  return { findings: [...found.values()], notices: [] };
}

function toFinding(line: string): Finding | undefined {
  const [, level, ofBuild, row, place, said = ""] = ofMaven.exec(line) ?? [];
  if (ofBuild !== undefined) return findingOf(ofBuild, row, place, level === "WARNING", said);
  const [, file, javacRow, severity, message = ""] = ofJavac.exec(line) ?? [];
  if (file !== undefined) return findingOf(file, javacRow, undefined, severity === "warning", message);
  const [, kind, kotlin, kotlinRow, column, words = ""] = ofKotlin.exec(line) ?? [];
  return kotlin === undefined ? undefined : findingOf(kotlin, kotlinRow, column, kind === "w", words);
}

function findingOf(
  file: string,
  line: string | undefined,
  column: string | undefined,
  isWarning: boolean,
  message: string,
): Finding {
  return {
    file,
    line: Number(line),
    ...(column !== undefined && { column: Number(column) }),
    level: isWarning ? "warning" : "error",
    message,
  };
}
