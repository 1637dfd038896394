import { readFile } from "node:fs/promises";
import { SymposiumError } from "../../base/symposium-error.js";
import { readPublishedText } from "../../registry/entry-text.js";
import { startOf } from "../registry/resolve.js";
import { checked } from "../doctor/finding.js";
import type { Target } from "./target.js";

const { ok, warn, fail } = checked("metadata");

/** The extension that an `extension.json` describes. What has to be installed before it starts is not started. */
export async function descriptionTarget(file: string): Promise<Target> {
  const entry = readPublishedText(await readFile(file, "utf8"));
  if ("kind" in entry) return { name: file, findings: [fail(entry.message, entry.hint)] };
  const { id, name, version, description } = entry;
  const findings = [ok(`${id} ${version ?? ""}`.trim())];
  for (const [key, text] of Object.entries({ version, description })) {
    if (text === undefined) findings.push(warn(`it has no ${key}`, "The registry asks for one."));
  }
  try {
    const start = startOf({ kind: "entry", entry });
    if (start.kind === "command") return { name, findings, command: start.command };
    const remedy = "Check the folder of its source, or what is installed with `extension check -- COMMAND`.";
    findings.push(
      checked("program").warn(`it is installed from ${start.plan.kind} first, so it is not started`, remedy),
    );
  } catch (failure) {
    if (!(failure instanceof SymposiumError)) throw failure;
    findings.push(fail(failure.message, failure.hint));
  }
  return { name, findings };
}
