// A reporter for node:test (Node 20 and later).
import { createRequire } from "node:module";
import { resolve } from "node:path";

const { emit, fault, text } = createRequire(import.meta.url)("./events.cjs");

export default async function* symposium(source) {
  emit({ event: "begin", runner: "node --test", version: process.versions.node });
  /** The names around a test, by its file and depth. */
  const around = new Map();
  const output = new Map();
  for await (const { type, data } of source) {
    const file = data?.file === undefined ? undefined : resolve(data.file);
    if (type === "test:start") {
      const names = (around.get(file) ?? []).slice(0, data.nesting);
      names[data.nesting] = data.name;
      around.set(file, names);
    } else if (type === "test:dequeue") {
      emit({ event: "start", name: data.name, file });
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
        const kind =
          error?.failureType === "hookFailed"
            ? "hook"
            : data.name === data.file || resolve(data.name) === file
              ? "load"
              : "test";
        const said = fault(error?.cause ?? error);
        const left = kind === "load" ? leftBy(error) : "";
        const message = `${said.message}${left}`;
        emit({ event: "fault", kind, ...base, ...said, message, output: text(output.get(file)) });
        output.delete(file);
      }
    }
  }
  emit({ event: "end" });
  yield "";
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
