import type { CheckReport, Finding } from "./check-report.js";

/** `[ERROR] /w/src/A.java:[3,5] message`, of Maven. */
const ofMaven =
  /^\[(ERROR|WARNING)\] (\S.*?\.(?:java|kts?|groovy|scala)):\[?(\d+)[,:](\d+)\]? (?:error: |warning: )?(.*)$/;
/** `/w/src/A.java:3: error: message`, of javac itself and of Gradle. */
const ofJavac = /^(\S.*?\.java):(\d+): (error|warning): (.*)$/;
/** `e: file:///w/src/A.kt:3:5 message`, of Kotlin's compiler. */
const ofKotlin = /^([ew]): (?:file:\/\/)?(\S.*?\.kts?):(\d+):(\d+):? (.*)$/;
const caret = /^\s*\^\s*$/;

/**
 * Reads what javac and Kotlin's compiler say, by themselves, in Maven's lines or in Gradle's. Maven says its errors twice: they
 * are told once. What else stands in the text is left out.
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
      // javac shows the line and points into it, which says the column.
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
