import {
  type Diagnostic,
  type FileDiagnostics,
  type Severity,
  severities,
} from "../../../base/ide-operations/diagnostic.js";
import type { OperationState } from "../../../base/ide-operations/operation-state.js";
import { comparePositions } from "../../../base/ide-operations/place.js";
import type { IdeCall } from "../ide-call.js";
import { bounded, counted, shownPlace, stateMark } from "../answer-text.js";
import { type IdeToolEntry, offsetProperty } from "./ide-tool.js";

const pageSize = 80;
const maxMessage = 400;

export const diagnosticsTool: IdeToolEntry = {
  name: "diagnostics",
  description:
    "Errors and warnings of a file or the workspace, as of the last edit; changed: only files where they changed since the last call.",
  needs: ["diagnostics"],
  properties: { file: { type: "string" }, changed: { type: "boolean" }, offset: offsetProperty },
  async run(call, args, session) {
    const file = args.text("file");
    const since = args.flag("changed") ? session.diagnosticsCursor : undefined;
    const { files, pending, cursor } = await call.ask("diagnostics", {
      ...(file !== undefined && { uri: call.paths.uriOf(file) }),
      ...(since !== undefined && { since }),
    });
    if (file === undefined) session.diagnosticsCursor = cursor;
    const entries = files.flatMap((one) => one.diagnostics.map((diagnostic) => ({ uri: one.uri, diagnostic })));
    const offset = args.offset();
    const page = entries.toSorted(byWorst).slice(offset, offset + pageSize);
    const next = offset + page.length;
    const clean = since === undefined ? [] : files.filter(({ diagnostics }) => diagnostics.length === 0);
    return [
      `${summary(files, call.state)}${since === undefined ? "" : " in what changed"} ${stateMark(call.state)}`,
      ...diagnosticLines(call, page),
      ...(next < entries.length ? [`… ${entries.length - next} more from offset ${next}`] : []),
      ...(clean.length > 0 ? [`clean now: ${clean.map(({ uri }) => call.paths.shown(uri)).join(", ")}`] : []),
      ...(pending.length > 0 ? [`still being checked: ${pending.map((uri) => call.paths.shown(uri)).join(", ")}`] : []),
    ].join("\n");
  },
};

interface FileDiagnostic {
  readonly uri: string;
  readonly diagnostic: Diagnostic;
}

/** Returns for example `2 errors, 1 warning`. Says `no diagnostics` only if a server has checked the files. */
function summary(files: readonly FileDiagnostics[], state: OperationState): string {
  const counts = new Map<Severity, number>();
  for (const { severity } of files.flatMap(({ diagnostics }) => diagnostics)) {
    counts.set(severity, (counts.get(severity) ?? 0) + 1);
  }
  const parts = severities.flatMap((severity) => {
    const count = counts.get(severity);
    return count === undefined
      ? []
      : [counted(count, severity, severity === "information" ? severity : `${severity}s`)];
  });
  if (parts.length > 0) return parts.join(", ");
  return state.kind === "ready" ? "no diagnostics" : "no diagnostics known, but there may be some";
}

/** Sorts the most severe first, so that a cut loses the least. */
function byWorst(a: FileDiagnostic, b: FileDiagnostic): number {
  return (
    severities.indexOf(a.diagnostic.severity) - severities.indexOf(b.diagnostic.severity) ||
    (a.uri === b.uri ? 0 : a.uri < b.uri ? -1 : 1) ||
    comparePositions(a.diagnostic.range.start, b.diagnostic.range.start)
  );
}

function diagnosticLines(call: IdeCall, entries: readonly FileDiagnostic[]): string[] {
  let heading = "";
  return entries.flatMap(({ uri, diagnostic }) => {
    const { range, severity, code, message, source, related = [] } = diagnostic;
    const path = call.paths.shown(uri);
    const head = path === heading ? [] : [path];
    heading = path;
    const origin = [source, code].filter((part) => part !== undefined && part !== "").join(" ");
    const text = bounded(message.replace(/\s*\n\s*/g, "; "), maxMessage);
    const { line, character } = range.start;
    return [
      ...head,
      `${line + 1}:${character + 1} ${severity}${origin === "" ? "" : ` ${origin}`}: ${text}`,
      ...related.slice(0, 3).map((place) => {
        return `  ${shownPlace(call, place.location.uri, place.location.range.start)} ${bounded(place.message, maxMessage)}`;
      }),
    ];
  });
}
