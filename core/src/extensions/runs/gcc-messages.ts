import type { CheckReport, Finding } from "./check-report.js";

const said = /^(.+?):(\d+):(?:(\d+):)? (fatal error|error|warning|note): (.*?)(?: \[(-[Wf][^[\]]+)\])?$/;
const requiredFrom = /^(.+?):(\d+):(?:(\d+):)? +(?:required from|in instantiation of)/;
/** Lines that only state a count or point to the next location, and lines of source excerpts. */
const around =
  /^\d+ \||^(?:In file included from|from) |^compilation terminated\.|^\d+ (?:error|warning)s? generated\./;

interface Place {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/**
 * Parses text output of gcc and clang, since their machine-readable formats lack template instantiations. A finding in a system header gets
 * the location of its instantiation, and its message names the header.
 */
export function readGcc(text: string): CheckReport {
  const findings: Finding[] = [];
  const notices: string[] = [];
  const seen = new Set<string>();
  let from: Place | undefined;
  let isRepeated = false;
  for (const line of text.split(/\r?\n/)) {
    const [, user, userRow, userColumn] = requiredFrom.exec(line) ?? [];
    if (user !== undefined) {
      // The last listed instantiation is in the project's own code.
      from = placeAt(user, userRow, userColumn);
      continue;
    }
    const [, file, row, column, kind, message = "", code] = said.exec(line) ?? [];
    if (file === undefined) {
      const leads = line.endsWith(":") && /: (?:In|At) /.test(line);
      if (/^\S/.test(line) && !leads && !around.test(line)) notices.push(line);
      continue;
    }
    if (kind === "note") {
      const last = isRepeated ? undefined : findings.pop();
      if (last) findings.push({ ...last, message: `${last.message}\nnote: ${file}:${row}: ${message}` });
      continue;
    }
    const own = placeAt(file, row, column);
    const place = from && isOfSystem(file) ? from : own;
    const whole = place === own ? message : `${message}\nin ${file}:${row}`;
    // A finding in a header is repeated for each file that includes the header.
    const key = JSON.stringify([own, message]);
    isRepeated = seen.has(key);
    if (!isRepeated) {
      seen.add(key);
      const level = kind === "warning" ? "warning" : "error";
      findings.push({ ...place, level, ...(code !== undefined && { code }), message: whole });
    }
    from = undefined;
  }
  return { findings, notices };
}

function placeAt(file: string, line = "", column?: string): Place {
  return { file, line: Number(line), ...(column !== undefined && { column: Number(column) }) };
}

function isOfSystem(file: string): boolean {
  return /^\/(?:usr|opt|Library|Applications)\/|[\\/]include[\\/]c\+\+[\\/]/.test(file);
}
