// A reporter for Vitest (from 3 on).
import { createRequire } from "node:module";

const { emit, fault, flaky, obsolete, text } = createRequire(import.meta.url)("./events.cjs");

export default class SymposiumReporter {
  #output = new Map();
  #vitest;

  onInit(vitest) {
    this.#vitest = vitest;
    emit({ event: "begin", runner: "vitest", version: vitest?.version });
  }

  // A worker that crashes or hangs tells less of its tests than of its file; in a file that it only loads, nothing more than this.
  onTestModuleQueued(module) {
    emit({ event: "start", name: module.moduleId });
  }

  onTestModuleStart(module) {
    emit({ event: "start", name: module.moduleId });
  }

  onTestModuleEnd(module) {
    emit({ event: "left", name: module.moduleId });
  }

  onTestCaseReady(test) {
    emit({ event: "start", name: test.fullName, file: test.module.moduleId });
  }

  onUserConsoleLog({ content, taskId }) {
    const key = taskId ?? "";
    this.#output.set(key, (this.#output.get(key) ?? "") + content);
  }

  onTestCaseResult(test) {
    const { state, errors = [] } = test.result();
    const base = { name: test.fullName, file: test.module.moduleId };
    if (state === "passed") {
      emit({ event: "pass", ...base });
      flaky(test.fullName, test.diagnostic()?.retryCount);
    } else if (state === "skipped") emit({ event: test.options.mode === "todo" ? "todo" : "skip", ...base });
    else {
      const output = this.#output.get(test.id);
      const [first, ...others] = errors;
      const said = { testFile: base.file, ...place(first, test), ...described(first), output: text(output) };
      emit({ event: "fault", kind: "test", ...base, ...said });
      for (const error of others) emit({ event: "more", ...described(error) });
    }
    this.#output.delete(test.id);
  }

  onTestRunEnd(modules, unhandled, reason) {
    for (const module of modules) {
      for (const error of module.errors()) {
        emit({
          event: "fault",
          kind: "load",
          name: module.moduleId,
          file: module.moduleId,
          testFile: module.moduleId,
          ...place(error),
          ...described(error),
          output: text(this.#output.get(module.id)),
        });
      }
      for (const suite of module.children.allSuites()) {
        for (const error of suite.errors()) {
          emit({
            event: "fault",
            kind: "hook",
            name: suite.fullName,
            file: module.moduleId,
            testFile: module.moduleId,
            ...place(error),
            ...described(error),
          });
        }
      }
    }
    for (const error of unhandled) {
      emit({
        event: "fault",
        kind: "unhandled",
        name: error.type ?? "unhandled error",
        testFile: error.VITEST_TEST_PATH,
        ...place(error),
        ...described(error),
      });
    }
    obsolete(this.#vitest?.snapshot?.summary);
    if (reason === "interrupted") emit({ event: "notice", text: "The run was interrupted." });
    emit({ event: "end" });
  }
}

function place(error, test) {
  const [frame] = error?.stacks ?? [];
  if (frame) return { file: frame.file, line: frame.line };
  return test?.location ? { line: test.location.line } : {};
}

function described(error) {
  const { message, stack } = fault(error);
  const frames = (error?.stacks ?? []).map(
    ({ method, file, line, column }) => `    at ${method || "?"} (${file}:${line}:${column})`,
  );
  return { message, stack: frames.length > 0 ? frames.join("\n") : stack, diff: text(error?.diff) };
}
