// A reporter for node:test (Node 20 and later).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const { emit, fault, text } = createRequire(import.meta.url)("./events.cjs");

export default async function* symposium(source) {
  emit({ event: "begin", runner: "node --test", version: process.versions.node });
  /** The names around a test, by its file and depth. */
  const around = new Map();
  const output = new Map();
  /** How many tests of a file have begun without having ended; a file is here after the first. */
  const open = new Map();
  let hasLeft = false;
  for await (const { type, data } of source) {
    const file = data?.file === undefined ? undefined : resolve(data.file);
    const isFile = data?.name !== undefined && resolve(data.name) === file;
    if (type === "test:start") {
      const names = (around.get(file) ?? []).slice(0, data.nesting);
      names[data.nesting] = data.name;
      around.set(file, names);
    } else if (type === "test:dequeue") {
      emit({ event: "start", ...(isFile ? { name: file } : { name: data.name, file }) });
      if (!isFile) open.set(file, (open.get(file) ?? 0) + 1);
    } else if (type === "test:complete") {
      const isCutOff = isFile && data.details?.error === undefined && (open.get(file) ?? Number(isSilent(file))) > 0;
      if (isCutOff) hasLeft = true;
      else emit({ event: "left", name: isFile ? file : data.name });
      if (!isFile) open.set(file, open.get(file) - 1);
    } else if (type === "test:diagnostic" && /asynchronous activity/.test(data.message)) {
      emit({ event: "notice", text: text(data.message) });
    } else if (type === "test:stdout" || type === "test:stderr") {
      output.set(file, (output.get(file) ?? "") + data.message);
    } else if (type === "test:pass" || type === "test:fail") {
      const name = [...(around.get(file) ?? []).slice(0, data.nesting), data.name].join(" > ");
      const base = { name, file, line: data.line };
      const error = data.details?.error;
      const isSuite = data.details?.type === "suite";
      if (data.todo !== undefined && data.todo !== false) emit({ event: "todo", ...base });
      else if (data.skip !== undefined && data.skip !== false) emit({ event: "skip", ...base });
      else if (type === "test:pass") {
        if (!isSuite) emit({ event: "pass", ...base });
      } else if (error?.failureType === "cancelledByParent" && !isPending(error)) emit({ event: "cancelled", ...base });
      else if (error?.failureType !== "subtestsFailed") {
        const kind = error?.failureType === "hookFailed" ? "hook" : isFile ? "load" : "test";
        const said = fault(error?.cause ?? error);
        const left = kind === "load" ? leftBy(error) : "";
        const message = `${said.message}${left}`;
        emit({ event: "fault", kind, ...base, ...said, message, output: text(output.get(file)) });
        output.delete(file);
      }
    }
  }
  // Node counts a file as passed if its process leaves with code 0 amid its tests.
  if (!hasLeft) emit({ event: "end" });
  yield "";
}

/** Whether a file without any reported test has tests: the process left before it wrote them. */
function isSilent(file) {
  try {
    const source = readFileSync(file, "utf8");
    return /["']node:test["']/.test(source) && /^(?:await )?(?:it|test|describe|suite)\(/m.test(source);
  } catch {
    return false;
  }
}

/** How the process of a file left, where that is no success. */
function leftBy(error) {
  if (error?.signal) return ` (it was ended by ${error.signal})`;
  return error?.exitCode > 0 ? ` (it exited with code ${error.exitCode})` : "";
}

/** Nobody cancelled it: it waits for what never comes. */
function isPending(error) {
  return /event loop has already resolved/.test(`${error.message} ${error.cause?.message ?? error.cause ?? ""}`);
}
