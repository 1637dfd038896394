// A reporter for Playwright Test.
const { emit, fault, flaky, text } = require("./events.cjs");

module.exports = class SymposiumReporter {
  #output = new Map();

  onBegin(config) {
    emit({ event: "begin", runner: "playwright", version: config.version });
  }

  onTestBegin(test) {
    emit({ event: "start", name: nameOf(test), file: test.location.file });
  }

  onStdOut(chunk, test) {
    if (test) this.#output.set(test.id, `${this.#output.get(test.id) ?? ""}${chunk}`);
  }

  onStdErr(chunk, test) {
    this.onStdOut(chunk, test);
  }

  onTestEnd(test, result) {
    // A test that is tried again has not ended.
    if (result.status !== test.expectedStatus && result.retry < test.retries && result.status !== "interrupted") return;
    const base = { name: nameOf(test), file: test.location.file };
    const outcome = test.outcome();
    if (outcome === "skipped") emit({ event: result.status === "interrupted" ? "cancelled" : "skip", ...base });
    else if (outcome === "flaky") {
      emit({ event: "pass", ...base });
      flaky(base.name, result.retry);
    } else if (outcome === "expected") emit({ event: result.status === "passed" ? "pass" : "xfailed", ...base });
    else {
      const [first, ...others] = result.errors;
      const kept = result.attachments.flatMap(({ name, path }) => (path ? [`${name}: ${path}`] : []));
      const output = [this.#output.get(test.id)?.trimEnd(), ...kept].filter(Boolean).join("\n");
      const said = first
        ? described(first)
        : { message: `It was expected to end as ${test.expectedStatus}.`, stack: "" };
      emit({
        ...{ event: "fault", kind: "test", ...base, line: test.location.line, testFile: base.file, ...said },
        output: text(output || undefined),
      });
      for (const error of others) emit({ event: "more", ...described(error) });
    }
    this.#output.delete(test.id);
  }

  onError(error) {
    const { file, line } = error.location ?? {};
    emit({ event: "fault", kind: file ? "load" : "unhandled", name: file ?? "", file, line, ...described(error) });
  }

  onEnd({ status }) {
    if (status === "interrupted" || status === "timedout") emit({ event: "notice", text: `The run was ${status}.` });
    emit({ event: "end" });
  }

  printsToStdio() {
    return false;
  }
};

/** The names of its groups and its own, behind the project where there are several. */
function nameOf(test) {
  const [, project, , ...names] = test.titlePath();
  return `${project ? `[${project}] ` : ""}${names.join(" > ")}`;
}

function described(error) {
  const { message, stack } = fault({
    ...{ message: error.message ?? String(error.value ?? ""), stack: error.stack, cause: error.cause },
  });
  const at = error.location;
  const place = at ? { file: at.file, line: at.line } : {};
  return { message: message.replace(/^Error: /, ""), stack, ...place };
}
